"""Scores and weights in, standings out: averages, ranks, ties, bounds. Pure.

Fractions in [0, 1]. A category without a scored case has no figure: it is missing, not zero.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from evaluation.benchmarks.categories import Category, Group, Mean, Node
from evaluation.engine.outcomes import Tally
from leaderboard.intervals import (
    Comparisons,
    Interval,
    around,
    tie_groups,
    variance,
    variance_of_average,
    wilson,
)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Score:
    """What is known of one category in one entry; counts are None for published figures."""

    n: int
    accuracy: float | None
    correct: int | None = None
    wrong: int | None = None
    unscored: int | None = None

    @property
    def tally(self) -> Tally | None:
        if self.correct is None or self.wrong is None:
            return None
        return Tally(self.n, self.correct, self.wrong, self.unscored or 0)

    @property
    def upper(self) -> float | None:
        """The accuracy if every missing case were right; of published figures, as printed."""
        return self.tally.upper_bound if self.tally else self.accuracy

    @property
    def is_ranked(self) -> bool:
        return self.tally.is_ranked if self.tally else self.accuracy is not None


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a board: of a category, of a group, or Overall.

    `value` is what is shown and ranked, None while a member is missing; `missing_as_zero` is the
    official figure, which counts such members as 0. `computed` differs from `value` only where a
    published figure is shown as printed. `scored` is None where coverage is not stated.
    """

    value: float | None
    missing_as_zero: float | None
    computed: float | None
    upper: float | None
    interval: Interval | None
    variance: float | None
    n: int
    scored: int | None
    correct: int | None  # of a single category only
    missing: tuple[str, ...]  # categories without a figure
    members: int  # categories behind the figure
    is_ranked: bool

    @property
    def has_any(self) -> bool:
        """True when at least one category behind the figure has one of its own."""
        return len(self.missing) < self.members

    @property
    def coverage(self) -> float | None:
        return None if self.scored is None or not self.n else self.scored / self.n


def leaf_weights(node: Node) -> Mapping[str, float]:
    """What each category weighs in a node's average; sums to 1."""
    return dict(_leaf_weights(node))


@lru_cache(maxsize=512)
def _leaf_weights(node: Node) -> tuple[tuple[str, float], ...]:
    if isinstance(node, Category):
        return ((node.name, 1.0),)
    shares = member_weights(node)
    return tuple(
        (name, share * weight)
        for member, share in zip(node.members, shares, strict=True)
        for name, weight in _leaf_weights(member)
        if share > 0
    )


def member_weights(group: Group) -> tuple[float, ...]:
    """What each member of a group weighs in it; sums to 1."""
    raw = [_raw_weight(member, group.mean) for member in group.members]
    return tuple(weight / sum(raw) for weight in raw)


def _raw_weight(member: Node, mean: Mean) -> float:
    if mean is Mean.PLAIN:
        return 1.0
    if mean is Mean.WEIGHTED:
        return member.weight
    leaves = member.leaves() if isinstance(member, Group) else (member,)
    return float(sum(leaf.cases for leaf in leaves))


def runnable_weights(tree: Group, runnable: Collection[str]) -> Mapping[str, float]:
    """The root's weights over the categories this board can run, made to sum to 1 again."""
    kept = {name: weight for name, weight in _leaf_weights(tree) if name in runnable}
    total = sum(kept.values())
    return {name: weight / total for name, weight in kept.items()} if total else {}


def category_figure(name: str, score: Score | None) -> Figure | None:
    """The figure of a single category, with its Wilson interval; None when never asked."""
    if score is None:
        return None
    share, tally = score.accuracy, score.tally
    known = share is not None and score.n > 0
    return Figure(
        value=share,
        missing_as_zero=share or 0.0,
        computed=share,
        upper=score.upper,
        interval=wilson(share, score.n) if known and share is not None else None,
        variance=variance(share, score.n) if known and share is not None else None,
        n=score.n,
        scored=tally.scored if tally else None,
        correct=score.correct,
        missing=() if known else (name,),
        members=1,
        is_ranked=score.is_ranked,
    )


def average(
    weights: Mapping[str, float], scores: Mapping[str, Score], sizes: Mapping[str, int]
) -> Figure:
    """The weighted mean of categories. `sizes` gives n where an entry has no score at all."""
    shares = {name: scores[name].accuracy for name in weights if name in scores}
    missing = tuple(name for name in weights if shares.get(name) is None)
    total = sum(weight * (shares.get(name) or 0.0) for name, weight in weights.items())
    is_complete = bool(weights) and not missing
    spread = _spread(weights, scores) if is_complete else None
    return Figure(
        value=total if is_complete else None,
        missing_as_zero=total,
        computed=total if is_complete else None,
        upper=sum(weight * _upper(scores.get(name)) for name, weight in weights.items()),
        interval=around(total, spread) if spread is not None else None,
        variance=spread,
        n=sum(scores[name].n if name in scores else sizes.get(name, 0) for name in weights),
        scored=_scored(weights, scores),
        correct=None,
        missing=missing,
        members=len(weights),
        is_ranked=is_complete and all(scores[name].is_ranked for name in weights),
    )


def _spread(weights: Mapping[str, float], scores: Mapping[str, Score]) -> float:
    variances = {
        name: variance(scores[name].accuracy or 0.0, max(scores[name].n, 1)) for name in weights
    }
    return variance_of_average(weights, variances)


def _upper(score: Score | None) -> float:
    upper = score.upper if score else None
    return 1.0 if upper is None else upper


def _scored(weights: Iterable[str], scores: Mapping[str, Score]) -> int | None:
    """How many cases have a verdict; None where a figure was published without counts."""
    known = [scores[name] for name in weights if name in scores]
    if any(score.tally is None and score.accuracy is not None for score in known):
        return None
    return sum(score.tally.scored for score in known if score.tally)


def as_printed(figure: Figure, printed: float) -> Figure:
    """A published Overall is shown as its authors printed it, beside what we compute."""
    spread = figure.variance
    return replace(
        figure,
        value=printed,
        missing_as_zero=printed,
        interval=around(printed, spread) if spread is not None else None,
        is_ranked=True,
    )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a ranked figure stands: shared by ties, with the range the data cannot rule out.

    Rows of one `band` cannot be told apart from the band's first row. `is_paired` says whether
    the range rests on the same cases, or on shares and numbers of cases alone.
    """

    rank: int
    span: tuple[int, int]
    band: int
    is_paired: bool = False

    @property
    def is_clear(self) -> bool:
        return self.span[0] == self.span[1]


def places(values: Sequence[float], compared: Sequence[Comparisons]) -> list[Place]:
    """Ranks, ranges and bands of figures given in falling order, each with its comparisons."""
    bands = _bands(values, compared)
    found: list[Place] = []
    for index, group in enumerate(groups := tie_groups(values)):
        is_tied = index > 0 and group == groups[index - 1]
        rank = found[-1].rank if is_tied else index + 1
        first, last = compared[index].span(len(values))
        span = min(first, rank), max(last, rank)
        found.append(Place(rank, span, bands[index], compared[index].is_paired))
    return found


def _bands(values: Sequence[float], compared: Sequence[Comparisons]) -> list[int]:
    bands: list[int] = []
    start = 0
    for index, value in enumerate(values):
        limit = compared[start].apart_below
        if limit is not None and value <= limit:
            start = index
            bands.append(bands[-1] + 1)
        else:
            bands.append(bands[-1] if bands else 0)
    return bands


def in_order(
    items: Iterable[Item],
    value: Callable[[Item], float | None],
    tie_break: Callable[[Item], tuple[float, int]],
    *,
    descending: bool = True,
) -> list[Item]:
    """Items by a figure, those without one last; ties (under 1e-9) by `tie_break`.

    `tie_break` ends in a primary key, so that the order is always the same.
    """
    sign = -1 if descending else 1
    pairs = [(value(item), item) for item in items]
    known = [(number, item) for number, item in pairs if number is not None]
    known.sort(key=lambda pair: sign * pair[0])
    groups = tie_groups([number for number, _ in known])
    numbered = sorted(
        zip(groups, known, strict=True), key=lambda entry: (entry[0], tie_break(entry[1][1]))
    )
    unknown = sorted((item for number, item in pairs if number is None), key=tie_break)
    return [item for _, (_, item) in numbered] + unknown
