"""How scores are made, generated from the tables that make them: words and code cannot part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.benchmarks.categories import Category, Group, Mean, Node
from evaluation.client import errors, limits
from evaluation.engine.outcomes import FULL_COVERAGE
from evaluation.models import Benchmark
from leaderboard import changelog, intervals, loading, pages, paired, profiles, tables
from leaderboard.boards import Board
from leaderboard.ranking import leaf_weights, member_weights
from leaderboard.views.home import first_benchmark

MEANS = {
    Mean.PLAIN: "the plain mean of its members",
    Mean.BY_CASES: "the mean of its members, each counting by its number of cases",
    Mean.WEIGHTED: "the weighted mean of its members",
}


@dataclass(frozen=True, slots=True)
class Formula:
    """One group of a tree and how its figure is made: (title, weight) of each member."""

    title: str
    mean: str
    members: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Weighed:
    """One category: its size and what it weighs in Overall and in Overall (runnable)."""

    name: str
    title: str
    n: int
    overall: float
    runnable: float | None
    unavailable: str  # why this board does not run it; empty if it does
    is_run: bool
    is_extra: bool  # off unless asked for


@require_safe
@pages.shared
def methodology(request: HttpRequest) -> HttpResponse:
    """Every formula, weight and rule behind the figures of this site."""
    benchmark = first_benchmark()
    board = loading.current(benchmark, pages.version_of(request)) if benchmark else None
    context: dict[str, Any] = {
        "benchmark": benchmark,
        "board": board,
        "formulas": list(_formulas(board.tree)) if board else [],
        "categories": list(_categories(board)) if board else [],
        "troubles": errors.TABLE,
        "no_response": errors.NO_RESPONSE,
        "no_response_effect": errors.TroubleKind.TRANSIENT.effect.value,
        "attempts": limits.MAX_ATTEMPTS,
        "first_wait": limits.FIRST_WAIT,
        "level": intervals.LEVEL,
        "methods": intervals.METHODS,
        "tests": paired.METHODS,
        "small": tables.SMALL,
        "full_coverage": FULL_COVERAGE,
        "abouts": list(profiles.abouts()),
        "not_loaded": profiles.not_loaded(),
        "versions": Benchmark.objects.order_by("suite", "-created_at", "pk"),
        "changes": changelog.changes(),
    }
    return render(request, "leaderboard/methodology.html", context)


def _formulas(node: Node) -> Iterator[Formula]:
    """Every group from the root down."""
    if not isinstance(node, Group):
        return
    weights = zip(node.members, member_weights(node), strict=True)
    yield Formula(
        node.title, MEANS[node.mean], [(member.title, weight) for member, weight in weights]
    )
    for member in node.members:
        yield from _formulas(member)


def _categories(board: Board) -> Iterator[Weighed]:
    weights = leaf_weights(board.tree)
    for name in board.categories:
        leaf = board.nodes[name]
        assert isinstance(leaf, Category)
        unavailable = board.unavailable.get(name, leaf.unavailable)
        yield Weighed(
            name=name,
            title=leaf.title,
            n=board.sizes.get(name, leaf.cases),
            overall=weights.get(name, 0.0),
            runnable=board.runnable.get(name),
            unavailable=unavailable,
            is_run=name in board.benchmark.runnable or not (name in weights or unavailable),
            is_extra=leaf.is_extra,
        )
