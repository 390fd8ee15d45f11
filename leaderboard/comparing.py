"""Two entries side by side: how far their figures differ, and on which cases.

Differences are paired where both answered the same cases, unpaired otherwise. Fractions in [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import comb, sqrt
from statistics import NormalDist

from evaluation.models import Verdict
from leaderboard.boards import Board, Row
from leaderboard.intervals import LEVEL, Interval, Z
from leaderboard.paired import variance_of_difference
from leaderboard.ranking import leaf_weights

NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Answers:
    """The cases of one category an entry was judged on, by primary key, and those it got right."""

    asked: set[int] = field(default_factory=set)
    right: set[int] = field(default_factory=set)


ByCategory = Mapping[str, Answers]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first entry's figure minus the other's, with its 95 % interval and a two-sided p."""

    value: float
    interval: Interval
    p: float
    is_paired: bool

    @property
    def is_clear(self) -> bool:
        return self.p < 1 - LEVEL


@dataclass(frozen=True, slots=True)
class Table:
    """Cases both were judged on: how many each got right, by primary key."""

    both: list[int]
    only_first: list[int]
    only_second: list[int]
    neither: list[int]

    @property
    def n(self) -> int:
        return sum(map(len, (self.both, self.only_first, self.only_second, self.neither)))


def answers(
    runs: Iterable[int], scorings: Mapping[int, int] | None = None
) -> dict[int, dict[str, Answers]]:
    """By run and category, as the scoring named for each run has it, else its current one.

    One query.
    """
    judged = (Verdict.Outcome.CORRECT, Verdict.Outcome.WRONG)
    verdicts = Verdict.objects.filter(outcome__in=judged)
    if scorings is None:
        verdicts = verdicts.filter(scoring__run__in=list(runs), scoring__is_current=True)
    else:
        shown = [scorings[run] for run in runs if run in scorings]
        verdicts = verdicts.filter(scoring__in=shown)
    found: dict[int, dict[str, Answers]] = {}
    rows = verdicts.order_by("case").values_list(
        "scoring__run", "case__category__name", "case", "outcome"
    )
    for run, category, case, outcome in rows:
        one = found.setdefault(run, {}).setdefault(category, Answers())
        one.asked.add(case)
        if outcome == Verdict.Outcome.CORRECT:
            one.right.add(case)
    return found


def difference(
    board: Board, name: str, rows: tuple[Row, Row], known: tuple[ByCategory, ByCategory]
) -> Difference | None:
    """How far two rows differ in a column; None where either has no figure there."""
    first, second = (board.figure(row, name) for row in rows)
    if first is None or second is None or first.value is None or second.value is None:
        return None
    value = first.value - second.value
    node = board.node(name)
    weights = leaf_weights(node) if node is not None else board.runnable
    if all(_shares(board, rows, known, leaf) for leaf in weights):
        pairs = {leaf: _differing(board, known, leaf) for leaf in weights}
        spread = sum(w * w * variance_of_difference(*pairs[leaf]) for leaf, w in weights.items())
        is_single = len(pairs) == 1
        p = _mcnemar(*next(iter(pairs.values()))) if is_single else _p(value, spread)
        return Difference(value, _around(value, spread), p, is_paired=True)
    if first.variance is None or second.variance is None:
        return None
    spread = first.variance + second.variance
    return Difference(value, _around(value, spread), _p(value, spread), is_paired=False)


def _around(value: float, spread: float) -> Interval:
    margin = Z * sqrt(spread)
    return max(-1.0, value - margin), min(1.0, value + margin)


def _p(value: float, spread: float) -> float:
    return 2 * (1 - NORMAL.cdf(abs(value) / sqrt(spread))) if spread > 0 else 1.0


def _shares(
    board: Board, rows: tuple[Row, Row], known: tuple[ByCategory, ByCategory], leaf: str
) -> bool:
    """As for rank ranges: both were asked every case of the category that counts."""
    scores = [row.scores.get(leaf) for row in rows]
    are_judged = all(leaf in one for one in known)
    return are_judged and all(score and score.n == board.sizes.get(leaf) for score in scores)


def _differing(
    board: Board, known: tuple[ByCategory, ByCategory], leaf: str
) -> tuple[int, int, int]:
    """Cases only the first got right, only the second, and all; without a verdict: not right."""
    first, second = (one[leaf].right for one in known)
    return len(first - second), len(second - first), board.sizes[leaf]


def _mcnemar(only_first: int, only_second: int, n: int) -> float:
    """Exact, two-sided: of the cases on which they differ, half are expected on either side."""
    total, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(total, count) for count in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << total))


def table(one: ByCategory, other: ByCategory) -> Table:
    """The cases both were judged on, in the order of their primary keys."""
    first = {case for each in one.values() for case in each.asked}
    second = {case for each in other.values() for case in each.asked}
    right = {case for each in one.values() for case in each.right}
    also = {case for each in other.values() for case in each.right}
    cases = first & second
    return Table(
        both=sorted(cases & right & also),
        only_first=sorted((cases & right) - also),
        only_second=sorted((cases & also) - right),
        neither=sorted(cases - right - also),
    )
