"""The official tables: from a model's category accuracies to the rows of the six CSV files.

The official averages keep a missing category in, as 0 with its full size, and say N/A only where
the table's own rule does. Figures are fractions until they are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.benchmarks.bfcl_published.layouts import (
    AGENTIC,
    FORMAT_SENSITIVITY,
    LIVE,
    MULTI_TURN,
    NON_LIVE,
    OVERALL,
    V4,
    format_configurations,
)
from evaluation.benchmarks.bfcl_v4.sensitivity import Sensitivity
from evaluation.benchmarks.bfcl_v4.spending import Spending
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES

NOT_AVAILABLE = "N/A"
TABLES = (OVERALL, NON_LIVE, LIVE, MULTI_TURN, AGENTIC, FORMAT_SENSITIVITY)
Cell = str | float  # a text as it is, or a fraction still to be printed


@dataclass(frozen=True, slots=True)
class Share:
    """An accuracy over `n` cases; where nothing was scored it counts 0 and is shown as N/A."""

    accuracy: float
    n: int
    is_known: bool = True

    @property
    def cell(self) -> Cell:
        return self.accuracy if self.is_known else NOT_AVAILABLE


@dataclass(frozen=True, slots=True)
class Model:
    """What the tables say of one model. `scores`: category → (accuracy, number of cases)."""

    name: str  # as displayed, “Some Model (FC)”
    scores: Mapping[str, tuple[float, int]]
    link: str = ""
    organisation: str = ""
    licence: str = ""
    spending: Spending = field(default_factory=Spending)
    sensitivity: Sensitivity | None = None


@dataclass(frozen=True, slots=True)
class Groups:
    """The averages the tables show; those with `_or_zero` always have a number."""

    simple: Share
    non_live: Share
    live: Share
    irrelevance: Share
    multi_turn: Share
    web_search: Share
    memory: Share
    agentic: Share
    overall: Share


def groups(scores: Mapping[str, tuple[float, int]]) -> Groups:
    """Every official average of one model's category accuracies."""

    def one(name: str) -> Share:
        return share(scores, name)

    simple = plain(one("simple_python"), one("simple_java"), one("simple_javascript"))
    non_live = plain(simple, one("multiple"), one("parallel"), one("parallel_multiple"))
    live = by_cases(*(one(f"live_{kind}") for kind in _KINDS))
    irrelevance = plain(one("irrelevance"), one("live_irrelevance"))
    multi_turn = plain(*(one(f"multi_turn_{kind}") for kind in _TURNS))
    web_search = plain(one("web_search_base"), one("web_search_no_snippet"))
    memory = plain(one("memory_kv"), one("memory_vector"), one("memory_rec_sum"))
    agentic = plain(web_search, memory)
    parts = ((non_live, 10), (live, 10), (irrelevance, 10), (multi_turn, 30), (agentic, 40))
    overall = sum(part.accuracy * weight for part, weight in parts) / 100
    n = sum(part.n for part, _ in parts)
    return Groups(
        simple, non_live, live, irrelevance, multi_turn, web_search, memory, agentic,
        Share(overall, n),
    )  # fmt: skip


_KINDS = ("simple", "multiple", "parallel", "parallel_multiple")
_TURNS = ("base", "miss_func", "miss_param", "long_context")


def share(scores: Mapping[str, tuple[float, int]], name: str) -> Share:
    if name in scores:
        return Share(*scores[name])
    return Share(0.0, CATEGORIES[name].cases, is_known=False)


def plain(*members: Share) -> Share:
    """Their unweighted mean; not known where any member is not."""
    return Share(
        sum(member.accuracy for member in members) / len(members),
        sum(member.n for member in members),
        all(member.is_known for member in members),
    )


def by_cases(*members: Share) -> Share:
    """Their mean weighted by numbers of cases."""
    n = sum(member.n for member in members)
    return Share(
        sum(member.accuracy * member.n for member in members) / n,
        n,
        all(member.is_known for member in members),
    )


def tables(models: Iterable[Model]) -> dict[str, list[list[str]]]:
    """Header and printed rows of each official table, ranked as the official tool ranks.

    Descending by the unrounded key, N/A last, equal keys in the order given, ranks 1 to n.
    """
    models = list(models)
    return {
        table: [list(V4.headers[table]), *_ranked(map(_ROWS[table], models), KEYS[table], table)]
        for table in TABLES
    }


def _ranked(rows: Iterable[list[Cell]], key: int, table: str) -> list[list[str]]:
    def rank_key(row: Sequence[Cell]) -> float:
        value = row[key]
        return -1.0 if isinstance(value, str) else value

    ordered = sorted(rows, key=rank_key, reverse=True)
    plain_columns = _PLAIN.get(table, frozenset())
    return [
        [str(rank), *(_printed(cell, at in plain_columns) for at, cell in enumerate(row[1:], 1))]
        for rank, row in enumerate(ordered, start=1)
    ]


def _printed(cell: Cell, is_plain: bool) -> str:
    if isinstance(cell, str):
        return cell
    return str(cell) if is_plain else f"{cell * 100:.2f}%"


KEYS = {OVERALL: 1, NON_LIVE: 2, LIVE: 2, MULTI_TURN: 2, AGENTIC: 2, FORMAT_SENSITIVITY: 2}
# Columns whose numbers are printed as they are: cost, seconds, points.
_PLAIN = {
    OVERALL: frozenset({4, 5, 6, 7, 32, 33}),
    FORMAT_SENSITIVITY: frozenset({2, 3}),
}


def _overall_row(model: Model) -> list[Cell]:
    found = groups(model.scores)
    cells = _cells(model)
    return [
        "", found.overall.accuracy, model.name, model.link, *model.spending.cells,
        found.non_live.cell, found.simple.cell,
        *cells("multiple", "parallel", "parallel_multiple"),
        found.live.accuracy, *cells(*(f"live_{kind}" for kind in _KINDS)),
        found.multi_turn.accuracy, *cells(*(f"multi_turn_{kind}" for kind in _TURNS)),
        found.web_search.cell, *cells("web_search_base", "web_search_no_snippet"),
        found.memory.cell, *cells("memory_kv", "memory_vector", "memory_rec_sum"),
        *cells("live_relevance"), found.irrelevance.cell, *_deltas(model),
        model.organisation, model.licence,
    ]  # fmt: skip


def _non_live_row(model: Model) -> list[Cell]:
    found, cells = groups(model.scores), _cells(model)
    return [
        "", model.name, found.non_live.accuracy, found.non_live.cell, found.simple.cell,
        *cells("simple_python", "simple_java", "simple_javascript"),
        *cells("multiple", "parallel", "parallel_multiple", "irrelevance"),
    ]  # fmt: skip


def _live_row(model: Model) -> list[Cell]:
    found, cells = groups(model.scores), _cells(model)
    return [
        "", model.name, found.live.accuracy, found.live.cell,
        *cells(*(f"live_{kind}" for kind in _KINDS), "live_irrelevance", "live_relevance"),
    ]  # fmt: skip


def _multi_turn_row(model: Model) -> list[Cell]:
    cells = _cells(model)(*(f"multi_turn_{kind}" for kind in _TURNS))
    return ["", model.name, groups(model.scores).multi_turn.accuracy, *cells]


def _agentic_row(model: Model) -> list[Cell]:
    found, cells = groups(model.scores), _cells(model)
    return [
        "", model.name, found.agentic.accuracy,
        found.web_search.cell, *cells("web_search_base", "web_search_no_snippet"),
        found.memory.cell, *cells("memory_kv", "memory_vector", "memory_rec_sum"),
    ]  # fmt: skip


def _sensitivity_row(model: Model) -> list[Cell]:
    by_form = model.sensitivity.accuracies if model.sensitivity else {}
    configurations = [by_form.get(form, NOT_AVAILABLE) for form in format_configurations()]
    return ["", model.name, *_deltas(model), *configurations]


def _deltas(model: Model) -> list[Cell]:
    if model.sensitivity is None:
        return [NOT_AVAILABLE, NOT_AVAILABLE]
    return [model.sensitivity.max_delta, model.sensitivity.deviation]


def _cells(model: Model) -> Callable[..., list[Cell]]:
    return lambda *names: [share(model.scores, name).cell for name in names]


_ROWS: Mapping[str, Callable[[Model], list[Cell]]] = {
    OVERALL: _overall_row,
    NON_LIVE: _non_live_row,
    LIVE: _live_row,
    MULTI_TURN: _multi_turn_row,
    AGENTIC: _agentic_row,
    FORMAT_SENSITIVITY: _sensitivity_row,
}
