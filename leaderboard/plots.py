"""What the plots of a board show: points, the front among them, faults, figures over time.

Pure, but for `faults`, which counts in the database. Charts and the tables behind them are made
from the same values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count

from evaluation.models import CategoryScore, PublishedRow, Verdict
from leaderboard.boards import OVERALL, Board, Row, Standing
from leaderboard.ranking import Figure, Score, average, leaf_weights
from leaderboard.samples import fault_in_words

ENTRIES_COMPARED = 12  # in charts with a row for each entry
LINES = 8  # as many as there are colours


@dataclass(frozen=True, slots=True)
class Point:
    """An entry in a plot of its main figure against what it costs or how long it takes."""

    row: Row
    x: float
    figure: Figure
    value: float
    is_on_front: bool


def points(board: Board, main: str, rows: Iterable[Row], fact: str) -> list[Point]:
    """The rankable entries with a known `fact` ("cost" or "latency"), the lowest of it first.

    On the front is whom no other entry beats: none has at least as much of the figure for less,
    or more of it for the same.
    """
    known = sorted(_known(board, main, rows, fact), key=lambda one: (one[1], -one[3]))
    found: list[Point] = []
    best = -1.0
    for row, x, figure, value in known:
        found.append(Point(row, x, figure, value, value > best))
        best = max(best, value)
    return found


def _known(
    board: Board, main: str, rows: Iterable[Row], fact: str
) -> Iterator[tuple[Row, float, Figure, float]]:
    for row in rows:
        x: float | None = getattr(row, fact)
        figure = board.figure(row, main)
        if row.is_rankable and x and x > 0 and figure is not None and figure.value is not None:
            yield row, x, figure, figure.value


def labels(rows: Sequence[Row]) -> dict[int, str]:
    """What to call each entry beside its dot; a model with several also by mode."""
    often = Counter(row.name for row in rows)
    return {
        row.entry: f"{row.name} ({row.mode_title})" if often[row.name] > 1 else row.name
        for row in rows
    }


@dataclass(frozen=True, slots=True)
class Failing:
    """An entry and its wrong answers by fault: how many of the `n` cases asked."""

    row: Row
    n: int
    counts: Mapping[str, int]

    def share(self, fault: str) -> float:
        return self.counts.get(fault, 0) / self.n if self.n else 0.0

    @property
    def wrong(self) -> int:
        return sum(self.counts.values())


def faults(board: Board, standings: Sequence[Standing]) -> tuple[dict[str, str], list[Failing]]:
    """Faults with their titles, the most frequent first, and the first entries with a run.

    As the scorings have them that the board shows.
    """
    rows = [one.row for one in standings if one.row.run is not None][:ENTRIES_COMPARED]
    shown = {row.run for row in rows}
    verdicts = Verdict.objects.filter(
        scoring__in=[scoring for run, scoring in board.scorings.items() if run in shown],
        outcome=Verdict.Outcome.WRONG,
    )
    counted = verdicts.order_by().values_list("scoring__run", "fault").annotate(Count("pk"))
    by_run: dict[int, dict[str, int]] = {}
    totals: dict[str, int] = {}
    for run, fault, count in counted:
        by_run.setdefault(run, {})[fault] = count
        totals[fault] = totals.get(fault, 0) + count
    ordered = sorted(totals, key=lambda fault: (-totals[fault], fault))
    titles = {fault: fault_in_words(fault) for fault in ordered}
    return titles, [Failing(row, row.n, by_run.get(row.run or 0, {})) for row in rows]


@dataclass(frozen=True, slots=True)
class Past:
    """One entry's figure in one published snapshot."""

    day: date
    value: float


def past(board: Board, name: str, standings: Iterable[Standing]) -> list[tuple[Row, list[Past]]]:
    """The first published entries with at least two snapshots by then, in the order given."""
    rows = {one.row.entry: one.row for one in standings if one.row.run is None}
    found = _printed(rows) if name == OVERALL else _from_categories(board, name, rows)
    by_then = {
        entry: [one for one in moments if board.as_of is None or one.day <= board.as_of]
        for entry, moments in found.items()
    }
    several = [(rows[entry], by_then[entry]) for entry in rows if len(by_then.get(entry, ())) > 1]
    return several[:LINES]


def _printed(entries: Iterable[int]) -> dict[int, list[Past]]:
    """Overall as the benchmark's own team printed it."""
    rows = PublishedRow.objects.filter(entry__in=list(entries), overall__isnull=False)
    found: dict[int, list[Past]] = {}
    for entry, day, value in rows.order_by("snapshot__date").values_list(
        "entry", "snapshot__date", "overall"
    ):
        found.setdefault(entry, []).append(Past(day, value or 0.0))
    return found


def _from_categories(board: Board, name: str, entries: Iterable[int]) -> dict[int, list[Past]]:
    """A group's or category's figure, computed from each snapshot's categories."""
    node = board.node(name)
    weights = leaf_weights(node) if node is not None else board.runnable
    scores = CategoryScore.objects.filter(
        entry__in=list(entries), snapshot__isnull=False, category__name__in=list(weights)
    )
    by_day: dict[tuple[int, date], dict[str, Score]] = {}
    for entry, day, category, n, accuracy in scores.order_by("snapshot__date").values_list(
        "entry", "snapshot__date", "category__name", "n", "accuracy"
    ):
        by_day.setdefault((entry or 0, day), {})[category] = Score(n, accuracy)
    found: dict[int, list[Past]] = {}
    for (entry, day), known in by_day.items():
        value = average(weights, known, board.sizes).value
        if value is not None:
            found.setdefault(entry, []).append(Past(day, value))
    return found
