"""Memory and web search: only the final message counts."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4 import tree
from evaluation.benchmarks.bfcl_v4.agentic import judge
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Mode, Setup

FC = Setup(Mode.FC, underscore=True)
SEARCH = [{"search_engine_query": '{"keywords":"x"}'}]
CUT_OFF = [{"search_engine_query": '{"keywords":"Zhang Yiming"'}]


def verdict(answers: list[str], result: Any, setup: Setup = FC) -> str | None:
    return judge(
        CaseData("web_search_base_0", "web_search_base", {}, answers), result, setup
    ).error_type


@pytest.mark.parametrize(
    ("message", "is_right"),
    [
        ("{'answer': '35', 'context': 'x'}", True),
        ("I waited 3.5 minutes and could not find it", True),
        ("It is not 35, I do not know", True),
        ("It costs $35.00", False),
        ("thirty-five", False),
        ("Thirty Five.", True),
        ("135", False),
    ],
)
def test_an_accepted_answer_must_stand_as_whole_words(message: str, is_right: bool) -> None:
    error_type = verdict(["35", "thirty five"], [[message]])

    assert error_type == (None if is_right else "agentic:answer_not_found")


@pytest.mark.parametrize(
    ("result", "error_type"),
    [
        pytest.param(
            [["Zhang Yiming", SEARCH, "I do not know"]], "answer_not_found", id="last-message"
        ),
        pytest.param([["Zhang Yiming", SEARCH]], None, id="calls-after-the-message"),
        pytest.param([["no idea", CUT_OFF]], None, id="a-cut-off-call-is-a-message"),
        pytest.param([["Zhang Yiming", None]], "no_last_message", id="null-at-the-end"),
        pytest.param([["Zhang Yiming", ""]], "no_last_message", id="empty-at-the-end"),
        pytest.param([[SEARCH]], "no_last_message", id="only-calls"),
        pytest.param([[["Zhang Yiming"]]], None, id="a-message-in-a-list"),
        pytest.param("Error during inference: x", "inference_error", id="error-text"),
        pytest.param([], "inference_error", id="no-turn"),
        pytest.param([["a"], ["b"]], "inference_error", id="two-turns"),
        pytest.param([7], "inference_error", id="a-turn-that-is-a-number"),
    ],
)
def test_which_message_counts(result: Any, error_type: str | None) -> None:
    assert verdict(["Zhang Yiming"], result) == (error_type and f"agentic:{error_type}")


def test_an_answer_that_begins_with_a_dollar_sign_cannot_be_found() -> None:
    assert verdict(["$49.99"], [["It cost $49.99 then"]]) == "agentic:answer_not_found"


def test_prompt_mode_takes_readable_calls_for_calls() -> None:
    result = [["It is Paris", "[search_engine_query(keywords='Paris')]"]]

    assert verdict(["Paris"], result, Setup(Mode.PROMPT)) is None


def test_a_right_verdict_shows_where_the_answer_stood() -> None:
    case = CaseData("web_search_base_0", "web_search_base", {}, ["7"])

    judgement = judge(case, [["I ran 7 searches but do not know the answer."]], FC)

    assert judgement.valid
    assert "“7” was found in the final message: …i ran 7 searches" in judgement.message


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("category", [leaf.name for leaf in tree.AGENTIC.leaves()])
def test_every_accepted_answer_is_found_in_a_sentence(category: str) -> None:
    wrong = {
        (case.id, answer)
        for case in SUITE.cases(category)
        for answer in case.answer
        if not judge(case, [[SEARCH, f"It is {answer}."]], FC).valid
    }

    assert wrong == set()
