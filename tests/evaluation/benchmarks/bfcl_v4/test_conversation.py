"""How the cases of several turns are asked: driven with canned answers, without a world."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.suite import Suite
from evaluation.engine.types import Answer, CaseData, Mode, Question, Setup
from evaluation.sandbox.blocking import Sandbox
from tests.parity.multi_turn import differing_requests, differing_verdicts, lines
from tests.parity.playing import Stage, done
from tests.suites import real_suite

FC = Setup(Mode.FC, underscore=True)
PROMPT = Setup(Mode.PROMPT)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return real_suite()


@pytest.fixture(scope="module")
def case(suite: Suite) -> CaseData:
    return suite.cases("multi_turn_base")[0]


def calling(*calls: tuple[str, str], ids: Sequence[str] = ()) -> Answer:
    """An FC answer with these calls: names and arguments as JSON text."""
    made = [
        {
            "id": ids[place] if ids else f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for place, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    return Answer([{name: arguments} for name, arguments in calls], message)


def saying(text: str) -> Answer:
    return Answer(text, {"role": "assistant", "content": text})


def once(first: Answer) -> Callable[[Question], Answer]:
    """Answers with `first` in the very first step, and is done ever after."""
    return lambda question: first if (question.turn, question.step) == (0, 0) else done(question)


def numbered(calls: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"reply {number}" for number, _ in enumerate(calls))


def test_a_model_that_makes_no_call_is_asked_once_a_turn(suite: Suite, case: CaseData) -> None:
    stage = Stage()

    result = stage.play(suite, case, FC)

    assert result == [["I am done."]] * 4
    assert [(question.turn, question.step) for question in stage.questions] == [
        (0, 0), (1, 0), (2, 0), (3, 0)
    ]  # fmt: skip


def test_in_fc_mode_every_call_gets_a_tool_message_with_its_id(
    suite: Suite, case: CaseData
) -> None:
    answer = calling(("cd", '{"folder":"document"}'), ("ls", "{}"), ids=("cd:0", "cd:0"))
    stage = Stage(answer=once(answer), act=numbered)

    stage.play(suite, case, FC)

    assert stage.calls == ["cd(folder='document')", "ls()"]
    assert stage.questions[1].messages[-3:] == (
        answer.message,
        {"role": "tool", "content": "reply 0", "tool_call_id": "cd:0"},
        {"role": "tool", "content": "reply 1", "tool_call_id": "cd:0"},
    )


def test_in_prompt_mode_all_replies_come_in_one_user_message(suite: Suite, case: CaseData) -> None:
    stage = Stage(answer=once(saying("[cd(folder='document'), ls()]")), act=numbered)

    stage.play(suite, case, PROMPT)

    told = stage.questions[1].messages[-1]
    assert told["role"] == "user"
    assert told["content"] == repr(
        [
            {"role": "tool", "name": "cd(folder='document')", "content": "reply 0"},
            {"role": "tool", "name": "ls()", "content": "reply 1"},
        ]
    )


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(calling(("cd", '{"folder": "docu')), id="cut-off-arguments"),
        pytest.param(calling(("ls", "")), id="empty-arguments"),
        pytest.param(saying(""), id="empty-text"),
        pytest.param(Answer(None, {"role": "assistant", "content": None}), id="null"),
    ],
)
def test_a_step_that_cannot_be_read_ends_the_turn_and_stays_in_the_history(
    suite: Suite, case: CaseData, answer: Answer
) -> None:
    stage = Stage(answer=once(answer))

    result = stage.play(suite, case, FC)

    assert result[0] == [answer.result]
    assert stage.calls == []
    assert stage.questions[1].messages[1] == answer.message


def test_the_twenty_first_step_is_executed_and_ends_the_case(suite: Suite, case: CaseData) -> None:
    stage = Stage(answer=lambda question: calling(("ls", "{}")), act=numbered)

    result = stage.play(suite, case, FC)

    assert [len(turn) for turn in result] == [21]
    assert len(stage.calls) == 21


def test_the_limit_counts_each_turn_anew(suite: Suite, case: CaseData) -> None:
    def answer(question: Question) -> Answer:
        return calling(("ls", "{}")) if question.step < 20 else done(question)

    result = Stage(answer=answer, act=numbered).play(suite, case, FC)

    assert [len(turn) for turn in result] == [21] * 4


@pytest.mark.parametrize("mode", list(Mode))
def test_a_function_held_back_is_offered_in_its_turn(suite: Suite, mode: Mode) -> None:
    case = suite.cases("multi_turn_miss_func")[0]  # holds back `sort` until its turn 3
    stage = Stage()

    stage.play(suite, case, Setup(mode, underscore=mode is Mode.FC))

    before, after = stage.questions[2], stage.questions[3]
    announced = after.messages[-1]["content"]
    if mode is Mode.FC:
        names = [[tool["function"]["name"] for tool in one.tools or ()] for one in (before, after)]
        assert ("sort" in names[0], names[1][-1]) == (False, "sort")
        assert announced.startswith("I have updated some more functions")
    else:
        assert "'name': 'sort'" in announced
        assert '"name": "sort"' not in before.messages[0]["content"]


def test_the_worlds_of_long_context_are_long(suite: Suite, case: CaseData) -> None:
    long = suite.cases("multi_turn_long_context")[0]

    flags = [suite.world(one, FC).config["long_context"] for one in (case, long)]  # type: ignore[union-attr]

    assert flags == [False, True]


def test_asking_changes_nothing_in_the_case(suite: Suite) -> None:
    case = suite.cases("multi_turn_miss_func")[0]
    before = json.dumps(case.question)

    first, again = Stage(), Stage()
    for stage in (first, again):
        stage.play(suite, case, FC)

    assert json.dumps(case.question) == before
    assert first.questions == again.questions


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    "category", ["multi_turn_miss_func", "multi_turn_long_context", "memory_kv", "web_search_base"]
)
def test_requests_equal_the_recorded_ones(corpora: Path, category: str, mode: Mode) -> None:
    rows = list(lines(corpora / "bfcl" / "requests" / mode.value / f"{category}.jsonl.gz"))
    some = {row["id"] for row in rows[::40]}

    differing = differing_requests(category, mode, [row for row in rows if row["id"] in some])

    assert differing == []


@pytest.mark.parametrize("category", ["multi_turn_base", "multi_turn_miss_param"])
def test_verdicts_equal_the_recorded_ones(corpora: Path, category: str) -> None:
    rows: list[dict[str, Any]] = list(
        lines(corpora / "bfcl" / "multi_turn" / f"{category}.jsonl.gz")
    )

    with Sandbox(size=1) as sandbox:
        differing = differing_verdicts(sandbox, category, rows[::7])

    assert differing == []
