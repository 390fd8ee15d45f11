"""A board as the benchmark's own tables: published rows as printed, ours by its rules."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import date

from evaluation.benchmarks.bfcl_published.layouts import LAYOUTS, V4, Layout
from evaluation.benchmarks.bfcl_v4 import columns
from evaluation.benchmarks.bfcl_v4.columns import Model
from evaluation.benchmarks.bfcl_v4.score_files import as_csv
from evaluation.cells import neutral
from evaluation.models import Benchmark, Evidence, Run, Snapshot
from evaluation.services.exporting import spent_officially
from leaderboard import loading, sensitivity
from leaderboard.boards import Board
from leaderboard.loading import Asked

Table = list[list[str]]
RANK, MODEL = "Rank", "Model"
NOT_AVAILABLE = "N/A"


class NothingToWrite(Exception):
    """There are no such rows; the message says what to do."""


def tables(
    benchmark: Benchmark, evidence: Collection[str], as_of: date | None = None
) -> dict[str, bytes]:
    """CSV files by name, of the board as it is or as it stood at the end of a day.

    Published rows carry the source's figures, and alone the source's order and ranks as well.
    Where runs of this board stand among them, all are ranked together. The accuracy of a run is
    its ranked figure: right answers ÷ all cases of the category.

    Raises:
        NothingToWrite: No row of this evidence, or none by that day.
    """
    board = loading.load(benchmark, Asked(as_of=as_of))
    snapshot = board.snapshot if Evidence.PUBLISHED in evidence else None
    layout, printed = _printed(snapshot) if snapshot else (_layout_of(benchmark), {})
    models = list(_models(board, evidence))
    if not printed and not models:
        by_then = f" by the end of {as_of}" if as_of else ""
        raise NothingToWrite(
            f"{benchmark} has no such rows{by_then}. Published ones are loaded by “manage.py "
            "import_published”."
        )
    if not models:
        return {name: as_csv(rows) for name, rows in printed.items()}
    if layout.suite != V4.suite:
        raise NothingToWrite(f"Runs of {benchmark} have no tables of this format.")
    ours = columns.tables(models)
    return {name: as_csv(_merged(name, printed.get(name), rows)) for name, rows in ours.items()}


def _printed(snapshot: Snapshot) -> tuple[Layout, dict[str, Table]]:
    """The source's own tables, in its order, every cell as printed."""
    rows = [json.loads(row.figures) for row in snapshot.rows.order_by("position")]
    layout = next(
        each
        for each in LAYOUTS
        if all(set(row) == set(each.headers) for row in rows)
        and all(set(rows[0][name]) == set(each.headers[name]) for name in each.headers)
    )
    made: dict[str, Table] = {}
    for name, header in layout.headers.items():
        ordered = sorted((row[name] for row in rows), key=lambda cells: int(cells[RANK]))
        made[name] = [list(header), *([cells[column] for column in header] for cells in ordered)]
    return layout, made


def _layout_of(benchmark: Benchmark) -> Layout:
    found = next((each for each in LAYOUTS if each.suite == benchmark.suite), None)
    if found is None:
        raise NothingToWrite(f"{benchmark} is not written in this format.")
    return found


def _models(board: Board, evidence: Collection[str]) -> Iterator[Model]:
    """The runs that the board shows, of this evidence."""
    rows = [row for row in board.rows if row.run is not None and row.evidence in evidence]
    runs = Run.objects.in_bulk([row.run for row in rows])
    spreads = sensitivity.spreads(board.benchmark, board.as_of)
    for row in rows:
        yield Model(
            name=neutral(f"{row.name} ({row.mode_title})"),
            scores={
                name: (score.accuracy, score.n)
                for name, score in row.scores.items()
                if score.accuracy is not None
            },
            link=neutral(row.link),
            organisation=neutral(row.organisation),
            licence=neutral(row.licence),
            spending=spent_officially(runs[row.run or 0]),
            sensitivity=spreads.get(row.entry),
        )


def _merged(name: str, printed: Table | None, ours: Table) -> Table:
    """Two tables as one, ranked by the printed key; the source's rows first where it is equal."""
    header = ours[0]
    key = columns.KEYS[name]
    rows = [*(printed or [header])[1:], *ours[1:]]
    rows.sort(key=lambda row: _key(row[key]), reverse=True)
    return [header, *([str(rank), *row[1:]] for rank, row in enumerate(rows, start=1))]


def _key(cell: str) -> float:
    return -1.0 if cell == NOT_AVAILABLE else float(cell.rstrip("%"))
