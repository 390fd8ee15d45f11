"""How figures, times and foreign text are written on every page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from django import template
from django.http import HttpRequest
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from evaluation.models import Evidence
from leaderboard.boards import Row
from leaderboard.ranking import Place
from leaderboard.sheets import Cell
from leaderboard.tables import SMALL
from leaderboard.text import make_visible, web_link

register = template.Library()
register.filter(web_link)

DASH = "–"


@register.filter
def visible(text: Any) -> str:
    """Foreign text, safe to read: see `make_visible`. Escaping stays with the template."""
    return make_visible(str(text))


@register.filter
def after_state(reason: str, state: str) -> str:
    """A reason to stand under its state's name, which it may begin with: not said twice."""
    rest = reason.removeprefix(state).lstrip(" :.")
    is_said = rest and reason.startswith(f"{state} ")
    return rest[0].upper() + rest[1:] if is_said else reason


@register.filter
def of(found: Mapping[str, Any], name: str) -> Any:
    """What a mapping holds under a name that is not known beforehand."""
    return found.get(name)


@register.filter
def percent(share: float | None) -> str:
    """A fraction as a percentage with one decimal and no sign: 0.775 → 77.5."""
    return DASH if share is None else f"{100 * share:.1f}"


@register.filter
def percent_of(share: float | None, n: int | None) -> str:
    """A percentage of n cases, with no decimal where one answer is worth whole points."""
    return DASH if share is None else f"{100 * share:.{_decimals(n)}f}"


def _decimals(n: int | None) -> int:
    return 0 if n is not None and n < SMALL else 1


@register.filter
def percent_exact(share: float | None) -> str:
    """A fraction with two decimals, for the places that show how a figure is made."""
    return DASH if share is None else f"{100 * share:.2f}"


@register.filter
def coverage(share: float | None) -> str:
    """Coverage never rounds up to 100 %: one missing case in thousands is said."""
    if share is None:
        return DASH
    if share >= 1:
        return "100 %"
    return f"{min(99.9, int(1000 * share) / 10):g} %"


@register.filter
def coverage_or_unsaid(share: float | None) -> str:
    """Coverage of an entry; published figures come without it."""
    return "not stated" if share is None else coverage(share)


@register.filter
def bounds(interval: tuple[float, float] | None) -> str:
    """An interval of fractions as percentages: (0.673, 0.711) → 67.3–71.1."""
    return "" if interval is None else f"{100 * interval[0]:.1f}–{100 * interval[1]:.1f}"


@register.filter
def bounds_of(interval: tuple[float, float] | None, n: int | None) -> str:
    """The same for a figure of n cases, with no more digits than the figure itself has."""
    if interval is None:
        return ""
    return "–".join(f"{100 * bound:.{_decimals(n)}f}" for bound in interval)


@register.filter
def points(share: float | None) -> str:
    """A weight times a score, in percentage points with two decimals."""
    return DASH if share is None else f"{100 * share:.2f}"


@register.filter
def weight(value: float) -> str:
    """A weight as a percentage with as many digits as it needs: 0.1 → 10 %."""
    return f"{100 * value:.4g} %"


@register.filter
def grouped(number: int | None) -> str:
    """A whole number with thousands separators: 5106 → 5,106."""
    return DASH if number is None else f"{number:,}"


@register.filter
def seconds(value: float | None) -> str:
    """A time in seconds as people read it: 0.042 → 42 ms, 2.31 → 2.3 s, 3670 → 1 h 1 min."""
    if value is None:
        return DASH
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    if value < 120:  # minutes alone would hide much of a request's time
        return f"{value:.0f} s"
    minutes = round(value / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@register.filter
def dollars(value: float | None) -> str:
    """US dollars: 21.4 → $21.40, a small sum in cents: 0.0042 → 0.42 ¢."""
    if value is None:
        return DASH
    if 0 < value < 0.1:
        return f"{100 * value:.2g} ¢"
    return f"${value:,.2f}"


@register.filter
def day(value: date | datetime | None) -> str:
    """A date in words: 12 June 2026."""
    return DASH if value is None else f"{value.day} {value:%B %Y}"


@register.simple_tag
def one_answer(n: int) -> str:
    """What one answer of n is worth, in percentage points: 16 → 6.25."""
    return f"{100 / n:.3g}" if n else DASH


@register.simple_tag
def signed(difference: float, n: int | None = None) -> str:
    """A difference of fractions in points, with a real minus sign: −1.2; of n cases each."""
    text = f"{abs(100 * difference):.{_decimals(n)}f}"
    if float(text) == 0:
        return text
    return f"{'+' if difference > 0 else '−'}{text}"


@register.simple_tag
def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


@register.simple_tag
def better_than(place: Place, count: int) -> int:
    """How many entries can be told to be worse than the one at `place`."""
    return count - place.span[1]


@register.simple_tag
def figure_cell(cell: Cell, row: Row, board: str = "") -> SafeString:
    """A table cell with one figure, its interval, and the way to what it is made of.

    `board` is what an address says to mean this board; empty for the usual one.
    """
    figure = cell.figure
    if figure is None or (figure.value is None and not figure.has_any):
        return SafeString(
            '<td class="num none"><span aria-hidden="true">–</span>'
            '<span class="sr">not run</span></td>'
        )
    link = reverse("why", args=[row.entry, cell.key]) + (f"?{board}" if board else "")
    if figure.value is None:
        return format_html(
            '<td class="num none"><a class="val" href="{}" title="With missing as 0: {}">'
            "incomplete</a></td>",
            link,
            percent(figure.missing_as_zero),
        )
    look = " lead-col" if cell.is_lead else ""
    look += " best" if cell.is_best else ""
    text = f"{cell.right}/{figure.n}" if cell.is_small else percent(figure.value)
    picture = rail(figure.value, figure.interval)
    return format_html(
        '<td class="num{}"><a class="val" href="{}">{}</a>{}</td>', look, link, text, picture
    )


@register.simple_tag
def fact_cell(key: str, row: Row) -> SafeString:
    """A table cell with something that is no figure: cost, latency, n, date, licence."""
    text, second = FACTS[key](row)
    look = " none" if text == DASH else ""
    small = format_html('<br><small class="faint">{}</small>', second) if second else ""
    return format_html('<td class="num{}">{}{}</td>', look, text, small)


@register.filter
def weights(is_open: bool | None) -> str:
    """Whether a model's weights are open, in words."""
    if is_open is None:
        return "weights: not stated"
    return "open weights" if is_open else "closed weights"


@register.filter
def timed_by(row: Row, known: float | None) -> str:
    """Whose word a time is, where it is not ours; nothing where there is none."""
    return "" if known is None else TIMED_BY.get(row.evidence, "")


TIMED_BY: dict[str, str] = {
    Evidence.PUBLISHED: "as published",
    Evidence.UPLOADED: "as uploaded",
    Evidence.SPOT_CHECKED: "as uploaded",
}
FACTS: dict[str, Callable[[Row], tuple[str, str]]] = {  # column → its text, and a second line
    "cost": lambda row: (dollars(row.cost), ""),
    "latency": lambda row: (seconds(row.latency), timed_by(row, row.latency)),
    "case_latency": lambda row: (seconds(row.case_latency), timed_by(row, row.case_latency)),
    "n": lambda row: (grouped(row.n), coverage_or_unsaid(row.coverage)),
    "date": lambda row: (day(row.shown_since), ""),
    "licence": lambda row: (visible(row.licence or DASH), weights(row.open_weights)),
}


@register.simple_tag
def rail(share: float | None, interval: tuple[float, float] | None = None) -> SafeString:
    """The in-cell picture of a score: a rail from 0 to 100, a bar, a dark tip for the interval."""
    if share is None:
        return SafeString("")
    low, high = interval or (share, share)
    return format_html(
        '<svg class="ci" viewBox="0 0 64 8" aria-hidden="true" focusable="false">'
        '<path class="t" d="M0 4h64"/><path class="b" d="M0 4H{}"/>'
        '<path class="w" d="M{} 4H{}"/></svg>',
        f"{64 * share:.1f}",
        f"{64 * low:.1f}",
        f"{64 * high:.1f}",
    )


MODES = {"fc": ("chip fc", "FC"), "prompt": ("chip", "Prompt")}
EVIDENCE = {  # value → CSS class, icon, word
    "verified": ("verified", "i-verified", "Verified"),
    "spot_checked": ("spot", "i-spot", "Spot-checked"),
    "uploaded": ("uploaded", "i-uploaded", "Uploaded"),
    "published": ("published", "i-published", "Published"),
}
STATES = {  # run state → chip class, icon, word
    "queued": ("", "i-pause", "Queued"),
    "running": ("live", "i-run", "Running"),
    "paused": ("meh", "i-pause", "Paused"),
    "finished": ("ok", "i-ok", "Finished"),
    "incomplete": ("meh", "i-meh", "Incomplete"),
    "failed": ("bad", "i-no", "Failed"),
    "cancelled": ("", "i-no", "Cancelled"),
}
OUTCOMES = {
    "correct": ("ok", "i-ok", "Correct"),
    "wrong": ("bad", "i-no", "Wrong"),
    "unscored": ("meh", "i-meh", "Unscored"),
    "excluded": ("none", "i-info", "Excluded"),
    "": ("", "i-pause", "Not run"),
}


@register.simple_tag
def mode_chip(mode: str) -> SafeString:
    return format_html('<span class="{}">{}</span>', *MODES.get(mode, ("chip", mode)))


@register.simple_tag
def evidence_badge(evidence: str) -> SafeString:
    look, icon, word = EVIDENCE.get(evidence, ("", "i-info", evidence))
    return format_html(
        '<span class="ev {}"><svg aria-hidden="true" focusable="false"><use href="#{}"/></svg>'
        "{}</span>",
        look,
        icon,
        word,
    )


def _chip(look: str, icon: str, word: str, size: str) -> SafeString:
    return format_html(
        '<span class="chip {} {}"><svg class="icon" aria-hidden="true" focusable="false">'
        '<use href="#{}"/></svg>{}</span>',
        look,
        size,
        icon,
        word,
    )


@register.simple_tag
def state_chip(state: str, size: str = "") -> SafeString:
    """A run's state: icon and word. `size` may be "big" in page heads."""
    return _chip(*STATES.get(state, ("", "i-info", state)), size)


@register.simple_tag
def outcome_chip(outcome: str, size: str = "") -> SafeString:
    """What became of a case; an empty outcome means it was not run."""
    return _chip(*OUTCOMES.get(outcome, ("", "i-info", outcome)), size)


@register.simple_tag
def icon(name: str) -> SafeString:
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="#i-{}"/></svg>', name
    )


@register.simple_tag(takes_context=True)
def theme_attribute(context: Context) -> SafeString:
    """` data-theme="dark"` when the reader has chosen a theme, else nothing (the system's)."""
    request: HttpRequest | None = context.get("request")
    chosen = request.COOKIES.get("theme") if request else None
    if chosen not in ("light", "dark"):
        return SafeString("")
    return format_html(' data-theme="{}"', chosen)


@register.simple_tag(takes_context=True)
def current(context: Context, url_name: str) -> SafeString:
    """` aria-current="page"` in a navigation link to the page being shown."""
    match = getattr(context.get("request"), "resolver_match", None)
    is_here = match is not None and match.url_name == url_name
    return mark_safe(' aria-current="page"' if is_here else "")  # noqa: S308 - two constants
