"""How sure a figure is, and which figures can be told apart. Pure; fractions in [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

LEVEL = 0.95  # of every interval and every family of comparisons
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)  # standard normal quantile, two-sided
TIE = 1e-9  # figures closer than this are the same figure

Interval = tuple[float, float]


def wilson(share: float, n: int) -> Interval:
    """Wilson score interval of a proportion: `share` of `n` cases were right.

    Unlike share ± z·sqrt(share·(1 − share)/n) it neither leaves [0, 1] nor collapses near its
    ends. Source: E. B. Wilson (1927), J. Am. Stat. Assoc. 22(158), pp. 209–212.

    Raises:
        ValueError: `n` is below 1 or `share` is no fraction.
    """
    if n < 1 or not 0 <= share <= 1:
        raise ValueError(f"{share} of {n} cases is not an accuracy")
    weight = Z * Z / n
    centre = (share + weight / 2) / (1 + weight)
    margin = Z * sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, centre - margin), min(1.0, centre + margin)


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
