"""A sheet as bytes: CSV, JSON, NDJSON and Parquet of exactly what is on the screen. Pure.

Fractions in [0, 1] with all their digits; an empty CSV cell and a JSON null mean "no figure".
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from evaluation.cells import neutral
from leaderboard import flat
from leaderboard.boards import Board
from leaderboard.ranking import Figure
from leaderboard.sheets import Line, Sheet
from leaderboard.tables import View


def csv_text(rows: Iterable[Sequence[Any]]) -> bytes:
    """RFC 4180, UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([neutral(cell) for cell in row] for row in rows)
    return text.getvalue().encode(errors="backslashreplace")


def as_csv(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """A header line; the columns of the view, each with what it rests on."""
    header = [name for name, _ in flat.columns(view, board.ceilings)]
    return csv_text([header, *(list(flat.cells(line, board.ceilings)) for line in sheet.shown)])


def as_parquet(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """The columns of the CSV with their types; where it comes from is in the file's metadata."""
    import pyarrow as arrow  # late: it costs every process that never exports 40 MB
    from pyarrow import parquet

    kinds = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), str: arrow.string()}
    fields = [(name, kinds[kind]) for name, kind in flat.columns(view, board.ceilings)]
    about = {name: value or "" for name, value in _about(board, view).items()}
    schema = arrow.schema(fields, metadata=about | {"address": address})
    rows = [tuple(flat.cells(line, board.ceilings)) for line in sheet.shown]
    values = [[row[at] for row in rows] for at in range(len(fields))]
    sink = io.BytesIO()
    parquet.write_table(arrow.table(values, schema=schema), sink, compression="zstd")
    return sink.getvalue()


def as_json(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """One object: what was asked for, and the rows in their order."""
    found = document(board, view, sheet, address)
    return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1).encode(
        errors="backslashreplace"
    )


def as_ndjson(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """A line for each row, every one with the benchmark version and the view it belongs to."""
    about = _about(board, view)
    lines = (
        json.dumps(about | _json_row(line, board), ensure_ascii=False, allow_nan=False) + "\n"
        for line in sheet.shown
    )
    return "".join(lines).encode(errors="backslashreplace")


def _about(board: Board, view: View) -> dict[str, str | None]:
    """What a row alone would not tell."""
    benchmark = board.benchmark
    return {
        "benchmark": benchmark.slug,
        "version": benchmark.version,
        "as_of": _day(board),
        "view": view.key,
    }


def _day(board: Board) -> str | None:
    return board.as_of.isoformat() if board.as_of else None


def document(board: Board, view: View, sheet: Sheet, address: str) -> dict[str, Any]:
    """A sheet as one JSON object; the API gives the same."""
    benchmark = board.benchmark
    return {
        "benchmark": benchmark.slug,
        "title": benchmark.title,
        "version": benchmark.version,
        "digest": benchmark.digest,
        "address": address,
        "as_of": _day(board),
        "has_all_ranges": sheet.has_all_ranges,
        "view": view.key,
        "sorted_by": sheet.sort,
        "ranked_by": sheet.main,
        "columns": [{"key": column.key, "title": column.title} for column in view.columns],
        "rows": [_json_row(line, board) for line in sheet.shown],
    }


def _json_row(line: Line, board: Board) -> dict[str, Any]:
    row, place = line.row, line.standing.place
    return {
        "rank": place.rank if place else None,
        "rank_from": place.span[0] if place else None,
        "rank_to": place.span[1] if place else None,
        "rank_is_paired": place.is_paired if place else None,
        "standing": line.kind,
        "model": row.name,
        "organisation": row.organisation,
        "licence": row.licence,
        "open_weights": row.open_weights,
        "mode": row.mode,
        "evidence": row.evidence,
        "link": row.link,
        "date": flat.day(line),
        "run": row.run,
        "cost": row.cost,
        "latency": row.latency,
        "case_latency": row.case_latency,
        "scores": {
            cell.key: _json_figure(cell.figure, flat.ceiling(board.ceilings, cell.key))
            for cell in line.cells
        },
    }


def _json_figure(figure: Figure | None, ceiling: float | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {
        "value": figure.value,
        "missing_as_zero": figure.missing_as_zero,
        "upper_bound": figure.upper,
        "low": figure.interval[0] if figure.interval else None,
        "high": figure.interval[1] if figure.interval else None,
        "n": figure.n,
        "scored": figure.scored,
        "ceiling": ceiling,
        "missing": list(figure.missing),
        "is_ranked": figure.is_ranked,
    }
