"""Scoring a file of calls without a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.apibank.score import main


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
        ("{", "Line 1: it is no JSON."),
        ("[1]", "Line 1: it is no object with call"),
        (a_row(turn=99), "Line 1: there is no call 0 at turn 99"),
        (a_row(sample=["x"]), "Line 1: there is no call"),
    ],
)
def test_a_bad_line_is_named_with_its_number(
    line: Any,
    fault: str,
    checkout: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = write(tmp_path / "calls.jsonl", line)

    code = main(["--source", str(checkout), name])

    assert code == 2
    assert capsys.readouterr().err.startswith(fault)


def test_without_data_the_way_to_get_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CALLBOARD_DATA", str(tmp_path))

    code = main([write(tmp_path / "calls.jsonl", a_row())])

    assert code == 2
    assert "load_benchmark apibank" in capsys.readouterr().err
