"""Published tables come in whole and go out as they were; runs stand among them by their rules."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.bfcl_published.read import TableRefused
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES
from evaluation.models import Benchmark, Evidence, ModelCard, PublishedRow, Snapshot
from evaluation.services import benchmarks, published
from leaderboard import official
from tests import make
from tests.suites import real_suite

DAYS = ("2024-11-18", "2025-02-27", "2025-06-14", "2025-08-28", "2025-12-16")
NEWEST = DAYS[-1]


def table(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def source(corpora: Path, day: str) -> dict[str, bytes]:
    folder = corpora / "bfcl" / "published" / day
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


def load(corpora: Path, day: str) -> dict[str, bytes]:
    files = source(corpora, day)
    published.import_tables(files, on=date.fromisoformat(day), source="official tables")
    return files


@pytest.fixture
def boards(db: None) -> Mapping[str, Benchmark]:
    """Both generations of the benchmark, without cases."""
    return {
        "bfcl-v4": make.benchmark(dict.fromkeys(CATEGORIES, 1)),
        "bfcl-v3": benchmarks.load(real_suite("bfcl-v3"))[0],
    }


def board_of(day: str) -> str:
    return "bfcl-v4" if day >= "2025-08" else "bfcl-v3"


@pytest.mark.parametrize("day", DAYS)
def test_a_snapshot_goes_out_as_it_came_in(
    boards: Mapping[str, Benchmark], corpora: Path, day: str
) -> None:
    files = load(corpora, day)

    written = official.tables(boards[board_of(day)], {Evidence.PUBLISHED})

    assert written.keys() == files.keys()
    for name, content in files.items():
        assert table(written[name]) == table(content)


def test_every_snapshot_is_imported_once_and_one_model_is_one_card(
    boards: Mapping[str, Benchmark], corpora: Path
) -> None:
    loaded = [load(corpora, day) for day in (*DAYS, *DAYS)]

    listed = sum(len(table(files["data_overall.csv"])) - 1 for files in loaded[: len(DAYS)])
    rows = PublishedRow.objects.count()
    names = ModelCard.objects.values_list("name", flat=True)
    assert Snapshot.objects.count() == len(DAYS)
    assert rows == listed
    assert len(names) == len(set(names)) < rows


def test_the_state_of_an_earlier_date_is_written(
    boards: Mapping[str, Benchmark], corpora: Path
) -> None:
    older = load(corpora, "2025-08-28")
    load(corpora, NEWEST)

    written = official.tables(boards["bfcl-v4"], {Evidence.PUBLISHED}, date(2025, 11, 1))

    assert table(written["data_overall.csv"]) == table(older["data_overall.csv"])


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (b"Live Acc,", b"Live Accuracy,", "line 1: column 14 is “Live Accuracy”"),
        (b"Rank,Overall Acc", b"Overall Acc,Rank", "line 1: column 1 is “Overall Acc”"),
        (b"Claude-Opus-4-5-20251101 (FC)", b"Claude, Opus (FC)", "line 2: 37 cells"),
        (b"77.47%", b"7747", "line 2: “7747” under “Overall Acc”"),
    ],
)
def test_shifted_or_renamed_columns_are_refused_with_line_and_reason(
    boards: Mapping[str, Benchmark], corpora: Path, before: bytes, after: bytes, reason: str
) -> None:
    files = source(corpora, NEWEST)
    assert before in files["data_overall.csv"]
    files["data_overall.csv"] = files["data_overall.csv"].replace(before, after, 1)

    with pytest.raises(TableRefused) as refused:
        published.import_tables(files, on=date.fromisoformat(NEWEST), source="changed")

    assert reason in str(refused.value)
    assert not PublishedRow.objects.exists()


def test_runs_stand_among_published_rows_by_their_figures(
    boards: Mapping[str, Benchmark], corpora: Path
) -> None:
    load(corpora, NEWEST)
    board = boards["bfcl-v4"]
    make.finished_run(make.entry(make.card("Best of all"), board), 1.0)

    written = official.tables(board, set(Evidence.values))

    rows = table(written["data_overall.csv"])
    assert rows[1][:3] == ["1", "100.00%", "Best of all (FC)"]
    assert rows[2][:3] == ["2", "77.47%", "Claude-Opus-4-5-20251101 (FC)"]
    assert len(rows) == 1 + 1 + 109


def test_the_command_writes_six_tables(
    boards: Mapping[str, Benchmark], corpora: Path, tmp_path: Path
) -> None:
    load(corpora, NEWEST)
    options: Any = {"out": tmp_path, "evidence": ["published"], "verbosity": 0}

    call_command("export_standings", "bfcl-v4", **options)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(source(corpora, NEWEST))


def test_an_empty_board_writes_nothing_and_says_how_to_fill_it(
    boards: Mapping[str, Benchmark], tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="import_published"):
        call_command("export_standings", "bfcl-v4", out=tmp_path)

    assert list(tmp_path.iterdir()) == []
