"""What is on the screen: a board filtered, sorted, cut into sections and pages. Pure.

Exports are made from the same sheet as the page, so the two cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby
from typing import Any

from evaluation.models import Evidence
from leaderboard.boards import OVERALL, RUNNABLE, Board, Row, Standing
from leaderboard.forms import ALL_PAGES, EVIDENCE, Chosen, read
from leaderboard.ranking import Figure, in_order
from leaderboard.tables import SMALL, View, column_keys, view_of

ROWS_PER_PAGE = 100
KINDS = (Evidence.VERIFIED, Evidence.PUBLISHED, Evidence.SPOT_CHECKED, Evidence.UPLOADED)
RANKED, INCOMPLETE, LISTED = "ranked", "incomplete", "listed"
TEXT_SORTS: dict[str, Callable[[Row], str]] = {
    "model": lambda row: row.name.casefold(),
    "organisation": lambda row: row.organisation.casefold(),
    "licence": lambda row: row.licence.casefold(),
}
NUMBER_SORTS: dict[str, Callable[[Row], float | None]] = {
    "cost": lambda row: row.cost,
    "latency": lambda row: row.latency,
    "case_latency": lambda row: row.case_latency,
    "n": lambda row: row.n,
    "date": lambda row: float(day_shown(row).toordinal()) if row.shown_since else None,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of one row, ready to be written. `figure` is None where nothing was asked."""

    key: str
    figure: Figure | None
    is_lead: bool = False
    is_best: bool = False

    @property
    def is_small(self) -> bool:
        """True when a count says more than a percentage."""
        return self.figure is not None and self.figure.value is not None and self.figure.n < SMALL

    @property
    def right(self) -> int:
        """How many cases were right; of published shares, the whole number nearest to it."""
        figure = self.figure
        if figure is None or figure.value is None:
            return 0
        return figure.correct if figure.correct is not None else round(figure.value * figure.n)


@dataclass(frozen=True, slots=True)
class Line:
    """One row as shown: its standing and its cells, in the view's column order."""

    standing: Standing
    kind: str
    cells: tuple[Cell, ...]

    @property
    def row(self) -> Row:
        return self.standing.row


@dataclass(frozen=True, slots=True)
class Body:
    """Lines that stand together: a tie band, or a section without ranks."""

    kind: str
    is_shaded: bool
    starts_section: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A view of a board for one choice, cut to a page."""

    main: str
    sort: str  # the column it is sorted by, with a minus for highest first
    shown: tuple[Line, ...]
    matching: int  # entries that pass the filters, on all pages
    ranked: int  # of these, those with a rank
    page: int
    pages: int
    total: int  # entries of the board, filtered or not
    ranked_total: int
    by_evidence: tuple[tuple[str, int], ...]  # how many of the matching are of each kind
    has_all_ranges: bool = True  # false while finer ones are being found

    @property
    def sort_key(self) -> str:
        return self.sort.lstrip("-")

    @property
    def is_descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def first_shown(self) -> int:
        return (self.page - 1) * ROWS_PER_PAGE + 1

    @property
    def last_shown(self) -> int:
        return self.first_shown + len(self.shown) - 1

    @property
    def bodies(self) -> Iterator[Body]:
        """Sections in order; the ranked one by tie bands when it is in rank order."""
        is_by_rank = self.sort == f"-{self.main}"
        seen: set[str] = set()
        for (kind, band), lines in groupby(self.shown, lambda line: _body_key(line, is_by_rank)):
            yield Body(kind, band % 2 == 1, kind not in seen, tuple(lines))
            seen.add(kind)


def _body_key(line: Line, is_by_rank: bool) -> tuple[str, int]:
    place = line.standing.place
    return line.kind, place.band if place and is_by_rank else 0


def choice(query: Mapping[str, Any], board: Board) -> Chosen:
    """The choice in a query string; a sort that is the view's own order is the default."""
    views = set(board.nodes)
    sorts = {RUNNABLE, *views, *TEXT_SORTS, *NUMBER_SORTS}
    chosen = read(
        query, views=views, sorts=sorts, columns=column_keys(board), profiles=board.profiles
    )
    own = view_of(board, chosen.view)
    if chosen.sort == f"-{board.main(own.key)}":
        chosen = replace(chosen, sort="")
    if {*chosen.columns, board.main(own.key)} == {*own.keys, board.main(own.key)}:
        chosen = replace(chosen, cols="")
    return replace(chosen, view="" if own.key == OVERALL else own.key)


def sheet(board: Board, view: View, chosen: Chosen) -> Sheet:
    """Apply a choice to a board: filter, sort with figures that are missing last, cut a page."""
    main = board.main(view.key)
    sort = chosen.sort or f"-{main}"
    standings = board.standings(view.key)
    kept = [standings[row.entry] for row in board.rows if _matches(row, chosen)]
    ordered = _sorted(board, kept, sort)
    kinds = {standing.row.entry: _kind(standing) for standing in kept}
    # Unranked rows have no main figure to go by: what this board can run orders them instead.
    if not chosen.sort and main == OVERALL:
        by_runnable = _sorted(board, kept, f"-{RUNNABLE}")
        ranked = [one for one in ordered if kinds[one.row.entry] == RANKED]
        ordered = ranked + [one for one in by_runnable if kinds[one.row.entry] != RANKED]
    ordered.sort(key=lambda one: (RANKED, INCOMPLETE, LISTED).index(kinds[one.row.entry]))
    page, pages, window = _window(ordered, chosen)
    lines = tuple(_line(board, view, one, kinds, sort) for one in ordered[window])
    return Sheet(
        main=main,
        sort=sort,
        shown=_with_best(lines),
        matching=len(ordered),
        ranked=sum(one.place is not None for one in ordered),
        page=page,
        pages=pages,
        total=len(board.rows),
        ranked_total=sum(one.place is not None for one in standings.values()),
        by_evidence=tuple(_counted(one.row.evidence for one in ordered)),
        has_all_ranges=board.has_all_ranges(view.key),
    )


def _counted(kinds: Iterable[str]) -> Iterator[tuple[str, int]]:
    """How often each kind of evidence stands there, in the order in which kinds are explained."""
    counts = Counter(kinds)
    return ((kind, counts[kind]) for kind in KINDS if counts[kind])


def _kind(standing: Standing) -> str:
    if standing.place is not None:
        return RANKED
    return INCOMPLETE if standing.row.is_rankable else LISTED


def _matches(row: Row, chosen: Chosen) -> bool:
    """Whether a row passes every filter that is set. What is not known passes no bound."""
    text = f"{row.name} {row.organisation}".casefold()
    return (
        (not chosen.mode or row.mode == chosen.mode)
        and (not chosen.evidence or row.evidence in EVIDENCE[chosen.evidence][1])
        and (not chosen.open or row.open_weights is True)
        and (not chosen.org or row.organisation == chosen.org)
        and _is_within(row, chosen)
        and all(word in text for word in chosen.words)
    )


def _is_within(row: Row, chosen: Chosen) -> bool:
    bounds = ((row.cost, chosen.highest_cost), (row.latency, chosen.highest_latency))
    if any(cap is not None and (value is None or value > cap) for value, cap in bounds):
        return False
    first = chosen.first_day
    return first is None or (row.shown_since is not None and day_shown(row) >= first)


def day_shown(row: Row) -> date:
    """The day of a row's figures: runs are published at a time, snapshots on a day."""
    since = row.shown_since
    return since.date() if isinstance(since, datetime) else since or date.min


def _sorted(board: Board, standings: Iterable[Standing], sort: str) -> list[Standing]:
    key, descending = sort.lstrip("-"), sort.startswith("-")
    if key in TEXT_SORTS:
        text = TEXT_SORTS[key]
        stable = sorted(standings, key=lambda one: one.row.entry)
        return sorted(stable, key=lambda one: text(one.row), reverse=descending)
    return in_order(
        standings,
        lambda one: _number(board, one.row, key),
        lambda one: one.row.tie_break,
        descending=descending,
    )


def _number(board: Board, row: Row, key: str) -> float | None:
    if key in NUMBER_SORTS:
        return NUMBER_SORTS[key](row)
    figure = board.figure(row, key)
    return figure.value if figure else None


def _window(ordered: Sequence[Any], chosen: Chosen) -> tuple[int, int, slice]:
    if chosen.page == ALL_PAGES:
        return 1, 1, slice(None)
    pages = max(1, -(-len(ordered) // ROWS_PER_PAGE))
    page = min(int(chosen.page or 1), pages)
    return page, pages, slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)


def _line(board: Board, view: View, standing: Standing, kinds: dict[int, str], sort: str) -> Line:
    row = standing.row
    cells = tuple(
        Cell(column.key, board.figure(row, column.key), is_lead=column.key == sort.lstrip("-"))
        for column in view.columns
    )
    return Line(standing, kinds[row.entry], cells)


def _with_best(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The same lines, the best ranked figure of each column marked."""
    best: dict[str, float] = {}
    for line in lines:
        for cell in line.cells:
            value = cell.figure.value if cell.figure and line.kind == RANKED else None
            if value is not None:
                best[cell.key] = max(value, best.get(cell.key, 0.0))
    return tuple(
        Line(line.standing, line.kind, tuple(_marked(cell, best) for cell in line.cells))
        for line in lines
    )


def _marked(cell: Cell, best: dict[str, float]) -> Cell:
    value = cell.figure.value if cell.figure else None
    is_best = value is not None and value > 0 and value == best.get(cell.key)
    return Cell(cell.key, cell.figure, cell.is_lead, is_best)
