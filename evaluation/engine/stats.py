"""How sure a count of right answers makes us, and what many figures come to."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from evaluation.engine.types import JSON

Z_95 = NormalDist().inv_cdf(0.975)  # standard normal quantile of a two-sided 95 % interval


def wilson(share: float, total: int, z: float = Z_95) -> tuple[float, float]:
    """Bounds of the accuracy that a share of right answers supports (Wilson score interval).

    Unlike p ± z·sqrt(p(1-p)/n) it stays within [0, 1] and keeps a width where every answer is
    right or every one wrong, as happens in small categories.

    Args:
        share: Share of cases judged right, ``0 <= share <= 1``. Printed shares may be rounded.
        total: Number of cases judged, at least 1.
        z: Standard normal quantile; dimensionless.

    Returns:
        ``(low, high)``, fractions: ``0 <= low <= share <= high <= 1``.

    Raises:
        ValueError: This is no accuracy.

    Source: E. B. Wilson (1927), J. Am. Stat. Assoc. 22(158), pp. 209–212.
    """
    if total < 1 or not 0 <= share <= 1:
        raise ValueError(f"{share} of {total} cases is not an accuracy")
    weight = z * z / total
    centre = (share + weight / 2) / (1 + weight)
    margin = z * sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
    return max(0.0, min(share, centre - margin)), min(1.0, max(share, centre + margin))


def wilson_interval(correct: int, total: int, z: float = Z_95) -> tuple[float, float]:
    """`wilson` of a count: ``0 <= correct <= total``, ``total >= 1``. Raises ValueError."""
    if total < 1 or not 0 <= correct <= total:
        raise ValueError(f"{correct} of {total} cases is not an accuracy")
    return wilson(correct / total, total, z)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of at least one rising values lies, ``0 <= share <= 1``.

    Between two neighbours it is interpolated in proportion, as NumPy and PostgreSQL do.
    """
    place = (len(ordered) - 1) * share
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def flat(value: JSON) -> list[float]:
    """Every number in a value or in lists of lists of them, in order."""
    if isinstance(value, list):
        return [number for each in value for number in flat(each)]
    return [] if value is None else [value]
