"""Loading the data: order, identity, and that a broken file is an error before any scoring."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.formats import ALL, of_case, read
from evaluation.benchmarks.suite import BenchmarkBroken
from tests.evaluation.benchmarks.bfcl_v4.setups import case_of

QUESTION = {"id": "multiple_0", "question": [[{"role": "user", "content": "?"}]], "function": []}
ANSWER = {"id": "multiple_0", "ground_truth": [{"f": {"a": [1]}}]}


def folder(tmp_path: Path, *answers: str) -> Path:
    (tmp_path / "possible_answer").mkdir()
    questions = [json.dumps(QUESTION | {"id": f"multiple_{n}"}) for n in range(2)]
    (tmp_path / "BFCL_v4_multiple.json").write_text("\n".join(questions))
    (tmp_path / "possible_answer" / "BFCL_v4_multiple.json").write_text("\n".join(answers))
    return tmp_path


def test_questions_and_answers_are_joined_line_by_line(tmp_path: Path) -> None:
    second = json.dumps({"id": "other", "ground_truth": [{"f": {"a": [2.0]}}]})

    cases = loader.read_cases(folder(tmp_path, json.dumps(ANSWER), second), "multiple")

    assert [case.id for case in cases] == ["multiple_0", "multiple_1"]
    assert cases[1].answer == [{"f": {"a": [2.0]}}]
    assert type(cases[1].answer[0]["f"]["a"][0]) is float


@pytest.mark.parametrize(
    "answer",
    [
        '{"id": "x"',
        "[1]",
        '{"id": "x"}',
        '{"ground_truth": []}',
        '{"ground_truth": [{"f": 1}]}',
        '{"ground_truth": [{"f": {"a": 1}}]}',
        '{"ground_truth": "f(a=1)"}',
        "",
    ],
)
def test_a_broken_answer_is_an_error_at_load(tmp_path: Path, answer: str) -> None:
    with pytest.raises(BenchmarkBroken):
        loader.read_cases(folder(tmp_path, json.dumps(ANSWER), answer), "multiple")


def test_a_missing_file_is_an_error_at_load(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkBroken):
        loader.read_cases(tmp_path, "multiple")


def test_the_26_configurations_read_back_as_written() -> None:
    assert len(set(ALL)) == 26
    assert [read(str(form)) for form in ALL] == list(ALL)
    with pytest.raises(ValueError, match="not a prompt configuration"):
        read("ret_fmt=yaml")


@pytest.mark.usefixtures("data")
def test_format_sensitivity_asks_200_cases_in_26_ways_in_the_official_order() -> None:
    cases = loader.cases("format_sensitivity")

    assert [int(case.id.split(":")[0].rpartition("_")[2]) for case in cases] == [*range(5200)]
    assert [of_case(case.id) for case in cases[:26]] == list(ALL)
    assert len({case.id.rpartition(":")[2] for case in cases}) == 200
    assert case_of(cases[26].id) is cases[26]
