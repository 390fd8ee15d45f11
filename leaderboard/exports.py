"""A sheet as bytes: CSV, JSON and NDJSON of exactly what is on the screen. Pure.

Fractions in [0, 1] with all their digits; an empty CSV cell and a JSON null mean "no figure".
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from leaderboard.boards import OVERALL, Board
from leaderboard.ranking import Figure
from leaderboard.sheets import Line, Sheet
from leaderboard.tables import View

# A spreadsheet takes text that starts with one of these for a formula; the last four are the
# full-width forms of the first four.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
DESCRIPTION = ("model", "organisation", "licence", "open_weights", "mode", "evidence", "link")


def neutral(cell: Any) -> Any:
    """A cell that no spreadsheet runs: text that looks like a formula gets an apostrophe.

    Numbers stay numbers, negative ones too.
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA_STARTS):
        return f"'{cell}"
    return cell


def as_csv(view: View, sheet: Sheet) -> bytes:
    """RFC 4180, UTF-8, a header line; the columns of the view, each with what it rests on."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(list(_csv_header(view)))
    for line in sheet.shown:
        writer.writerow([neutral(cell) for cell in _csv_cells(line)])
    return text.getvalue().encode()


def _csv_header(view: View) -> Iterator[str]:
    yield from ("rank", "rank_from", "rank_to", "standing", *DESCRIPTION, "date", "run", "cost")
    yield "latency"
    for column in view.columns:
        key = column.key
        yield from (key, f"{key}_low", f"{key}_high", f"{key}_n", f"{key}_scored")
        if key == OVERALL:
            yield f"{key}_missing_as_zero"


def _csv_cells(line: Line) -> Iterator[Any]:
    row, place = line.row, line.standing.place
    yield from (place.rank, *place.span) if place else ("", "", "")
    yield line.kind
    yield from description(line).values()
    yield from (iso(row.shown_since) or "", row.run or "")
    yield from ("" if value is None else value for value in (row.cost, row.latency))
    for cell in line.cells:
        figure = cell.figure
        low, high = figure.interval if figure and figure.interval else ("", "")
        yield from (_or_empty(figure, "value"), low, high)
        yield from (_or_empty(figure, "n"), _or_empty(figure, "scored"))
        if cell.key == OVERALL:
            yield _or_empty(figure, "missing_as_zero")


def _or_empty(figure: Figure | None, field: str) -> Any:
    value = getattr(figure, field, None)
    return "" if value is None else value


def as_json(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """One object: what was asked for, and the rows in their order."""
    found = document(board, view, sheet, address)
    return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1).encode(
        errors="backslashreplace"
    )


def as_ndjson(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """A line for each row, every one with the benchmark version and the view it belongs to."""
    about = {"benchmark": board.benchmark.slug, "version": board.benchmark.version}
    about["view"] = view.key
    lines = (
        json.dumps(about | _json_row(line), ensure_ascii=False, allow_nan=False) + "\n"
        for line in sheet.shown
    )
    return "".join(lines).encode(errors="backslashreplace")


def document(board: Board, view: View, sheet: Sheet, address: str) -> dict[str, Any]:
    """A sheet as one JSON object; the API gives the same."""
    benchmark = board.benchmark
    return {
        "benchmark": benchmark.slug,
        "title": benchmark.title,
        "version": benchmark.version,
        "digest": benchmark.digest,
        "address": address,
        "view": view.key,
        "sorted_by": sheet.sort,
        "ranked_by": sheet.main,
        "columns": [{"key": column.key, "title": column.title} for column in view.columns],
        "rows": [_json_row(line) for line in sheet.shown],
    }


def _json_row(line: Line) -> dict[str, Any]:
    row, place = line.row, line.standing.place
    return {
        "rank": place.rank if place else None,
        "rank_range": list(place.span) if place else None,
        "rank_range_is_paired": place.is_paired if place else None,
        "standing": line.kind,
        **description(line),
        "date": iso(row.shown_since),
        "run": row.run,
        "cost": row.cost,
        "latency": row.latency,
        "scores": {cell.key: _json_figure(cell.figure) for cell in line.cells},
    }


def _json_figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {
        "value": figure.value,
        "missing_as_zero": figure.missing_as_zero,
        "upper_bound": figure.upper,
        "interval": figure.interval and list(figure.interval),
        "n": figure.n,
        "scored": figure.scored,
        "missing": list(figure.missing),
        "is_ranked": figure.is_ranked,
    }


def description(line: Line) -> dict[str, Any]:
    row = line.row
    values = (row.name, row.organisation, row.licence, row.open_weights, row.mode, row.evidence)
    return dict(zip(DESCRIPTION, (*values, row.link), strict=True))


def iso(when: datetime | date | None) -> str | None:
    """The day, in UTC: one format for runs (a time) and snapshots (a date)."""
    return None if when is None else when.strftime("%Y-%m-%d")
