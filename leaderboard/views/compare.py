"""Two to four entries of a board, figure by figure and case by case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from csp.decorators import csp_update
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation import policy
from evaluation.models import Benchmark, Case
from leaderboard import charts, comparing, loading, pages, tables
from leaderboard.boards import OVERALL, Board, Row, Standing
from leaderboard.comparing import ByCategory, Difference, Table
from leaderboard.ranking import Figure
from leaderboard.views.plotly import STYLES_OF_MAPS

MOST = 4
CASES_PER_PAGE = 50
KINDS = {  # value in the address → which cases of the table
    "first": "only_first",
    "second": "only_second",
    "both": "both",
    "neither": "neither",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One entry compared: its standing, its answers by category, the query without it."""

    standing: Standing
    known: ByCategory
    without: str

    @property
    def row(self) -> Row:
        return self.standing.row

    @property
    def name(self) -> str:
        return f"{self.row.name} ({self.row.mode_title})"


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry's figure in a row of the table, and how far the first entry is from it."""

    side: Side
    figure: Figure | None
    difference: Difference | None


@require_safe
@csp_update({"style-src": [STYLES_OF_MAPS]})  # type: ignore[arg-type]  # its hints know no arguments
@pages.shared
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """?entry= names each of them; the first is what the others are compared with."""
    benchmark = get_object_or_404(Benchmark, slug=slug)
    board = loading.current(benchmark, pages.version_of(request))
    sides = _sides(board, request.GET.getlist("entry"))
    context: dict[str, Any] = {
        "benchmark": benchmark,
        "board": board,
        "sides": sides,
        "others": sides[1:],
        "choices": _choices(board, sides),
        "is_full": len(sides) >= MOST,
        "figures": list(_figures(board, sides)) if sides else [],
        "profile": _profile(board, sides) if sides else None,
    }
    if len(sides) > 1:
        context |= _cases(request, sides, benchmark)
    return render(request, "leaderboard/compare.html", context)


def _sides(board: Board, asked: Sequence[str]) -> list[Side]:
    """The entries named, each once; what names none is taken as not said."""
    standings = board.standings(OVERALL)
    numbers = [int(one) for one in asked if one.isascii() and one.isdigit() and len(one) < 18]
    entries = [entry for entry in dict.fromkeys(numbers) if entry in standings][:MOST]
    runs = {entry: standings[entry].row.run for entry in entries}
    known = comparing.answers(run for run in runs.values() if run is not None)
    return [
        Side(standings[entry], known.get(runs[entry] or 0, {}), _query(entries, entry))
        for entry in entries
    ]


def _query(entries: Sequence[int], without: int) -> str:
    return urlencode([("entry", entry) for entry in entries if entry != without])


def _choices(board: Board, sides: Sequence[Side]) -> list[Row]:
    taken = {side.row.entry for side in sides}
    rows = (row for row in board.rows if row.entry not in taken)
    return sorted(rows, key=lambda row: (row.name.casefold(), row.entry))


def _figures(
    board: Board, sides: Sequence[Side]
) -> Iterator[tuple[tables.Column, bool, list[Cell]]]:
    """Every column any of them has a figure for, groups before their categories."""
    leaves = set(board.categories)
    for column in tables.every_column(board):
        figures = [board.figure(side.row, column.key) for side in sides]
        if any(figure is not None and figure.value is not None for figure in figures):
            cells = [
                Cell(side, figure, _difference(board, column.key, sides[0], side))
                for side, figure in zip(sides, figures, strict=True)
            ]
            yield column, column.key not in leaves, cells


def _difference(board: Board, name: str, first: Side, side: Side) -> Difference | None:
    if first is side:
        return None
    return comparing.difference(board, name, (side.row, first.row), (side.known, first.known))


def _profile(board: Board, sides: Sequence[Side]) -> dict[str, Any]:
    series = [
        charts.Series(
            side.name,
            {
                name: figure
                for name in board.categories
                if (figure := board.figure(side.row, name)) is not None
            },
        )
        for side in sides
    ]
    asked = [name for name in board.categories if any(name in one.figures for one in series)]
    titles = {name: board.nodes[name].title for name in asked}
    height = charts.profile_height(len(titles))
    return {"figure": charts.profile(titles, series), "height": height}


def _cases(request: HttpRequest, sides: Sequence[Side], benchmark: Benchmark) -> dict[str, Any]:
    """For two of them with samples: the cases on which they agree, and those they do not."""
    sampled = [side for side in sides if side.known]
    if len(sampled) < 2 or not policy.may_see_cases(request.user, benchmark):
        return {"unsampled": [side for side in sides if not side.known]}
    first = sampled[0]
    against = next(
        (one for one in sampled[1:] if str(one.row.entry) == request.GET.get("against")),
        sampled[1],
    )
    found = comparing.table(first.known, against.known)
    kind = request.GET.get("cases", "first")
    kind = kind if kind in KINDS else "first"
    keys: list[int] = getattr(found, KINDS[kind])
    page = Paginator(keys, CASES_PER_PAGE).get_page(request.GET.get("page"))
    cases = Case.objects.filter(pk__in=list(page)).select_related("category")
    entries = [("entry", side.row.entry) for side in sides]
    return {
        "table": found,
        "first": first,
        "against": against,
        "rivals": [
            (side, urlencode([*entries, ("against", side.row.entry)])) for side in sampled[1:]
        ],
        "kind": kind,
        "page": page,
        "cases": cases.defer("question", "answer").order_by("category__position", "position"),
        "unsampled": [side for side in sides if not side.known],
        "here": urlencode([*entries, ("against", against.row.entry)]),
        "counts": _counts(found),
    }


def _counts(found: Table) -> dict[str, int]:
    return {kind: len(getattr(found, name)) for kind, name in KINDS.items()}
