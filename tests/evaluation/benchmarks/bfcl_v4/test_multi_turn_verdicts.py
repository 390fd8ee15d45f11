"""Multi-turn verdicts, reached in the sandbox from the benchmark's own simulated classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evaluation.benchmarks.suite import Suite
from evaluation.engine.types import CaseData, Fault, Mode, Setup
from evaluation.sandbox.blocking import Sandbox
from tests.parity.multi_turn import AS_CALLS
from tests.suites import real_suite

FC = Setup(Mode.FC, underscore=True)
PROMPT = Setup(Mode.PROMPT)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return real_suite()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(size=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def case(suite: Suite) -> CaseData:
    return suite.cases("multi_turn_base")[0]


def one_step_a_turn(case: CaseData) -> list[list[list[str]]]:
    return [[list(calls)] for calls in case.answer]


LS = [{"ls": "{}"}]


def test_the_accepted_calls_are_right_in_every_category(suite: Suite, sandbox: Sandbox) -> None:
    names = ("base", "miss_func", "miss_param", "long_context")
    cases = [case for name in names for case in suite.cases(f"multi_turn_{name}")[::10]]

    judgements = sandbox.judge_all(
        suite.slug, [(case, one_step_a_turn(case), AS_CALLS) for case in cases]
    )

    assert [judgement.valid for judgement in judgements] == [True] * len(cases)


def test_a_right_trace_after_a_wrong_one_passes(case: CaseData, sandbox: Sandbox) -> None:
    right = one_step_a_turn(case)
    wrong = [[["rm(file_name='previous_report.pdf')"], *turn] for turn in right]

    verdicts = [sandbox.judge("bfcl-v4", case, trace, AS_CALLS).valid for trace in (wrong, right)]

    assert verdicts == [False, True]


@pytest.mark.parametrize("sign", [".", "-", "/", ":", " ", "(v1)"])
def test_cases_whose_names_differ_in_a_sign_only_never_meet(
    case: CaseData, sandbox: Sandbox, sign: str
) -> None:
    other = replace(case, id=f"multi_turn_base{sign}_0")
    wrong = [[["rm(file_name='previous_report.pdf')"], *turn] for turn in one_step_a_turn(case)]

    spoiled = sandbox.judge("bfcl-v4", other, wrong, AS_CALLS)
    judgement = sandbox.judge("bfcl-v4", case, one_step_a_turn(case), AS_CALLS)

    assert (spoiled.valid, judgement.valid) == (False, True)


def test_listing_files_over_and_over_is_wrong_under_every_name(
    case: CaseData, sandbox: Sandbox
) -> None:
    result = [[LS * 6] for _ in case.answer]

    judgement = sandbox.judge("bfcl-v4", case, result, FC)

    assert judgement.error_type == "multi_turn:instance_state_mismatch"
    assert judgement.fault is Fault.WRONG_STATE
    assert judgement.where == "turn 1, GorillaFileSystem.root"


@pytest.mark.parametrize(
    ("result", "error_type"),
    [
        pytest.param("Error during inference: x", "inference_error", id="error-text"),
        pytest.param(None, "inference_error", id="nothing"),
        pytest.param({}, "inference_error", id="an-object"),
        pytest.param([], "force_terminated", id="no-turn"),
        pytest.param([[LS]] * 3, "force_terminated", id="a-turn-too-few"),
        pytest.param([["I am done."]] * 4, "empty_turn_model_response", id="only-messages"),
        pytest.param([[[]]] * 4, "empty_turn_model_response", id="only-empty-steps"),
        pytest.param([None, 1, "x", {}], "empty_turn_model_response", id="turns-of-other-kinds"),
        pytest.param([[[{"ls": "{"}]]] * 4, "empty_turn_model_response", id="arguments-cut-off"),
        pytest.param([[[{"ls": ""}]]] * 4, "empty_turn_model_response", id="empty-arguments"),
        pytest.param([[LS]] * 4, "instance_state_mismatch", id="nothing-done"),
    ],
)
def test_a_wrong_result_has_the_official_error_type(
    case: CaseData, sandbox: Sandbox, result: Any, error_type: str
) -> None:
    judgement = sandbox.judge("bfcl-v4", case, result, FC)

    assert (judgement.valid, judgement.error_type) == (False, f"multi_turn:{error_type}")


def test_a_result_nested_beyond_measure_is_wrong_and_harms_nobody(
    case: CaseData, sandbox: Sandbox
) -> None:
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]

    hostile = (case, [nested] * 4, FC)
    judgements = sandbox.judge_all("bfcl-v4", [hostile, (case, one_step_a_turn(case), AS_CALLS)])

    assert [judgement.valid for judgement in judgements] == [False, True]


@pytest.mark.parametrize("depth", [300, 900, 990, 1000])
def test_a_result_nested_near_the_limit_is_wrong(
    case: CaseData, sandbox: Sandbox, depth: int
) -> None:
    step: Any = {"ls": "{}"}
    for _ in range(depth):
        step = [step]

    judgement = sandbox.judge("bfcl-v4", case, [[step]] * 4, FC)

    assert not judgement.valid


def test_a_reply_that_was_due_and_never_came_is_named(case: CaseData, sandbox: Sandbox) -> None:
    trace = one_step_a_turn(case)
    trace[1] = [["cd(folder='temp')"]]

    judgement = sandbox.judge("bfcl-v4", case, trace, AS_CALLS)

    assert judgement.error_type == "multi_turn:execution_response_mismatch"
    assert judgement.where == "turn 2"
    assert "budget analysis" in judgement.message


def test_a_turn_with_nothing_due_is_not_judged(suite: Suite, sandbox: Sandbox) -> None:
    case = next(case for case in suite.cases("multi_turn_miss_func") if case.answer[-1] == [])
    trace = one_step_a_turn(case)
    trace[-1] = [["post_tweet(content='unasked')"], ["rm(file_name='x')"]]

    judgement = sandbox.judge("bfcl-v4", case, trace, AS_CALLS)

    assert judgement.valid


def test_prompt_mode_reads_its_text_as_calls(case: CaseData, sandbox: Sandbox) -> None:
    result = [
        ["[cd(folder='document'), mkdir(dir_name='temp')]",
         "[mv(source='final_report.pdf', destination='temp')]", "Moved."],
        ["[cd(folder='temp'), grep(file_name='final_report.pdf', pattern='budget analysis')]"],
        ["```\nsort(file_name='final_report.pdf')\n```"],
        ["[cd(folder='..'), mv(source='previous_report.pdf', destination='temp'), "
         "cd(folder='temp'), diff(file_name1='final_report.pdf', "
         "file_name2='previous_report.pdf')]"],
    ]  # fmt: skip

    judgement = sandbox.judge("bfcl-v4", case, result, PROMPT)

    assert judgement.valid


def test_an_injected_function_name_runs_nothing(case: CaseData, sandbox: Sandbox) -> None:
    step = [{"__import__('os').system": '{"command": "true"}'}, {"cd(folder='x') or ls": "{}"}]

    judgement = sandbox.judge("bfcl-v4", case, [[step]] * 4, FC)

    assert judgement.error_type == "multi_turn:instance_state_mismatch"


def test_a_call_that_hangs_in_a_judged_trace_does_not_change_the_verdict(
    suite: Suite, sandbox: Sandbox
) -> None:
    case = next(
        case
        for case in suite.cases("multi_turn_base")
        if "MathAPI" in case.question["involved_classes"]
    )
    trace = one_step_a_turn(case)
    trace[0].append(["round_number(number=5, decimal_places=-1000000000)"])

    judgement = sandbox.judge("bfcl-v4", case, trace, AS_CALLS)

    assert judgement.valid
