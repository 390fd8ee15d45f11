"""How sure a figure is, and which figures can be told apart. Pure; fractions in [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from evaluation.engine.stats import Z_95 as Z
from evaluation.engine.stats import wilson
from leaderboard.methods import Method

LEVEL = 0.95  # of every interval and every family of comparisons
TIE = 1e-9  # figures closer than this are the same figure
ADDED = 2  # right answers, and as many wrong ones, added to a category before its variance

Interval = tuple[float, float]

__all__ = [
    "ADDED",
    "LEVEL",
    "METHODS",
    "TIE",
    "Comparisons",
    "Interval",
    "Z",
    "around",
    "tie_groups",
    "variance",
    "variance_of_average",
    "wilson",
]


WILSON = Method(
    "Wilson",
    "(p + z² ÷ (2·n) ± z·√(p·(1 − p) ÷ n + z² ÷ (4·n²))) ÷ (1 + z² ÷ n)",
    [("p", "correct ÷ n"), ("z", f"{Z:.3f}")],
    "A category is a proportion: the Wilson score interval.",
    "E. B. Wilson (1927), J. Am. Stat. Assoc. 22(158), pp. 209–212",
)
MEAN = Method(
    "Mean of categories",
    "M ± z·√(Σ(w²·v))",
    [
        ("v", f"q·(1 − q) ÷ (n + {2 * ADDED})"),
        ("q", f"(correct + {ADDED}) ÷ (n + {2 * ADDED})"),
        ("z", f"{Z:.3f}"),
    ],
    "A group or Overall is a weighted mean of categories taken as independent: its variance is the"
    " sum of weight² × each category’s (delta method). To each category as many right as wrong"
    " answers are added first, so that a perfect score is not taken for certainty.",
    "A. Agresti, B. A. Coull (1998), The American Statistician 52(2), pp. 119–126",
)


def variance(share: float, n: int) -> float:
    """Variance of a proportion, with two right and two wrong answers added.

    Without them a category answered all right or all wrong would count as known exactly.
    Source: A. Agresti, B. A. Coull (1998), The American Statistician 52(2), pp. 119–126.
    """
    smoothed = (share * n + ADDED) / (n + 2 * ADDED)
    return smoothed * (1 - smoothed) / (n + 2 * ADDED)


def variance_of_average(weights: Mapping[str, float], variances: Mapping[str, float]) -> float:
    """Variance of a weighted mean of independent categories: Σ w²·var (delta method)."""
    return sum(weight * weight * variances[name] for name, weight in weights.items())


def around(value: float, spread: float) -> Interval:
    """Normal interval around an average whose variance is `spread`, cut to [0, 1]."""
    margin = Z * sqrt(spread)
    return max(0.0, value - margin), min(1.0, value + margin)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What one figure's tests against all others say.

    `better` and `worse` count the figures that can be told apart from it; `apart_below` is the
    highest value among the worse ones (None: there is none). `is_paired` is true where at least
    one of the tests was over the same cases.
    """

    better: int
    worse: int
    apart_below: float | None
    is_paired: bool = False

    def span(self, count: int) -> tuple[int, int]:
        """Range of ranks among `count` figures that the data cannot rule out."""
        return 1 + self.better, count - self.worse


RANGE = Method(
    "Range",
    "1 + better … N − worse",
    words="Of N ranked entries, better and worse are those the tests tell apart from this one.",
)
METHODS = (WILSON, MEAN)


def tie_groups(values: Sequence[float]) -> list[int]:
    """For values in falling or rising order: the number of the tie group of each, from 0."""
    groups: list[int] = []
    first = None
    for value in values:
        if first is None or abs(value - first) >= TIE:
            first = value
            groups.append(groups[-1] + 1 if groups else 0)
        else:
            groups.append(groups[-1])
    return groups
