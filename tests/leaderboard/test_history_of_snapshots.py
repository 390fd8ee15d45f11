"""One model over every table its benchmark's team has published, through two versions of it."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES
from evaluation.models import Benchmark, ModelCard, PublishedRow
from evaluation.services import benchmarks, published
from tests import make
from tests.suites import real_suite

pytestmark = pytest.mark.django_db
DAYS = ("2024-11-18", "2025-02-27", "2025-06-14", "2025-08-28", "2025-12-16")
V4_SINCE = "2025-08"
Printed = Mapping[str, list[dict[str, str]]]


@pytest.fixture
def printed(corpora: Path, db: None) -> Printed:
    """All five tables, imported in the order of their dates; by day, the rows as printed."""
    make.benchmark(dict.fromkeys(CATEGORIES, 1))
    benchmarks.load(real_suite("bfcl-v3"))
    return {on: imported(corpora / "bfcl" / "published" / on, on) for on in DAYS}


def imported(folder: Path, on: str) -> list[dict[str, str]]:
    files = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    published.import_tables(files, on=date.fromisoformat(on), source="official tables")
    text = files["data_overall.csv"].decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def percent(text: str) -> float:
    return float(text.rstrip("%"))


def history(client: Client, name: str) -> dict[str, dict[str, float]]:
    """Line → day → percent, as the chart of a model's page has it."""
    page = client.get(f"/models/{ModelCard.objects.get(name=name).slug}/").text
    found = re.search(r'id="history-figure" type="application/json">(.*?)</script>', page)
    assert found, "no chart"
    data: list[dict[str, Any]] = json.loads(html.unescape(found[1]))["data"]
    return {
        line["name"]: {str(x)[:10]: y for x, y in zip(line["x"], line["y"], strict=True)}
        for line in data
    }


def test_a_model_named_by_all_five_is_followed_through_both_versions(
    client: Client, printed: Printed
) -> None:
    name = "Open-Mistral-Nemo-2407"

    found = history(client, name)

    for mode in ("FC", "Prompt"):
        figures = {
            on: percent(row["Overall Acc"])
            for on, rows in printed.items()
            for row in rows
            if row["Model"] == f"{name} ({mode})"
        }
        assert len(figures) == len(DAYS)
        drawn: dict[str, float] = {}
        for line, moments in found.items():
            drawn |= moments if f", {mode}, published" in line else {}
        assert drawn == pytest.approx(figures)
    assert len(found) == 4  # each mode, on each of two versions that weigh differently


def test_a_name_written_in_other_letters_is_the_same_model(
    client: Client, printed: Printed
) -> None:
    """“gpt-4o-2024-11-20” in February 2025, “GPT-4o-2024-11-20” from June on."""
    cards = ModelCard.objects.filter(name__iexact="gpt-4o-2024-11-20")

    found = history(client, cards.get().name)

    days = {on for moments in found.values() for on in moments}
    assert days == {"2025-02-27", "2025-06-14", "2025-08-28"}


def test_every_row_of_every_table_is_a_moment_of_its_model(
    client: Client, printed: Printed
) -> None:
    """Also of models that the newest table does not name any more: their pages stay."""
    last_named = {}
    for rows in PublishedRow.objects.order_by("snapshot__date").select_related("entry__card"):
        last_named[rows.entry.card.slug] = rows.snapshot_id
    newest = PublishedRow.objects.order_by("-snapshot__date").values_list("snapshot", flat=True)[0]
    gone = sorted(slug for slug, snapshot in last_named.items() if snapshot != newest)

    assert len(gone) > 50
    for slug in gone[:: len(gone) // 8]:
        assert client.get(f"/models/{slug}/").status_code == 200


@pytest.mark.parametrize("on", DAYS)
def test_the_board_as_of_its_day_is_the_table_as_printed(
    client: Client, printed: Printed, on: str
) -> None:
    board = Benchmark.objects.get(suite="bfcl-v4" if on >= V4_SINCE else "bfcl-v3")

    content = client.get(f"/{board.slug}/?as_of={on}&format=csv").content.decode()

    shown = list(csv.DictReader(io.StringIO(content, newline="")))
    ranked = [row for row in shown if row["rank"]]
    assert [f"{100 * float(row['overall']):.2f}%" for row in ranked] == [
        row["Overall Acc"] for row in printed[on]
    ]
    assert {row["date"] for row in shown} == {on}
