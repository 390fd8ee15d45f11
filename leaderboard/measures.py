"""Means of what a benchmark measures on answers that are neither right nor wrong: a footnote."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Avg, Count

from evaluation.benchmarks import profiles_of, suite
from evaluation.benchmarks.suite import Measure
from evaluation.models import Run, Verdict
from leaderboard.boards import Board, Row


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean over one category's answers, as many as there are of those it has."""

    title: str
    mean: float
    measured: int
    n: int


@dataclass(frozen=True, slots=True)
class Footnote:
    """How a figure is found, and the figures of each row that has any."""

    measure: Measure
    lines: list[tuple[Row, list[Figure]]]


def of_run(run: Run, profile: str) -> tuple[Measure, list[Figure]] | None:
    """The figures of one run, in the profile whose footnote they are."""
    measure = _measure(run.entry.benchmark.suite, profile)
    figures = _figures([run.pk]).get(run.pk) if measure else None
    return (measure, figures) if measure and figures else None


def of_board(board: Board) -> Footnote | None:
    """The figures of every row that has any, in the profile whose footnote they are."""
    measure = _measure(board.benchmark.suite, board.profile)
    if measure is None:
        return None
    figures = _figures([row.run for row in board.rows if row.run])
    lines = [(row, figures[row.run]) for row in board.rows if row.run and row.run in figures]
    return Footnote(measure, lines) if lines else None


def _measure(slug: str, profile: str) -> Measure | None:
    known = suite(slug).measure if profile and profiles_of(slug) else None
    return known if known and known.profile == profile else None


def _figures(runs: Collection[int]) -> dict[int, list[Figure]]:
    """By run, categories in their own order; of the newest scoring that has any.

    A measure hangs on the answer alone: the judging that comes with the run finds it, and judging
    again leaves it out like every case that is out of n.
    """
    measured = Verdict.objects.filter(
        scoring__run__in=runs, outcome=Verdict.Outcome.EXCLUDED, measure__isnull=False
    )
    category = "case__category__"
    rows = (
        measured.values_list("scoring__run", "scoring", f"{category}title", f"{category}n")
        .annotate(mean=Avg("measure"), count=Count("pk"))
        .order_by("scoring", f"{category}position")
    )
    found: dict[tuple[int, int], list[Figure]] = {}
    for run, scoring, title, n, mean, count in rows:
        found.setdefault((run, scoring), []).append(Figure(title, mean, count, n))
    return {run: figures for (run, _), figures in found.items()}
