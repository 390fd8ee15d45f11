"""`score --results --out`: from a folder of result files to official score files and tables."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4.result_layout import path_of
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.cli.score import main
from evaluation.cli.score_folder import Folder
from evaluation.engine.types import CaseData, Mode
from tests.bench.rescoring import steps_of
from tests.bench.scoring import answer_to
from tests.suites import real_suite

JAVASCRIPT, PARALLEL = "simple_javascript", "live_parallel"  # of the second all 16 are right
Change = Callable[[list[dict[str, Any]]], object]


@pytest.fixture(autouse=True)
def data() -> None:
    real_suite("bfcl-v4")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "result"


def answered(results: Path, category: str, change: Change = lambda rows: None) -> Path:
    """A category's file of a model that is always right, but for a change."""
    rows = [row_of(case) for case in SUITE.cases(category)]
    change(rows)
    path = results / "a-model" / path_of(category)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row_of(case: CaseData) -> dict[str, Any]:
    if case.category.startswith("multi_turn_"):
        turns: list[list[Any]] = [[] for _ in case.answer]
        for turn, _, said in steps_of(case, Mode.PROMPT):
            turns[turn].append(said)
        return {"id": case.id, "result": turns}
    return {"id": case.id, "result": answer_to(case, Mode.PROMPT), "latency": 0.5}


def score(results: Path) -> tuple[int, Path]:
    out = results.parent / "score"
    argv = ["--mode", "prompt", "--results", str(results), "--out", str(out)]
    return main(argv), out


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_score_files_and_tables_lie_where_the_official_tool_puts_them(results: Path) -> None:
    answered(results, PARALLEL, lambda rows: rows[3].update(result="I do not know."))

    status, out = score(results)

    header, failure = lines(out / "a-model" / path_of(PARALLEL, "score"))
    assert status == 0
    assert header == {"accuracy": 15 / 16, "correct_count": 15, "total_count": 16}
    assert failure["id"] == "live_parallel_3-0-3"
    assert failure["error_type"] == "ast_decoder:decoder_failed"
    assert failure["model_result_raw"] == "I do not know."
    with (out / "data_live.csv").open(encoding="utf-8") as table:
        (row,) = csv.DictReader(table)
    assert row["Model"] == "a-model"
    assert row["Python Parallel AST"] == "93.75%"
    assert len(list(out.glob("data_*.csv"))) == 6


def test_conversations_are_played_in_the_sandbox(results: Path) -> None:
    answered(results, "multi_turn_base", lambda rows: rows[1].update(result=[["Done."]]))

    status, out = score(results)

    header, *failures = lines(out / "a-model" / path_of("multi_turn_base", "score"))
    found = {failure["id"]: failure["error"]["error_type"] for failure in failures}
    assert status == 0
    assert found["multi_turn_base_1"] == "multi_turn:force_terminated"
    assert 100 < header["correct_count"] == 200 - len(found)


def test_the_folder_of_one_model_is_taken_too(results: Path) -> None:
    answered(results, PARALLEL)

    status, out = score(results / "a-model")

    assert status == 0
    assert not results.parent.joinpath("score").exists()
    assert lines(out / "a-model" / path_of(PARALLEL, "score"))[0]["accuracy"] == 1.0


def test_lines_are_joined_by_id_whatever_their_order(results: Path) -> None:
    answered(results, PARALLEL, list.reverse)

    status, out = score(results)

    assert status == 0
    assert lines(out / "a-model" / path_of(PARALLEL, "score"))[0]["correct_count"] == 16


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: rows.pop(7), "1 of 16 ids are missing, the first live_parallel_7-3-1"),
        (lambda rows: rows.append(rows[0]), "line 17: live_parallel_0-0-0 is there twice"),
        (
            lambda rows: rows[1].update(id="live_parallel_999"),
            "line 2: live_parallel_999: no case",
        ),
        (lambda rows: rows[1].update(id="multiple_0"), "line 2: multiple_0 belongs to multiple"),
        (
            lambda rows: rows[1].pop("result"),
            "line 2: live_parallel_1-0-1: the line has no result",
        ),
        (
            lambda rows: rows[1].update(latency=float("nan")),
            "line 2: “latency” of live_parallel_1-0-1",
        ),
    ],
)
def test_a_file_that_is_not_whole_is_refused_by_line_and_no_table_is_written(
    results: Path, capsys: pytest.CaptureFixture[str], change: Change, reason: str
) -> None:
    answered(results, PARALLEL, change)
    answered(results, JAVASCRIPT)

    status, out = score(results)

    assert status == 2
    assert reason in capsys.readouterr().err
    assert not (out / "a-model" / path_of(PARALLEL, "score")).exists()
    assert (out / "a-model" / path_of(JAVASCRIPT, "score")).exists()
    assert list(out.glob("*.csv")) == []


def test_blank_lines_are_passed_over_and_counted(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = answered(results, PARALLEL, lambda rows: rows.append(rows[0]))
    path.write_text("\n" + path.read_text(encoding="utf-8"), encoding="utf-8")

    score(results)

    assert "line 18: live_parallel_0-0-0 is there twice" in capsys.readouterr().err


def test_a_second_file_of_a_category_is_refused(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = answered(results, JAVASCRIPT)
    first.with_suffix(".jsonl").write_bytes(first.read_bytes())

    status, _ = score(results)

    assert status == 2
    assert "has the same category" in capsys.readouterr().err


def test_a_folder_without_results_is_said_to_have_none(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = score(results)

    assert status == 2
    assert "holds no BFCL_v4_" in capsys.readouterr().err
    assert not out.exists()


def test_a_place_that_cannot_be_written_is_named(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(results, JAVASCRIPT)
    (results.parent / "score").write_text("a file")

    status, out = score(results)

    assert status == 2
    assert str(out) in capsys.readouterr().err


def test_a_process_that_is_killed_ends_the_command_with_a_sentence(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(Folder, "_score", lambda *given: os._exit(9))
    answered(results, PARALLEL)
    answered(results, JAVASCRIPT)

    status, out = score(results)

    assert status == 2
    assert "was killed" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--results", "x"], "--results and --out belong together."),
        ([], "Name files of result lines, or a folder with --results and --out."),
        (["f", "--results", "x", "--out", "y"], "Name files of result lines, or a folder"),
        (["--results", "x", "--out", "y", "--decoded"], "--results reads folders of bfcl-v4"),
    ],
)
def test_options_that_contradict_one_another_are_refused(
    capsys: pytest.CaptureFixture[str], argv: list[str], sentence: str
) -> None:
    status = main(["--mode", "fc", *argv])

    assert status == 2
    assert sentence in capsys.readouterr().err
