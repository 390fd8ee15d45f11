"""What a reader asked to see, read from the query string. Nonsense in it never raises."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from math import isfinite
from typing import Any
from urllib.parse import urlencode

from django.utils import timezone

LONGEST_TEXT = 100  # characters of a text filter that are read
HIGHEST_PAGE = 100_000
HIGHEST_CAP = 1e9  # dollars or seconds; a cap above this bounds nothing
BETWEEN = ","  # between the keys of chosen columns
ALL_PAGES = "all"
MODES = {"fc": "FC", "prompt": "Prompt"}
EVIDENCE = {  # value → what it is called in the filter, which kinds it lets through
    "ranked": ("Published, verified", ("published", "verified")),
    "verified": ("Verified only", ("verified",)),
    "published": ("Published only", ("published",)),
    "spot_checked": ("Spot-checked only", ("spot_checked",)),
    "uploaded": ("Uploaded only", ("uploaded",)),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """One way to look at a board. Every field's default is what an empty query string means.

    `sort` is a column's key, with a minus for highest first; empty: by rank. `cols` are keys of
    columns with commas between them. `cost_max` is in US dollars for a whole run, `latency_max`
    in seconds, `since` a day: the figures shown are of that day or later. `as_of` is a past day:
    the board as it stood at its end. `profile` is a way of judging beside the usual one. `page` is
    a number or "all".
    """

    view: str = ""
    sort: str = ""
    cols: str = ""
    q: str = ""
    org: str = ""
    mode: str = ""
    evidence: str = ""
    open: str = ""
    cost_max: str = ""
    latency_max: str = ""
    since: str = ""
    as_of: str = ""
    profile: str = ""
    page: str = ""

    def query(self, **changes: str) -> str:
        """The canonical query string of this choice, or of one that differs from it.

        Only what differs from the default is in it, always in the same order. A change of
        anything but the page leads back to the first page.
        """
        if changes and "page" not in changes:
            changes["page"] = ""
        changed = replace(self, **changes)
        pairs = [(field.name, getattr(changed, field.name)) for field in fields(changed)]
        return urlencode([(name, value) for name, value in pairs if value], safe=BETWEEN)

    @property
    def sort_key(self) -> str:
        return self.sort.lstrip("-")

    @property
    def is_descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def is_filtered(self) -> bool:
        return any(getattr(self, name) for name in FILTERS)

    @property
    def words(self) -> list[str]:
        return self.q.casefold().split()

    @property
    def columns(self) -> list[str]:
        return self.cols.split(BETWEEN) if self.cols else []

    @property
    def highest_cost(self) -> float | None:
        return float(self.cost_max) if self.cost_max else None

    @property
    def highest_latency(self) -> float | None:
        return float(self.latency_max) if self.latency_max else None

    @property
    def first_day(self) -> date | None:
        return date.fromisoformat(self.since) if self.since else None

    @property
    def past_day(self) -> date | None:
        return date.fromisoformat(self.as_of) if self.as_of else None


FILTERS = ("q", "org", "evidence", "mode", "open", "cost_max", "latency_max", "since")


def read(
    query: Mapping[str, Any],
    *,
    views: Collection[str],
    sorts: Collection[str],
    columns: Collection[str] = (),
    profiles: Collection[str] = (),
) -> Chosen:
    """The choice a query string makes; what it cannot mean is taken as not said."""
    sort = _one_line(query, "sort")
    return Chosen(
        view=_one_of(query, "view", views),
        sort=sort if sort.removeprefix("-") in sorts and sort != "-rank" else "",
        cols=BETWEEN.join(_several(query, "cols", columns)),
        q=" ".join(_one_line(query, "q").split()),
        org=_one_line(query, "org"),
        mode=_one_of(query, "mode", MODES),
        evidence=_one_of(query, "evidence", EVIDENCE),
        open=_one_of(query, "open", ("1",)),
        cost_max=_cap(query, "cost_max"),
        latency_max=_cap(query, "latency_max"),
        since=_day(query, "since"),
        as_of=past_day(query),
        profile=profile(query, profiles),
        page=_page(query),
    )


def profile(query: Mapping[str, Any], profiles: Collection[str]) -> str:
    """A way of judging other than the usual, which is the first; empty for that one."""
    return _one_of(query, "profile", list(profiles)[1:])


def past_day(query: Mapping[str, Any]) -> str:
    """The day a board is asked for as of; one that has not come in UTC means nothing."""
    day = _day(query, "as_of")
    return day if day <= timezone.now().date().isoformat() else ""


def _one_line(query: Mapping[str, Any], name: str) -> str:
    """A text parameter without control characters, cut at a length nobody needs."""
    text = str(query.get(name, ""))[:LONGEST_TEXT]
    return "".join(char for char in text if char.isprintable()).strip()


def _one_of(query: Mapping[str, Any], name: str, allowed: Collection[str]) -> str:
    value = _one_line(query, name)
    return value if value in allowed else ""


def _several(query: Mapping[str, Any], name: str, allowed: Collection[str]) -> Iterable[str]:
    """Known values of a parameter given several times or with commas, each once, in its order."""
    given = query.getlist(name) if hasattr(query, "getlist") else [str(query.get(name, ""))]
    said = {one for text in given for one in text.split(BETWEEN)}
    return (one for one in allowed if one in said)


def _cap(query: Mapping[str, Any], name: str) -> str:
    """A bound as it is written shortest; what is no positive number bounds nothing."""
    try:
        value = float(_one_line(query, name))
    except ValueError:
        return ""
    return f"{value:.12g}" if isfinite(value) and 0 < value <= HIGHEST_CAP else ""


def _day(query: Mapping[str, Any], name: str) -> str:
    try:
        return date.fromisoformat(_one_line(query, name)).isoformat()
    except ValueError:
        return ""


def _page(query: Mapping[str, Any]) -> str:
    page = _one_line(query, "page")
    if page == ALL_PAGES:
        return page
    is_number = page.isascii() and page.isdigit() and 1 < int(page) <= HIGHEST_PAGE
    return str(int(page)) if is_number else ""
