"""How sure a figure is, and which figures can be told apart. Pure; fractions in [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from evaluation.engine.stats import Z_95 as Z
from evaluation.engine.stats import wilson

LEVEL = 0.95  # of every interval and every family of comparisons
TIE = 1e-9  # figures closer than this are the same figure

Interval = tuple[float, float]

__all__ = [
    "LEVEL",
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


def variance(share: float, n: int) -> float:
    """Variance of a proportion, with two right and two wrong answers added.

    Without them a category answered all right or all wrong would count as known exactly.
    Source: A. Agresti, B. A. Coull (1998), The American Statistician 52(2), pp. 119–126.
    """
    smoothed = (share * n + 2) / (n + 4)
    return smoothed * (1 - smoothed) / (n + 4)


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
