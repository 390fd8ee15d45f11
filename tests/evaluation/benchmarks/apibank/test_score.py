"""Scoring a file of calls without a database."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.apibank.corpus import Corpus, GoldCall
from evaluation.benchmarks.apibank.prompts import written_call
from evaluation.benchmarks.apibank.score import Scorer, main, score_lines
from evaluation.benchmarks.apibank.verdicts import PROFILES

# Values and answers that something may stumble over.
ODD: tuple[Any, ...] = (
    *("", "'", '"', ")]", "[A(", "\x00", "\ud800", "²", "NaN", "1e999", "9" * 5000, "(" * 300),
    *("2023-02-30", "10000-01-01 25:61:61", "[{'name': 1}]", "[" * 300, "2**999", "\u2028", "\n"),
    *(None, True, -1, 10**400, float("nan"), [], {}, [None], {"a": [1, {"b": 2}]}, [[[]]]),
)


def a_row(**changes: Any) -> dict[str, Any]:
    row = {
        "id": "1",
        "sample": "L1/AddAgenda-level-1-1",
        "turn": 9,
        "call_index": 0,
        "call": "[GetUserToken(username='nobody', password='x')]",
    }
    return {**row, **changes}


def write(path: Path, *rows: Any) -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines))
    return str(path)


def test_each_line_gets_a_verdict(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [a_row(), "", a_row(id="2", call="no call"), a_row(id="3", call=None)]
    name = write(tmp_path / "calls.jsonl", *rows)

    code = main(["--benchmark", "apibank", "--source", str(checkout), name])

    verdicts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert verdicts == [
        {"id": "1", "valid": False, "error_class": "HAS_EXCEPTION"},
        {"id": "2", "valid": False, "error_class": "NO_API_CALL"},
        {"id": "3", "valid": False, "error_class": "FAILED_PARSE_API_CALL"},
    ]


def test_profiles_differ_where_the_published_evaluator_is_at_fault(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = "[TimedSwitch(device_id='12345', time='2021-08-05 19:00:00', on='True')]"
    row = a_row(sample="L1/TimedSwitch-level-1-1", turn=10, call=call)
    name = write(tmp_path / "calls.jsonl", {**row, "call_index": 0})

    for profile in ("upstream", "repaired"):
        assert main(["--profile", profile, "--source", str(checkout), name]) == 0

    verdicts = [json.loads(line)["valid"] for line in capsys.readouterr().out.splitlines()]
    assert verdicts == [False, None]


def test_a_compressed_file_is_read_as_well(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = checkout / "verdicts.jsonl.gz"

    code = main(["--profile", "upstream", "--source", str(checkout), str(recorded)])

    assert code == 0
    assert len(capsys.readouterr().out.splitlines()) == 9689


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "the line is not JSON"),
        ("[1]", "the line is not a JSON object"),
        ({"id": "x", "call": ""}, "the line has no sample, turn, call_index"),
        (a_row(id="x", turn=99), "there is no call 0 at turn 99 of 'L1/AddAgenda-level-1-1'"),
        (a_row(id="x", sample=["x"]), "there is no call 0 at turn 9 of ['x']"),
        (a_row(id="x", sample="L9/none"), "there is no call 0 at turn 9 of 'L9/none'"),
    ],
)
def test_a_line_that_asks_for_nothing_says_so_and_the_next_ones_are_judged(
    line: Any,
    fault: str,
    checkout: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = write(tmp_path / "calls.jsonl", line, a_row(), a_row())

    code = main(["--source", str(checkout), name])

    first, *others = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert first == {
        "id": line["id"] if isinstance(line, dict) else None,
        "valid": None,
        "error_class": None,
        "error": fault,
    }
    assert [one["error_class"] for one in others] == ["HAS_EXCEPTION"] * 2


@pytest.mark.parametrize("profile", PROFILES)
def test_any_call_gets_one_verdict_in_its_place(corpus: Corpus, profile: str) -> None:
    chance = random.Random(11)
    gold = [call for level in (1, 2, 3) for call in corpus.calls(level)]
    due = chance.choices(gold, k=600)
    rows = [
        a_row(
            id=number,
            sample=call.sample,
            turn=call.turn,
            call_index=call.index,
            call=mutilated(call, chance),
        )
        for number, call in enumerate(due)
    ]

    lines = [json.dumps(row).encode() for row in rows]
    verdicts = list(score_lines(lines, Scorer(corpus, profile)))

    assert [one["id"] for one in verdicts] == list(range(600))
    assert all("error" not in one for one in verdicts)
    assert {one["valid"] for one in verdicts} == {True, False, None}


def mutilated(call: GoldCall, chance: random.Random) -> Any:
    """A recorded call with something odd about it, or something that is no call at all."""
    odd = chance.choice(ODD)
    values = {key: odd if chance.random() < 0.4 else value for key, value in call.written.items()}
    text = written_call(call.tool, values)
    at = chance.randrange(len(text))
    native = [{call.tool: values}]
    texts = (text, text[:at] + str(odd) + text[at:], text[:at], text * 2)
    return chance.choice([*texts, native, [{call.tool: odd}], odd, [odd]])


def test_without_data_the_way_to_get_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CALLBOARD_DATA", str(tmp_path))

    code = main([write(tmp_path / "calls.jsonl", a_row())])

    assert code == 2
    assert "load_benchmark apibank" in capsys.readouterr().err
