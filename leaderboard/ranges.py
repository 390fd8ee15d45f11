"""Rank ranges of a board: found once for what the board holds, then kept for every process.

The answers of entries that share cases are read only when a range is not kept yet, in one query.
Where that would keep a reader waiting, a worker finds the ranges: until then they rest on shares
and numbers of cases alone, and say so.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.core.cache import cache
from numpy.typing import NDArray

from evaluation.models import Verdict
from leaderboard import paired
from leaderboard.boards import Compared, Row
from leaderboard.intervals import Comparisons
from leaderboard.pages import build

KEEP = 7 * 24 * 60 * 60  # seconds; another state of the board has another key
AT_ONCE = 100_000  # verdicts that are read while a reader waits: a few tenths of a second
ASK_AGAIN = 60  # seconds until a worker is asked once more
Known = Mapping[str, tuple[list[int], paired.Agreement]]


class Ranges:
    """Compares the entries of one board, by what their figures weigh."""

    def __init__(
        self,
        rows: Sequence[Row],
        sizes: Mapping[str, int],
        scorings: Mapping[int, int],
        ask: Callable[[], None] | None = None,
    ) -> None:
        """What the board holds, and how to leave the finding to a worker.

        Args:
            rows: Every entry.
            sizes: Category → n.
            scorings: Run → the scoring that is shown of it.
            ask: Asks a worker to find the ranges of this board; without it, whoever asks waits.
        """
        self.rows, self.sizes, self.scorings, self.ask = rows, sizes, scorings, ask

    def __call__(
        self,
        weights: Mapping[str, float],
        entries: Sequence[int],
        values: Sequence[float],
        variances: Sequence[float],
    ) -> Compared:
        """Each entry's comparisons with all others, in the order given."""
        what = repr((sorted(weights.items()), list(entries)))
        key = f"ranges:{hashlib.sha256(f'{self.holding} {what}'.encode()).hexdigest()}"
        kept: list[Comparisons] | None = cache.get(key)
        if kept is not None:
            return Compared(kept)
        if self.ask is not None and self.answers > AT_ONCE:
            self._ask_once(self.ask)
            return Compared(paired.compare(values, variances), is_final=False)
        shared = paired.shared_of(entries, weights, self.known)
        found = paired.compare(values, variances, shared)
        cache.set(key, found, KEEP)
        return Compared(found)

    def _ask_once(self, ask: Callable[[], None]) -> None:
        """However many readers come; without a cache to find the answer in, nobody is asked."""
        if cache.add(f"ranges-asked:{self.holding}", 1, ASK_AGAIN):
            ask()

    @property
    def answers(self) -> int:
        """How many verdicts the ranges rest on; none where no two entries have any."""
        counts = [row.n for row in self.rows if row.run is not None]
        return sum(counts) if len(counts) > 1 else 0

    @cached_property
    def holding(self) -> str:
        """A digest of everything ranges depend on: entries, scorings, counts, this program."""
        rows = [(row.entry, row.run, row.printed, sorted(row.scores.items())) for row in self.rows]
        scorings = sorted(self.scorings.values())
        return hashlib.sha256(f"{build()} {rows!r} {scorings}".encode()).hexdigest()

    @cached_property
    def known(self) -> Known:
        """By category: the entries that were asked all of its cases, and how far they agree.

        A case without a verdict counts as not right, as it does in the ranked figure; one that an
        erratum takes out of n counts for nobody.
        """
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
    runs: Sequence[int], scorings: Mapping[int, int]
) -> dict[tuple[int | None, str], NDArray[np.int64]]:
    """The cases each run got right, by run and category, in one query."""
    shown = [scorings[run] for run in runs if run in scorings]
    rows = (
        Verdict.objects.filter(scoring__in=shown, outcome=Verdict.Outcome.CORRECT)
        .order_by()
        .values_list("scoring__run", "case__category__name")
        .annotate(cases=ArrayAgg("case_id"))
    )
    return {(run, name): np.array(cases, np.int64) for run, name, cases in rows}
