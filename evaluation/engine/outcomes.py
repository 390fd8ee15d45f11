"""What became of a case, and the counts that follow from it.

A model's bad answer is *wrong*. Endpoint trouble is *unscored*: neither right nor wrong. A case
nobody has asked yet has no outcome at all (*not run*). Only `correct / n` is ever ranked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FULL_COVERAGE = 0.99  # from this share of scored cases on, a category ranks


class Outcome(StrEnum):
    CORRECT = "correct"
    WRONG = "wrong"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one category: `n` all its cases, of which some are scored, unscored or not run."""

    n: int
    correct: int = 0
    wrong: int = 0
    unscored: int = 0

    @property
    def scored(self) -> int:
        return self.correct + self.wrong

    @property
    def not_run(self) -> int:
        return self.n - self.scored - self.unscored

    @property
    def coverage(self) -> float:
        """Share of cases with a verdict, in [0, 1]."""
        return self.scored / self.n if self.n else 0.0

    @property
    def accuracy(self) -> float | None:
        """Lower bound, correct ÷ all n, in [0, 1]; None when no case is scored."""
        return self.correct / self.n if self.scored else None

    @property
    def upper_bound(self) -> float | None:
        """What the accuracy would be if every missing case were right; None when unknown."""
        return (self.n - self.wrong) / self.n if self.scored else None

    @property
    def is_ranked(self) -> bool:
        """True when enough is scored for the figure to be compared with others."""
        missing = self.n - self.scored
        return self.scored > 0 and (self.coverage >= FULL_COVERAGE or missing <= 1)
