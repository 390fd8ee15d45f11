"""One model: its card, its entries, where it does well and where it fails, how to repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from csp.decorators import csp_update
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation import policy
from evaluation.benchmarks import SUITES
from evaluation.models import Benchmark, ColumnSetLine, Entry, ModelCard, Run, Verdict
from leaderboard import board_charts, charts, fault_classes, loading, model_history, pages
from leaderboard.boards import OVERALL, RUNNABLE, Board, Row, Standing
from leaderboard.model_history import Story
from leaderboard.ranking import Figure
from leaderboard.reproduction import Recipe, recipe
from leaderboard.samples import fault_in_words
from leaderboard.views.plotly import STYLES_OF_MAPS

RUNS_LISTED = 50
GONE = 410


@dataclass(frozen=True)
class Shown:
    """One entry of the model, with the board it stands on."""

    board: Board
    standing: Standing
    main: str

    @property
    def row(self) -> Row:
        return self.standing.row

    @property
    def overall(self) -> Figure | None:
        return self.board.figure(self.row, OVERALL)

    @property
    def runnable(self) -> Figure | None:
        return self.board.figure(self.row, RUNNABLE)

    @property
    def headline(self) -> list[tuple[str, str, Figure | None]]:
        """Overall and what can be run of it here: key, title, figure; the ranked one first."""
        both = [(OVERALL, "Overall", self.overall)]
        if not self.board.runs_everything:
            both.append((RUNNABLE, "Overall (runnable)", self.runnable))
        return sorted(both, key=lambda one: one[0] != self.main)

    @property
    def label(self) -> str:
        """The entry's name among those of its model, as in charts."""
        return _label(self.row.mode_title, self.row.evidence_title)


def _label(mode: str, evidence: str) -> str:
    return f"{mode}, {evidence.lower()}"


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of wrong answer of an entry, and how many there were."""

    fault: str
    title: str
    count: int
    share: float  # of the most frequent fault, for the bar


@require_safe
@csp_update({"style-src": [STYLES_OF_MAPS]})  # type: ignore[arg-type]  # its hints know no arguments
@pages.shared
def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything public about one model."""
    card = get_object_or_404(ModelCard, slug=slug)
    visible = policy.visible_entries(AnonymousUser()).filter(card=card)
    entries = list(visible.select_related("benchmark"))
    shown = list(_shown(card, entries, pages.version_of(request)))
    gone = list(policy.tombstones(card)[:RUNS_LISTED])
    lines = list(_published_lines(card))
    stories = _stories(entries, pages.version_of(request))
    if not (shown or gone or lines or stories or policy.may_use_card(request.user, card)):
        raise Http404
    if not policy.may_name(request.user, card):
        return render(request, "leaderboard/model_gone.html", {"gone": gone}, status=GONE)
    newest = [one for one in shown if one.board is shown[0].board]
    context = {
        "card": card,
        "entries": shown,
        "first": shown[0] if shown else None,
        "profile": _profile(newest),
        "categories": list(_category_table(newest)),
        "newest": newest,
        "failings": [
            (one, _faults(one.row.run), _fault_map(one)) for one in newest if one.row.run
        ],
        "fault_classes": list(_fault_classes(shown)),
        "lines": lines,
        "map_height": board_charts.FAULT_MAP_HEIGHT,
        "history": _history(stories),
        "past": [] if shown else stories,
        "attempts": _public_runs(card),
        "started": Run.objects.filter(entry__card=card, counts=True).count(),
        "recipes": _recipes(newest),
        "gone": gone,
    }
    return render(request, "leaderboard/model.html", context)


def _shown(card: ModelCard, entries: Iterable[Entry], version: str) -> Iterator[Shown]:
    """The model's entries that stand on a board now: current benchmark versions first."""
    benchmarks = {entry.benchmark_id: entry.benchmark for entry in entries}
    for benchmark in sorted(benchmarks.values(), key=_place_in_lists):
        board = loading.current(benchmark, version)
        standings = board.standings(OVERALL)
        main = board.main(OVERALL)
        own = [one for one in standings.values() if one.row.slug == card.slug]
        yield from (Shown(board, one, main) for one in own)


def _place_in_lists(benchmark: Benchmark) -> tuple[bool, int, float]:
    """Current ones first, in the order of the suites; of one suite the newest first."""
    known = [suite.slug for suite in SUITES]
    place = known.index(benchmark.suite) if benchmark.suite in known else len(known)
    return not benchmark.is_current, place, -benchmark.created_at.timestamp()


def _category_figures(one: Shown) -> dict[str, Figure]:
    found = {name: one.board.figure(one.row, name) for name in one.board.categories}
    return {name: figure for name, figure in found.items() if figure is not None}


def _profile(shown: Sequence[Shown]) -> dict[str, Any] | None:
    """The chart of categories, with the height its place must keep free."""
    series = [charts.Series(one.label, _category_figures(one)) for one in shown]
    if not any(one.figures for one in series):
        return None
    board = shown[0].board
    asked = [name for name in board.categories if any(name in one.figures for one in series)]
    titles = {name: board.nodes[name].title for name in asked}
    return {
        "figure": charts.profile(titles, series),
        "height": charts.profile_height(len(titles)),
    }


def _category_table(shown: Sequence[Shown]) -> Iterator[tuple[str, str, list[Any]]]:
    """For the table behind the chart: category, title, and each entry's figure."""
    for name in shown[0].board.categories if shown else ():
        figures = [(one, one.board.figure(one.row, name)) for one in shown]
        if any(figure is not None for _, figure in figures):
            yield name, shown[0].board.nodes[name].title, figures


def _faults(run: int | None) -> list[Fault]:
    """The first fault found in each wrong answer of a run, most frequent first."""
    verdicts = Verdict.objects.filter(
        scoring__run=run, scoring__is_current=True, outcome=Verdict.Outcome.WRONG
    )
    counts = verdicts.values_list("fault").annotate(count=Count("pk")).order_by("-count", "fault")
    most = counts[0][1] if counts else 1
    return [
        Fault(fault, fault_in_words(fault), count, round(100 * count / most, 1))
        for fault, count in counts
    ]


def _fault_classes(
    shown: Sequence[Shown],
) -> Iterator[tuple[fault_classes.Table, list[tuple[Shown, int]]]]:
    """Papers' classes of error over every entry with a run, whatever its benchmark."""
    by_run = {one.row.run: one for one in shown if one.row.run}
    for table in fault_classes.tables(list(by_run)):
        entries = zip(table.runs, table.wrong, strict=True)
        yield table, [(by_run[run], wrong) for run, wrong in entries]


def _published_lines(
    card: ModelCard,
) -> Iterator[tuple[ColumnSetLine, list[tuple[dict[str, Any], str]]]]:
    """The model's lines in papers' tables, each figure with its column."""
    lines = ColumnSetLine.objects.filter(entry__card=card).select_related("column_set__benchmark")
    for line in lines.order_by("column_set__benchmark", "column_set__position", "position"):
        figures = zip(line.column_set.columns, line.figures, strict=True)
        yield line, [(column, f"{percent:.2f}") for column, (percent, _) in figures]


def _public_runs(card: ModelCard) -> QuerySet[Run]:
    runs = policy.visible_runs(AnonymousUser()).filter(entry__card=card, counts=True)
    return runs.select_related("entry__benchmark").order_by("-published_at", "-pk")[:RUNS_LISTED]


def _stories(entries: Iterable[Entry], version: str) -> list[Story]:
    """Every entry's figures over time, also of those that the newest table does not name."""
    return model_history.stories(
        {
            entry.pk: (
                loading.current(entry.benchmark, version),
                _label(entry.get_mode_display(), entry.get_evidence_display()),
            )
            for entry in entries
        }
    )


def _history(stories: Sequence[Story]) -> dict[str, Any] | None:
    """Figures over snapshots and runs, when any entry has more than one."""
    if not model_history.is_worth_drawing(stories):
        return None
    lines = {
        f"{story.label}: {story.title}": [(one.when, one.value) for one in story.moments]
        for story in stories
    }
    return {"figure": charts.history(lines), "stories": stories, "height": charts.HISTORY_HEIGHT}


def _fault_map(one: Shown) -> dict[str, Any] | None:
    """An entry's wrong answers as areas: by fault, and inside by category."""
    verdicts = Verdict.objects.filter(
        scoring__run=one.row.run, scoring__is_current=True, outcome=Verdict.Outcome.WRONG
    )
    counted = verdicts.order_by("fault", "case__category__position")
    found: dict[str, dict[str, int]] = {}
    for fault, title, count in counted.values_list("fault", "case__category__title").annotate(
        count=Count("pk")
    ):
        found.setdefault(fault_in_words(fault), {})[title] = count
    ordered = dict(sorted(found.items(), key=lambda item: -sum(item[1].values())))
    return {"figure": board_charts.fault_map(ordered), "faults": ordered} if ordered else None


def _recipes(shown: Iterable[Shown]) -> list[tuple[Shown, Recipe]]:
    """For each entry with a run: how to make it again."""
    runs = {one.row.run: one for one in shown if one.row.run}
    found = Run.objects.filter(pk__in=runs).select_related("entry__benchmark").order_by("pk")
    return [(runs[run.pk], recipe(run)) for run in found]
