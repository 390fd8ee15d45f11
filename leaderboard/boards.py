"""A board: every entry of a benchmark version, with its figures and its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Protocol
from urllib.parse import urlencode

from evaluation.benchmarks.categories import Category, Group, Node
from evaluation.benchmarks.suite import Share
from evaluation.models import Benchmark, Evidence, Mode, Snapshot
from evaluation.models.cards import RANKED_EVIDENCE
from leaderboard.intervals import Comparisons
from leaderboard.ranking import (
    Figure,
    Place,
    Score,
    as_printed,
    average,
    category_figure,
    in_order,
    leaf_weights,
    places,
    runnable_weights,
)

OVERALL = "overall"
RUNNABLE = "runnable"
Scores = Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Row:
    """One entry as the board knows it. `position` is its place in the source's own order."""

    entry: int
    slug: str
    name: str
    organisation: str
    licence: str
    link: str
    open_weights: bool | None
    mode: str
    evidence: str
    run: int | None
    shown_since: datetime | date | None
    scores: Scores
    printed: float | None = None
    position: int = 0
    cost: float | None = None  # US dollars for the whole run
    latency: float | None = None  # mean seconds of a request
    case_latency: float | None = None  # mean seconds of a case: of all its requests together

    @property
    def mode_title(self) -> str:
        return str(Mode(self.mode).label)

    @property
    def evidence_title(self) -> str:
        return str(Evidence(self.evidence).label)

    @property
    def is_rankable(self) -> bool:
        return self.evidence in RANKED_EVIDENCE

    @property
    def n(self) -> int:
        """Cases of the categories this entry has a figure for."""
        return sum(score.n for score in self.scores.values() if score.accuracy is not None)

    @property
    def coverage(self) -> float | None:
        """Share of these cases with a verdict; None where figures came without counts."""
        tallies = [score.tally for score in self.scores.values() if score.accuracy is not None]
        known = [tally for tally in tallies if tally is not None]
        if len(known) < len(tallies) or not self.n:
            return None
        return sum(tally.scored for tally in known) / self.n

    @property
    def tie_break(self) -> tuple[float, int]:
        return (self.position or float("inf"), self.entry)


@dataclass(frozen=True, slots=True)
class Compared:
    """Each entry's comparisons with all others; not final while finer ones are being found."""

    found: Sequence[Comparisons]
    is_final: bool = True


class Compare(Protocol):
    """Tests entries against one another, given their figures and what those are made of."""

    def __call__(
        self,
        weights: Mapping[str, float],
        entries: Sequence[int],
        values: Sequence[float],
        variances: Sequence[float],
    ) -> Compared: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """A row's place in one view; no place when it is incomplete or its evidence is not ranked."""

    row: Row
    place: Place | None


@dataclass(frozen=True)
class Board:
    """One benchmark version: its tree, what it can run, and every visible entry."""

    benchmark: Benchmark
    tree: Group
    extras: tuple[Category, ...]
    sizes: Mapping[str, int]  # category → n on this board
    unavailable: Mapping[str, str]  # category → why it cannot be run here
    rows: tuple[Row, ...]
    snapshot: Snapshot | None
    compare: Compare
    scorings: Mapping[int, int] = field(default_factory=dict)  # run → what is shown of it
    profile: str = ""  # how the answers were judged, where that is not the usual way
    as_of: date | None = None  # the day at whose end it stood like this; None: now
    profiles: tuple[str, ...] = ()  # every way there is, the usual one first
    notice: str = ""  # what every reader must know
    brings_tables: bool = False  # tables of papers, each by itself
    ceilings: Mapping[str, Share] = field(default_factory=dict)  # by category or group
    notes: Mapping[str, str] = field(default_factory=dict)  # by category or group

    @property
    def query(self) -> str:
        """What an address says to mean this board of its benchmark version, and no other."""
        said = {"profile": self.profile, "as_of": self.as_of.isoformat() if self.as_of else ""}
        return urlencode({name: value for name, value in said.items() if value})

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Every group and category by name, from the root down, then the extras."""
        walked = {node.name: node for node in _walk(self.tree)}
        extras: dict[str, Node] = {extra.name: extra for extra in self.extras}
        return extras | walked | {OVERALL: self.tree}

    def node(self, name: str) -> Node | None:
        return self.nodes.get(name)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Every category that Overall is made of."""
        return tuple(leaf.name for leaf in self.tree.leaves())

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Every category: those of Overall, then those reported beside it."""
        return (*self.leaves, *(extra.name for extra in self.extras))

    @cached_property
    def questions(self) -> int:
        """Cases of a whole run: all but the categories that are off by default."""
        return sum(self._asked_by_default.values())

    @cached_property
    def askable(self) -> int:
        """Those of a whole run that can be asked here."""
        asked = self._asked_by_default
        return sum(n for name, n in asked.items() if name not in self.unavailable)

    @cached_property
    def _asked_by_default(self) -> Mapping[str, int]:
        off = {extra.name for extra in self.extras if extra.is_extra}
        return {name: n for name, n in self.sizes.items() if name not in off}

    @cached_property
    def runnable(self) -> Mapping[str, float]:
        """Weight of each category in Overall (runnable)."""
        return runnable_weights(self.tree, self.benchmark.runnable)

    @property
    def runs_everything(self) -> bool:
        return set(leaf_weights(self.tree)) <= set(self.benchmark.runnable)

    def figure(self, row: Row, name: str) -> Figure | None:
        """A row's figure for a node, Overall or Overall (runnable); None when never asked."""
        key = (row.entry, name)
        if key not in self._figures:
            self._figures[key] = self._make_figure(row, name)
        return self._figures[key]

    @cached_property
    def _figures(self) -> dict[tuple[int, str], Figure | None]:
        return {}

    def _make_figure(self, row: Row, name: str) -> Figure | None:
        if name == RUNNABLE:
            return average(self.runnable, row.scores, self.sizes)
        node = self.node(name)
        if node is None:
            return None
        if isinstance(node, Category):
            return category_figure(node.name, row.scores.get(node.name))
        figure = average(leaf_weights(node), row.scores, self.sizes)
        if node is self.tree and row.printed is not None:
            return as_printed(figure, row.printed)
        return figure

    def main(self, view: str) -> str:
        """The column a view is ranked by: Overall falls back to what this board can run."""
        if view != OVERALL:
            return view
        has_overall = any(_is_ranked(self.figure(row, OVERALL)) for row in self.rows)
        return OVERALL if has_overall or self.runs_everything else RUNNABLE

    def standings(self, view: str) -> Mapping[int, Standing]:
        """Where every entry stands in a view, by entry, over the whole board; found once."""
        return self._found(view)[0]

    def has_all_ranges(self, view: str) -> bool:
        """False while the ranges of a view are still being found from the answers."""
        return self._found(view)[1]

    def _found(self, view: str) -> tuple[Mapping[int, Standing], bool]:
        if view not in self._standings:
            self._standings[view] = self._find_standings(view)
        return self._standings[view]

    def _weights(self, name: str) -> Mapping[str, float]:
        """What each category weighs in a column's figure."""
        node = self.node(name)
        return self.runnable if node is None else leaf_weights(node)

    @cached_property
    def _standings(self) -> dict[str, tuple[Mapping[int, Standing], bool]]:
        return {}

    def _find_standings(self, view: str) -> tuple[Mapping[int, Standing], bool]:
        main = self.main(view)
        figures = {row.entry: self.figure(row, main) for row in self.rows}
        ranked = [row for row in self.rows if row.is_rankable and _is_ranked(figures[row.entry])]
        ordered = in_order(
            ranked, lambda row: _value(figures[row.entry]), lambda row: row.tie_break
        )
        values = [_value(figures[row.entry]) or 0.0 for row in ordered]
        variances = [_variance(figures[row.entry]) for row in ordered]
        entries = [row.entry for row in ordered]
        compared = self.compare(self._weights(main), entries, values, variances)
        found = places(values, compared.found)
        placed = {row.entry: place for row, place in zip(ordered, found, strict=True)}
        standings = {row.entry: Standing(row, placed.get(row.entry)) for row in self.rows}
        return standings, compared.is_final


def _walk(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, Group):
        for member in node.members:
            yield from _walk(member)


def _is_ranked(figure: Figure | None) -> bool:
    return figure is not None and figure.is_ranked


def _value(figure: Figure | None) -> float | None:
    return figure.value if figure else None


def _variance(figure: Figure | None) -> float:
    """Infinite where unknown: such a figure can be told apart from none."""
    return figure.variance if figure and figure.variance is not None else float("inf")
