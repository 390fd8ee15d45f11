"""A sheet as one flat table: a name, a kind and a value for every cell. Pure.

CSV and Parquet are written from it. Fractions in [0, 1]; None means "no figure".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.benchmarks.suite import Share
from leaderboard.boards import OVERALL
from leaderboard.ranking import Figure
from leaderboard.sheets import Line, day_shown
from leaderboard.tables import View

BEFORE: tuple[tuple[str, type], ...] = (
    ("rank", int),
    ("rank_from", int),
    ("rank_to", int),
    ("rank_is_paired", bool),
    ("standing", str),
    ("model", str),
    ("organisation", str),
    ("licence", str),
    ("open_weights", bool),
    ("mode", str),
    ("evidence", str),
    ("link", str),
    ("date", str),
    ("run", int),
    ("cost", float),
    ("latency", float),
    ("case_latency", float),
)


def columns(view: View, ceilings: Mapping[str, Share]) -> Iterator[tuple[str, type]]:
    """What describes a row, then each figure with what it rests on, and its ceiling if known."""
    yield from BEFORE
    for column in view.columns:
        key = column.key
        yield from ((key, float), (f"{key}_low", float), (f"{key}_high", float))
        yield from ((f"{key}_n", int), (f"{key}_scored", int))
        if key == OVERALL:
            yield f"{key}_missing_as_zero", float
        if key in ceilings:
            yield f"{key}_ceiling", float


def cells(line: Line, ceilings: Mapping[str, Share]) -> Iterator[Any]:
    """One row's values, in the order of `columns`."""
    row, place = line.row, line.standing.place
    yield from (place.rank, *place.span, place.is_paired) if place else (None,) * 4
    yield from (line.kind, row.name, row.organisation, row.licence, row.open_weights, row.mode)
    yield from (row.evidence, row.link, day(line), row.run)
    yield from (row.cost, row.latency, row.case_latency)
    for cell in line.cells:
        yield from _figure(cell.figure)
        if cell.key == OVERALL:
            yield cell.figure.missing_as_zero if cell.figure else None
        if cell.key in ceilings:
            yield ceiling(ceilings, cell.key)


def ceiling(ceilings: Mapping[str, Share], key: str) -> float | None:
    """What the recorded answers reach themselves in a category or group; None: not known."""
    right, count = ceilings.get(key, (0, 0))
    return right / count if count else None


def _figure(figure: Figure | None) -> tuple[Any, ...]:
    if figure is None:
        return (None,) * 5
    low, high = figure.interval or (None, None)
    return figure.value, low, high, figure.n, figure.scored


def day(line: Line) -> str | None:
    """The day of the figures, in UTC: one format for runs (a time) and snapshots (a date)."""
    return day_shown(line.row).isoformat() if line.row.shown_since else None
