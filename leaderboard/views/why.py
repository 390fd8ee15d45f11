"""What is this number? One figure taken apart: formula, inputs, n, coverage, versions, source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.benchmarks.categories import Category, Group
from evaluation.models import Entry, Scoring
from leaderboard import comparing, flat, loading, pages
from leaderboard.boards import OVERALL, RUNNABLE, Board, Row, Standing
from leaderboard.ranking import Figure, category_figure, leaf_weights, member_weights

NEIGHBOURS = 8  # on either side of a rank


@dataclass(frozen=True, slots=True)
class Part:
    """One addend of an average: `name` is where its own page lives."""

    name: str
    title: str
    figure: Figure | None
    weight: float

    @property
    def points(self) -> float | None:
        """Its share of the sum; a missing member gives none."""
        value = self.figure.value if self.figure else None
        return None if value is None else value * self.weight


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another entry compared with the one in question; no difference where one has no variance."""

    standing: Standing
    value: float
    difference: comparing.Difference | None


@require_safe
@pages.shared
def score(request: HttpRequest, entry: int, name: str) -> HttpResponse:
    """One figure of one entry."""
    board, row = _find(request, entry)
    title = _title(board, name)
    figure = board.figure(row, name)
    if title is None or figure is None:
        raise Http404
    node = None if name == RUNNABLE else board.node(name)
    context = {
        "board": board,
        "row": row,
        "name": name,
        "title": title,
        "figure": figure,
        "parts": list(_parts(board, row, name)),
        "is_category": isinstance(node, Category),
        "is_runnable": name == RUNNABLE,
        "left_out": _left_out(board) if name == RUNNABLE else {},
        "missing": [board.nodes[one].title for one in figure.missing if one in board.nodes],
        "counted": _counted(board, name),
        "score": row.scores.get(name),
        "ceiling": board.ceilings.get(name),
        "reached": flat.ceiling(board.ceilings, name),
        "note": board.notes.get(name, ""),
        "scoring": _scoring(board, row),
    }
    return _answer(request, "score", context)


@require_safe
@pages.shared
def rank(request: HttpRequest, entry: int) -> HttpResponse:
    """The rank of one entry in a view (Overall unless ?view= names another), and its tests."""
    board, row = _find(request, entry)
    asked = request.GET.get("view", OVERALL)
    view = asked if asked in board.nodes else OVERALL
    main = board.main(view)
    standings = board.standings(view)
    standing = standings[row.entry]
    context = {
        "board": board,
        "row": row,
        "standing": standing,
        "figure": board.figure(row, main),
        "title": _title(board, main),
        "count": sum(one.place is not None for one in standings.values()),
        "neighbours": _neighbours(board, main, row, standings),
    }
    return _answer(request, "rank", context)


def _find(request: HttpRequest, entry: int) -> tuple[Board, Row]:
    """The entry on its board, judged as ?profile= says, on the day that ?as_of= says."""
    found = get_object_or_404(Entry.objects.select_related("benchmark"), pk=entry)
    which = loading.asked(request.GET, found.benchmark)
    board = loading.current(found.benchmark, pages.version_of(request), which)
    row = next((row for row in board.rows if row.entry == entry), None)
    if row is None:  # nothing of it is published
        raise Http404
    return board, row


def _scoring(board: Board, row: Row) -> Scoring | None:
    """The judging that the board's figures come from."""
    scorings = Scoring.objects.filter(run=row.run)
    if row.run is not None and row.run in board.scorings:
        return scorings.filter(pk=board.scorings[row.run]).first()
    return scorings.filter(is_current=True).first()


def _answer(request: HttpRequest, what: str, context: dict[str, Any]) -> HttpResponse:
    """The drawer's content for htmx, the same on a page of its own for everybody else."""
    context["fragment"] = f"leaderboard/_why_{what}.html"
    is_fragment = bool(request.headers.get("HX-Request"))
    name = context["fragment"] if is_fragment else "leaderboard/why.html"
    return render(request, name, context | {"is_drawer": is_fragment})


def _title(board: Board, name: str) -> str | None:
    if name == RUNNABLE:
        return "Overall (runnable)"
    node = board.node(name)
    if node is None:
        return None
    return "Overall" if node is board.tree else node.title


def _parts(board: Board, row: Row, name: str) -> Iterator[Part]:
    """The members of a group with their weights; of the runnable Overall, its categories."""
    if name == RUNNABLE:
        for leaf, weight in board.runnable.items():
            title = board.nodes[leaf].title if leaf in board.nodes else leaf
            yield Part(leaf, title, category_figure(leaf, row.scores.get(leaf)), weight)
        return
    node = board.node(name)
    if isinstance(node, Group):
        for member, weight in zip(node.members, member_weights(node), strict=True):
            yield Part(member.name, member.title, board.figure(row, member.name), weight)


def _counted(board: Board, name: str) -> str:
    """Which cases stand behind a figure, in words."""
    node = None if name == RUNNABLE else board.node(name)
    if isinstance(node, Category):
        return "all of this category"
    members = board.runnable if node is None else leaf_weights(node)
    what = "this board can run" if node is None else "it is made of"
    words = f"all of the {len(members)} categories {what}"
    if node is not board.tree and node is not None:
        return words
    beside = [
        f"{extra.title} ({board.sizes[extra.name]:,})"
        for extra in board.extras
        if not extra.is_extra and board.sizes.get(extra.name)
    ]
    return f"{words}; reported beside it: {', '.join(beside)}" if beside else words


def _left_out(board: Board) -> Mapping[str, str]:
    """Categories outside Overall (runnable), each with why."""
    outside = (name for name in board.leaves if name not in board.runnable)
    return {board.nodes[name].title: board.unavailable.get(name, "") for name in outside}


def _neighbours(
    board: Board, main: str, row: Row, standings: Mapping[int, Standing]
) -> Sequence[Neighbour]:
    """The ranked entries around one, each with the test against it (two-sided)."""
    own = standings[row.entry]
    figure = board.figure(row, main)
    if own.place is None or figure is None or figure.value is None:
        return ()
    ranked = sorted(
        (one for one in standings.values() if one.place is not None),
        key=lambda one: (one.place.rank if one.place else 0, one.row.tie_break),
    )
    at = ranked.index(own)
    around = ranked[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
    runs = [one.row.run for one in around if one.row.run is not None]
    known = comparing.answers(runs, board.scorings)
    return [_compared(board, main, own, other, known) for other in around if other is not own]


def _compared(
    board: Board,
    main: str,
    own: Standing,
    other: Standing,
    known: Mapping[int, comparing.ByCategory],
) -> Neighbour:
    figure = board.figure(other.row, main)
    answers = known.get(own.row.run or 0, {}), known.get(other.row.run or 0, {})
    found = comparing.difference(board, main, (own.row, other.row), answers)
    return Neighbour(other, (figure.value if figure else None) or 0.0, found)
