"""A board of published rows is the table its authors printed, row for row."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from django.test import Client

from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES, SINGLE_TURN
from evaluation.services import published
from tests import make

DAY = "2025-12-16"
PRINTED_BY_COLUMN = {  # what their table calls the groups of ours that it prints
    "non_live": "Non-Live AST Acc",
    "live": "Live Acc",
    "multi_turn": "Multi Turn Acc",
    "web_search": "Web Search Acc",
    "memory": "Memory Acc",
    "irrelevance_detection": "Irrelevance Detection",
}
A_ROUNDING = 0.01  # points: their groups were averaged before their members were rounded


def _table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _import(folder: Path) -> list[dict[str, str]]:
    make.benchmark(dict.fromkeys(CATEGORIES, 1), runnable=list(SINGLE_TURN))
    files = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    published.import_tables(files, on=date.fromisoformat(DAY), source="official tables")
    return _table(files["data_overall.csv"].decode("utf-8-sig"))


def _percent(row: Mapping[str, str], column: str) -> str:
    return f"{100 * float(row[column]):.2f}%"


@pytest.mark.django_db
def test_order_and_figures_are_the_printed_ones(client: Client, corpora: Path) -> None:
    printed = _import(corpora / "bfcl" / "published" / DAY)

    shown = _table(client.get("/bfcl-v4/?format=csv").content.decode())

    assert [_percent(row, "overall") for row in shown] == [row["Overall Acc"] for row in printed]
    assert all(
        theirs["Model"].casefold().startswith(ours["model"].split(" (")[0].casefold())
        for ours, theirs in zip(shown, printed, strict=True)
    )


@pytest.mark.django_db
def test_groups_computed_from_categories_equal_the_printed_ones(
    client: Client, corpora: Path
) -> None:
    printed = _import(corpora / "bfcl" / "published" / DAY)

    shown = _table(client.get("/bfcl-v4/?format=csv").content.decode())

    for ours, theirs in zip(shown, printed, strict=True):
        for group, column in PRINTED_BY_COLUMN.items():
            if theirs[column] != "N/A":
                expected = float(theirs[column].rstrip("%"))
                assert 100 * float(ours[group]) == pytest.approx(expected, abs=A_ROUNDING)
