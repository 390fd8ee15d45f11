"""Failing inputs from public bug reports, as machine-usable cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import Mode, Setup
from tests.evaluation.benchmarks.bfcl_v4.setups import FC, PROMPT, case_of

pytestmark = pytest.mark.usefixtures("data")

CHECKER_CASES = (
    "CK01 CK02 CK04 CK05 CK07 CK09 CK10 CK11 CK12 CK13 CK15 CK19 CK20".split()  # noqa: SIM905
)
ENDPOINT_CASES = ("EP30", "EP36", "EP37")


def case_file(corpora: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((corpora / "cases" / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", CHECKER_CASES)
def test_verdicts_are_those_required_and_official(corpora: Path, name: str) -> None:
    file = case_file(corpora, name)
    answers = {answer["label"]: answer for answer in file["input"]["answers"]}

    for wanted in file["expected"]["verdicts"]:
        answer = answers[wanted["label"]]
        setup = FC if answer["mode"] == "fc" else PROMPT
        verdict = SUITE.judge(case_of(answer["case_id"]), answer["result"], setup)

        if name == "CK15":  # the official verdict comes from running the model's code
            assert verdict.error_type == "ast_decoder:decoder_failed"
            continue
        assert verdict.error_type == wanted["official_error_type"], wanted["label"]
        assert verdict.valid == wanted["official_valid"], wanted["label"]
        assert wanted["required_valid"] in (None, verdict.valid), wanted["label"]


@pytest.mark.parametrize("name", ENDPOINT_CASES)
def test_arguments_no_database_can_hold_are_judged_and_shown(corpora: Path, name: str) -> None:
    file = case_file(corpora, name)
    body = json.loads(file["input"]["responses"][0]["body"])
    call = body["choices"][0]["message"]["tool_calls"][0]["function"]
    result = [{call["name"]: call["arguments"]}]
    case = case_of(file["input"]["bfcl_case"])

    verdict = SUITE.judge(case, result, FC)
    shown = SUITE.view(case, result, FC).decoded

    assert verdict.error_type == file["expected"]["official_pipeline_error_type"]
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


def test_format_sensitivity_ids_are_judged_by_their_last_part(corpora: Path) -> None:
    file = case_file(corpora, "CK23")
    last = file["input"]["id_example"].rpartition(":")[2].rpartition("_")[0]
    cases = SUITE.cases("format_sensitivity")
    case = next(case for case in cases if case.id.rpartition(":")[2].startswith(f"{last}_"))

    verdict = SUITE.judge(case, "<TOOLCALL>[]</TOOLCALL>", Setup(Mode.PROMPT))

    assert file["expected"]["checker"].split()[0] in str(verdict.error_type)
    assert "format_sensitivity" not in [leaf.name for leaf in SUITE.tree.leaves()]
