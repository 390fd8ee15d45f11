"""Which of two entries is better, tested on the very same cases. Pure.

In one category two entries that answered the same cases are compared by McNemar's exact test: only
the cases count that one got right and the other did not. Averages are compared by a paired z test.
Entries without cases in common (published figures) are compared by an unpaired z test, from their
shares and numbers of cases. Every test is carried as |z|, so that all of them can be corrected
together by Holm's step-down rule, within each entry's own comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.intervals import LEVEL, RANGE, TIE, Comparisons
from leaderboard.methods import Method

Matrix = NDArray[np.float64]
NORMAL = NormalDist()
CERTAIN = 40.0  # |z| beyond which a double holds no tail
ADDED = 1  # cases that only one got right, added on either side before a variance
MCNEMAR = Method(
    "Paired, one category",
    "min(1, 2·P(X ≤ min(b, c)))",
    [("X", "binomial of b + c cases, each with ½")],
    "Only cases count that one of two entries got right and the other did not: b one way, c the"
    " other. McNemar’s exact test.",
    "Q. McNemar (1947), Psychometrika 12(2), pp. 153–157",
)
PAIRED = Method(
    "Paired, a mean",
    "(M₁ − M₂) ÷ √(Σ(w²·v))",
    [
        ("v", f"(f + s − (f − s)²) ÷ (n + {2 * ADDED})"),
        ("f", f"(b + {ADDED}) ÷ (n + {2 * ADDED})"),
        ("s", f"(c + {ADDED}) ÷ (n + {2 * ADDED})"),
    ],
    "A z test whose variance is the sum of weight² × that of the paired difference in each"
    " category, with one case added to either side.",
    "D. G. Bonett, R. M. Price (2012), J. Educ. Behav. Stat. 37(4), pp. 479–488",
)
UNPAIRED = Method(
    "Unpaired",
    "(M₁ − M₂) ÷ √(var₁ + var₂)",
    words="A z test of two figures from shares and numbers of cases alone.",
)
HOLM = Method(
    "Correction",
    f"p of the k-th strongest test ≤ {1 - LEVEL:.2f} ÷ (N − k)",
    words="All tests are two-sided. One entry’s N − 1 tests are corrected together (Holm): the"
    " strongest first, until one fails.",
    source="S. Holm (1979), Scand. J. Stat. 6(2), pp. 65–70",
)
METHODS = (MCNEMAR, PAIRED, UNPAIRED, HOLM, RANGE)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far entries were right on the same `n` cases of one category.

    `right[i]` counts the cases entry i got right, `both[i, j]` those that i and j both did.
    """

    n: int
    right: NDArray[np.int64]
    both: NDArray[np.int64]

    @property
    def only_first(self) -> NDArray[np.int64]:
        """[i, j]: cases that i got right and j did not."""
        found: NDArray[np.int64] = self.right[:, None] - self.both
        return found


@dataclass(frozen=True, slots=True)
class Shared:
    """Entries (by their place among all compared) with the same cases, and what they answered.

    `parts` are the categories of the figure: each one's weight in it, and the agreement there.
    """

    places: Sequence[int]
    parts: Sequence[tuple[float, Agreement]]


def agreement(answers: Sequence[NDArray[np.int64]], n: int) -> Agreement:
    """From the cases each entry got right (their numbers, in any order) out of the same `n`."""
    cases = np.unique(np.concatenate(answers)) if answers else np.empty(0, np.int64)
    table = np.zeros((len(answers), len(cases)), np.float32)  # exact for whole numbers below 2^24
    for row, right in zip(table, answers, strict=True):
        row[np.searchsorted(cases, right)] = 1
    both = (table @ table.T).astype(np.int64)
    return Agreement(n, both.diagonal().copy(), both)


def compare(
    values: Sequence[float], variances: Sequence[float], shared: Shared | None = None
) -> list[Comparisons]:
    """Test every figure against every other, paired where they share cases."""
    figures = np.asarray(values, np.float64)
    strengths = _unpaired(figures, np.asarray(variances, np.float64))
    sharing = np.zeros(len(figures), bool)
    if shared is not None and len(shared.places) > 1:
        where = np.ix_(shared.places, shared.places)
        strengths[where] = _paired(figures[list(shared.places)], shared.parts)
        sharing[list(shared.places)] = True
    return _judged(figures, strengths, sharing)


def _unpaired(values: Matrix, variances: Matrix) -> Matrix:
    """|z| of every pair; an unknown (infinite) variance tells nothing."""
    spread = variances[:, None] + variances[None, :]
    return _ratio(values[:, None] - values[None, :], spread)


def _paired(values: Matrix, parts: Sequence[tuple[float, Agreement]]) -> Matrix:
    if len(parts) == 1:
        return mcnemar(parts[0][1].only_first)
    spread: Matrix = sum(
        (weight * weight * paired_variance(part) for weight, part in parts),
        start=np.zeros((len(values), len(values))),
    )
    return _ratio(values[:, None] - values[None, :], spread)


def paired_variance(part: Agreement) -> Matrix:
    """Variance of the difference of two shares over the same cases, for every pair."""
    found: Matrix = variance_of_difference(part.only_first, part.only_first.T, part.n)
    return found


def variance_of_difference(only_first: Any, only_second: Any, n: int) -> Any:
    """From the cases that only one of two got right, either way: numbers, or matrices of them.

    One case is added to each side on which only one is right: without them two entries that
    differ in a handful of cases would count as told apart for certain.
    Source: D. G. Bonett, R. M. Price (2012), J. Educ. Behav. Stat. 37(4), pp. 479–488.
    """
    total = n + 2 * ADDED
    first, second = (only_first + ADDED) / total, (only_second + ADDED) / total
    return (first + second - (first - second) ** 2) / total


def mcnemar(only_first: NDArray[np.int64]) -> Matrix:
    """|z| with the two-sided p of McNemar's exact test, for every pair.

    Of b + c cases on which two entries differ, b are expected to be half: p is twice the binomial
    tail, at most 1. Source: Q. McNemar (1947), Psychometrika 12(2), pp. 153–157.
    """
    fewer = np.minimum(only_first, only_first.T)
    differing = only_first + only_first.T
    base = int(differing.max(initial=0)) + 1
    pairs, back = np.unique(differing * base + fewer, return_inverse=True)
    found: dict[int, Matrix] = {}
    strengths = np.empty(len(pairs))
    for at, pair in enumerate(pairs):
        total, few = divmod(int(pair), base)
        if total not in found:
            found[total] = _tail(total)
        strengths[at] = strength(min(1.0, 2 * float(found[total][few])))
    return strengths[back].reshape(only_first.shape)


def _tail(total: int) -> Matrix:
    """P(X ≤ k) for k = 0 … total, X binomial with one half."""
    steps = np.log(np.arange(total, 0, -1) / np.arange(1, total + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)]) - total * np.log(2.0)
    found: Matrix = np.cumsum(np.exp(logs))
    return found


def strength(p: float) -> float:
    """The |z| whose two-sided p this is."""
    return -NORMAL.inv_cdf(p / 2) if p > 1e-300 else CERTAIN


def _ratio(difference: Matrix, variance: Matrix) -> Matrix:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Matrix = np.abs(difference) / np.sqrt(variance)
    return np.nan_to_num(found, nan=0.0, posinf=CERTAIN)


def _judged(values: Matrix, strengths: Matrix, sharing: NDArray[np.bool_]) -> list[Comparisons]:
    """Holm within each row: strongest first, until one is not significant."""
    count = len(values)
    np.fill_diagonal(strengths, -1.0)  # last, and never significant
    order = np.argsort(-strengths, axis=1, kind="stable")
    ranked = np.take_along_axis(strengths, order, axis=1)
    passed = np.logical_and.accumulate(ranked >= _thresholds(count), axis=1)
    apart = np.zeros((count, count), bool)
    np.put_along_axis(apart, order, passed, axis=1)
    ahead = values[None, :] - values[:, None]
    better, worse = apart & (ahead >= TIE), apart & (ahead <= -TIE)
    below = np.where(worse, values[None, :], -np.inf).max(axis=1, initial=-np.inf)
    rows = zip(better.sum(axis=1), worse.sum(axis=1), below, sharing, strict=True)
    return [
        Comparisons(int(more), int(less), float(limit) if np.isfinite(limit) else None, bool(same))
        for more, less, limit, same in rows
    ]


def _thresholds(count: int) -> Matrix:
    """The |z| that the k-th strongest of an entry's `count` − 1 tests must reach."""
    left = [count - 1 - done for done in range(count - 1)]
    return np.array([strength((1 - LEVEL) / tests) for tests in left] + [np.inf])


def shared_of(
    entries: Sequence[int], weights: Mapping[str, float], known: Mapping[str, Any]
) -> Shared | None:
    """What the entries share in every category of `weights`; None when no two share all of them.

    `known` holds, by category, the entries in the order of that category's agreement, and it.
    """
    if not weights or any(name not in known for name in weights):
        return None
    rows = {name: {entry: at for at, entry in enumerate(known[name][0])} for name in weights}
    places = [at for at, entry in enumerate(entries) if all(entry in rows[name] for name in rows)]
    if len(places) < 2:
        return None
    parts = []
    for name, weight in weights.items():
        chosen = np.array([rows[name][entries[at]] for at in places])
        part: Agreement = known[name][1]
        both = part.both[np.ix_(chosen, chosen)]
        parts.append((weight, Agreement(part.n, part.right[chosen], both)))
    return Shared(places, parts)
