"""What happened in the worlds of a conversation, told from its calls."""

from __future__ import annotations

from typing import Any

from evaluation.engine.types import CaseData, Mode, Setup
from evaluation.sandbox.blocking import Sandbox
from tests.suites import real_suite

TELLER = "evaluation.benchmarks.bfcl_v4.multi_turn_story:tell"
DECODED = Setup(mode=Mode.FC, options={"decoded": True})


def told(case: CaseData, turns: Any) -> Any:
    with Sandbox(size=1) as sandbox:
        return sandbox.tell(TELLER, case, turns, DECODED)


def first_case() -> CaseData:
    return real_suite().cases("multi_turn_base")[0]


def test_the_accepted_calls_leave_no_difference() -> None:
    case = first_case()

    story = told(case, [[calls] for calls in case.answer])

    assert [turn["differences"] for turn in story] == [[] for _ in case.answer]
    assert [turn["calls"] for turn in story] == [turn["accepted"] for turn in story]
    assert any(turn["changes"] for turn in story)


def test_calls_left_out_show_in_the_world_and_in_what_was_not_replied() -> None:
    case = first_case()

    story = told(case, [[] for _ in case.answer])

    assert all(turn["calls"] == [] and turn["changes"] == [] for turn in story)
    assert story[-1]["differences"]


def test_hostile_calls_are_refused_and_hostile_results_are_no_calls() -> None:
    case = first_case()
    turns = [[["__import__('os').system('true')", "kill()"]], "nonsense", None, 7]

    story = told(case, (turns + [[]] * len(case.answer))[: len(case.answer)])

    assert all(reply.startswith("Error") for _, reply in story[0]["calls"])
    assert all(not turn["calls"] for turn in story[1:])


def test_a_result_without_turns_is_told_as_no_call() -> None:
    assert all(not turn["calls"] for turn in told(first_case(), "I give up."))
