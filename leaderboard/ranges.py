"""Rank ranges of a board: found once for what the board holds, then kept for every process.

The answers of entries that share cases are read at most once in a process, and only when a range
is not kept yet: what a reader waits for after a publication is one query over the verdicts.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.core.cache import cache
from django.db.models import Q
from numpy.typing import NDArray

from evaluation.models import Scoring, Verdict
from leaderboard import paired
from leaderboard.boards import Row
from leaderboard.intervals import Comparisons
from leaderboard.pages import build

KEEP = 7 * 24 * 60 * 60  # seconds; another state of the board has another key
Known = Mapping[str, tuple[list[int], paired.Agreement]]


class Ranges:
    """Compares the entries of one board, by what their figures weigh."""

    def __init__(
        self, rows: Sequence[Row], sizes: Mapping[str, int], scorings: Collection[int] = ()
    ) -> None:
        """`scorings` are those that the rows show; by default every run's current one."""
        self.rows, self.sizes, self.scorings = rows, sizes, scorings

    def __call__(
        self,
        weights: Mapping[str, float],
        entries: Sequence[int],
        values: Sequence[float],
        variances: Sequence[float],
    ) -> list[Comparisons]:
        """Each entry's comparisons with all others, in the order given."""

        def find() -> list[Comparisons]:
            shared = paired.shared_of(entries, weights, self.known)
            return paired.compare(values, variances, shared)

        return self._kept(repr((sorted(weights.items()), list(entries))), find)

    def _kept(self, what: str, find: Callable[[], list[Comparisons]]) -> list[Comparisons]:
        key = f"ranges:{hashlib.sha256(f'{self.holding} {what}'.encode()).hexdigest()}"
        found: list[Comparisons] | None = cache.get(key)
        if found is None:
            found = find()
            cache.set(key, found, KEEP)
        return found

    @cached_property
    def holding(self) -> str:
        """A digest of everything ranges depend on: entries, scorings, counts, this program."""
        rows = [(row.entry, row.run, row.printed, sorted(row.scores.items())) for row in self.rows]
        current = Scoring.objects.filter(
            is_current=True, run__in=[row[1] for row in rows if row[1]]
        )
        scorings = sorted(self.scorings or current.values_list("pk", flat=True))
        return hashlib.sha256(f"{build()} {rows!r} {scorings}".encode()).hexdigest()

    @cached_property
    def known(self) -> Known:
        """By category: the entries that were asked all of its cases, and how far they agree."""
        runs = {row.run: row for row in self.rows if row.run is not None}
        if len(runs) < 2:
            return {}
        right = _right_cases(list(runs), self.scorings)
        sharing: dict[str, list[Row]] = defaultdict(list)
        for row in runs.values():
            for name, score in row.scores.items():
                if score.n == self.sizes.get(name):
                    sharing[name].append(row)
        return {
            name: ([row.entry for row in rows], self._agreement(name, rows, right))
            for name, rows in sharing.items()
            if len(rows) > 1
        }

    def _agreement(
        self, name: str, rows: Sequence[Row], right: Mapping[tuple[int | None, str], Any]
    ) -> paired.Agreement:
        nothing: NDArray[np.int64] = np.empty(0, np.int64)
        answers = [right.get((row.run, name), nothing) for row in rows]
        return paired.agreement(answers, self.sizes[name])


def _right_cases(
    runs: Sequence[int], scorings: Collection[int]
) -> dict[tuple[int | None, str], NDArray[np.int64]]:
    """The cases each run got right, by run and category, in one query."""
    shown = Q(scoring__in=scorings) if scorings else Q(scoring__is_current=True)
    rows = (
        Verdict.objects.filter(shown, scoring__run__in=runs, outcome=Verdict.Outcome.CORRECT)
        .order_by()
        .values_list("scoring__run", "case__category__name")
        .annotate(cases=ArrayAgg("case_id"))
    )
    return {(run, name): np.array(cases, np.int64) for run, name, cases in rows}
