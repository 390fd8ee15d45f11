"""The accepted answer of every case is judged right, but for those that nobody can pass."""

from __future__ import annotations

import json

import pytest

from evaluation.benchmarks.bfcl_v4 import tree
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData
from tests.evaluation.benchmarks.bfcl_v4.accepted import WITH_CALLS, accepted_calls, as_text
from tests.evaluation.benchmarks.bfcl_v4.setups import FC, PROMPT, called, case_of, judged
from tests.parity.formats import written

pytestmark = pytest.mark.usefixtures("data")

# Nobody can pass these: the answers of the first two ask for a parameter that the function does
# not have, those of the others for parameters of which no value is accepted.
UNSATISFIABLE = {
    "live_multiple_862-181-3",
    "live_multiple_964-207-0",
    "live_simple_106-63-0",
    "live_simple_112-68-0",
}


@pytest.mark.parametrize("category", WITH_CALLS)
@pytest.mark.parametrize("minimal", [True, False])
def test_the_accepted_answer_is_right(category: str, minimal: bool) -> None:
    wrong = {
        case.id: verdict.message
        for case in SUITE.cases(category)
        if not (verdict := SUITE.judge(case, accepted_calls(case, minimal=minimal), FC)).valid
    }

    assert set(wrong) - UNSATISFIABLE == set(), wrong


@pytest.mark.parametrize("category", WITH_CALLS)
def test_the_accepted_answer_is_right_in_prompt_mode(category: str) -> None:
    wrong = {
        case.id: verdict.message
        for case in SUITE.cases(category)
        if not (
            verdict := SUITE.judge(case, as_text(accepted_calls(case, dots=True)), PROMPT)
        ).valid
    }

    assert set(wrong) - UNSATISFIABLE == set(), wrong


def test_the_accepted_answer_is_right_in_every_format() -> None:
    wrong = {}
    for case in SUITE.cases(tree.FORMAT_SENSITIVITY.name):
        calls = [
            (name, json.loads(text))
            for call in accepted_calls(case, dots=True)
            for name, text in call.items()
        ]
        verdict = SUITE.judge(case, written(case.id, calls), PROMPT)
        if not verdict.valid:
            wrong[case.id] = verdict.message

    # A list of objects inside an argument cuts JSON short: a quirk, and no way around it.
    impossible = {
        case.id
        for case in SUITE.cases(tree.FORMAT_SENSITIVITY.name)
        if case.id.endswith(":simple_python_96") and "ret_fmt=json" in case.id
    }
    assert wrong.keys() == impossible


@pytest.mark.parametrize(
    ("category", "right", "wrong"),
    [
        ("irrelevance", "None of these helps.", "[f(a=1)]"),
        ("live_irrelevance", "None of these helps.", "[f(a=1)]"),
        ("live_relevance", "[f(a=1)]", "None of these helps."),
    ],
)
def test_where_no_answer_is_listed_calling_or_not_is_what_counts(
    category: str, right: str, wrong: str
) -> None:
    verdicts = {
        (SUITE.judge(case, right, PROMPT).valid, SUITE.judge(case, wrong, PROMPT).valid)
        for case in SUITE.cases(category)
    }

    assert verdicts == {(True, False)}


def test_nobody_can_pass_the_unsatisfiable_cases() -> None:
    for case_id in UNSATISFIABLE:
        for minimal in (True, False):
            calls = accepted_calls(case_of(case_id), minimal=minimal)

            assert not judged(case_id, calls).valid


def test_names_no_database_can_hold_do_not_reach_a_judgement() -> None:
    odd = "a\0\ud800"
    results = (
        [{odd: "{}"}],
        [{odd: "{"}],
        [called("calculate_triangle_area", base=1, height=1, **{odd: 1})],
    )

    for result in results:
        verdict = judged("simple_python_0", result)

        assert "\0" not in verdict.message + verdict.where
        assert (verdict.message + verdict.where).encode()


def test_the_result_of_another_question_text_or_answer_is_not_judged_by_the_old_one() -> None:
    case = case_of("simple_python_0")
    corrected = CaseData(
        case.id,
        case.category,
        case.question,
        [{"calculate_triangle_area": {"base": [1], "height": [1]}}],
    )
    result = [called("calculate_triangle_area", base=10, height=5)]

    before, after = SUITE.judge(case, result, FC), SUITE.judge(corrected, result, FC)

    assert (before.valid, after.valid) == (True, False)
