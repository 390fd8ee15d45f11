"""Every form in which what is on the screen can be taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard import bfcl_table, exports, typeset
from leaderboard.boards import Board
from leaderboard.sheets import Sheet
from leaderboard.tables import View


@dataclass(frozen=True, slots=True)
class Format:
    """`key` is its name in the address, `write` makes the file; `ending` is its file name's."""

    key: str
    title: str
    content_type: str
    ending: str
    write: Callable[[Board, View, Sheet, str], bytes]


BFCL = Format(
    "bfcl",
    "CSV as BFCL’s own table",
    "text/csv; charset=utf-8",
    "-bfcl.csv",
    bfcl_table.as_bfcl_csv,
)
FORMATS = (
    Format("csv", "CSV", "text/csv; charset=utf-8", ".csv", exports.as_csv),
    Format("json", "JSON", "application/json", ".json", exports.as_json),
    Format("ndjson", "NDJSON", "application/x-ndjson", ".ndjson", exports.as_ndjson),
    Format("parquet", "Parquet", "application/vnd.apache.parquet", ".parquet", exports.as_parquet),
    Format("md", "Markdown", "text/markdown; charset=utf-8", ".md", typeset.as_markdown),
    Format("tex", "LaTeX", "application/x-tex; charset=utf-8", ".tex", typeset.as_latex),
)


def of(board: Board) -> tuple[Format, ...]:
    """The formats this board can be had in."""
    return (*FORMATS, BFCL) if bfcl_table.is_known(board) else FORMATS


def named(board: Board, key: str) -> Format | None:
    return next((one for one in of(board) if one.key == key), None)
