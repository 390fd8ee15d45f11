"""What is on the screen in the form of BFCL's own overall table: its headers, rounding, order."""

from __future__ import annotations

from evaluation.benchmarks.bfcl_published.layouts import OVERALL
from evaluation.benchmarks.bfcl_v4 import columns
from evaluation.benchmarks.bfcl_v4.spending import Spending
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from leaderboard.boards import Board, Row
from leaderboard.exports import csv_text
from leaderboard.sheets import Sheet
from leaderboard.tables import View


def is_known(board: Board) -> bool:
    """Only this suite's table has a form of its own here."""
    return board.benchmark.suite == SUITE.slug


def as_bfcl_csv(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """The official overall table of the entries on the screen, safe for spreadsheets.

    Percentages as texts, N/A where a table says so, missing categories as 0 in averages: the
    official rules, whatever this board shows itself.
    """
    models = [_model(line.row) for line in sheet.shown]
    return csv_text(columns.tables(models)[OVERALL])


def _model(row: Row) -> columns.Model:
    scores = {
        name: (score.accuracy, score.n)
        for name, score in row.scores.items()
        if score.accuracy is not None
    }
    return columns.Model(
        name=f"{row.name} ({row.mode_title})",
        scores=scores,
        link=row.link,
        organisation=row.organisation,
        licence=row.licence,
        spending=Spending(cost=_rounded(row.cost), mean=_rounded(row.latency)),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
