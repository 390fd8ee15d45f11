"""Putting a result together from stored answers gives what playing the case with them gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.bfcl_v4 import tree
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.play import Fetch, WebResponse
from evaluation.engine.types import JSON, Answer, CaseData, Mode, Question, Setup
from evaluation.runner.rebuilding import replayed
from tests.evaluation.benchmarks.bfcl_v4.setups import FC, PROMPT
from tests.parity.playing import Stage

pytestmark = pytest.mark.usefixtures("data")

CATEGORIES = [leaf.name for leaf in (*tree.OVERALL.leaves(), *tree.EXTRAS)]
CALL = "[cd(folder='a')]"
Place = tuple[int, int]


def calling() -> Answer:
    function = {"name": "cd", "arguments": '{"folder": "a"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Answer([{"cd": '{"folder": "a"}'}], message)


def saying(text: str) -> Answer:
    return Answer(text, {"role": "assistant", "content": text})


def kinds(mode: Mode) -> list[Answer]:
    """What a model may say in a step: calls, words, what only looks like calls, nothing."""
    call = calling() if mode is Mode.FC else saying(CALL)
    empty = Answer([], {"role": "assistant", "content": ""})
    broken = Answer([{"cd": "{"}], calling().message)
    return [call, saying("Done."), saying(""), *([empty, broken] if mode is Mode.FC else [])]


def played(
    case: CaseData, setup: Setup, say: Callable[[], Answer]
) -> tuple[JSON, dict[Place, Answer]]:
    """The result of playing a case, and every answer given, by turn and step."""
    answers: dict[Place, Answer] = {}

    def answer(question: Question) -> Answer:
        return answers.setdefault((question.turn, question.step), say())

    stage = Stage(answer, fetch=nothing_found)
    return stage.play(SUITE, case, setup), answers


def nothing_found(step: Fetch) -> tuple[WebResponse, ...]:
    return tuple(WebResponse(0, trouble="no web here") for _ in step.requests)


def composed(case: CaseData, answers: dict[Place, Answer]) -> JSON:
    return SUITE.compose(case, {place: answer.result for place, answer in answers.items()})


def first_cases(category: str) -> Iterator[CaseData]:
    prerequisites = (group.prerequisites for group in SUITE.chains(category))
    yield from list(chain.from_iterable(prerequisites))[:1]
    yield SUITE.cases(category)[0]
    yield SUITE.cases(category)[-1]


@pytest.mark.parametrize("setup", [FC, PROMPT], ids=["fc", "prompt"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_a_model_that_calls_for_ever_and_one_that_never_does(category: str, setup: Setup) -> None:
    for case in first_cases(category):
        for kind in kinds(setup.mode):
            result, answers = played(case, setup, repeat(kind).__next__)

            assert composed(case, answers) == result
            assert replayed(SUITE, case, setup, answers) == result


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_mixture_of_answers(data: st.DataObject) -> None:
    setup = data.draw(st.sampled_from([FC, PROMPT]))
    case = data.draw(st.sampled_from(SUITE.cases(data.draw(st.sampled_from(CATEGORIES)))))
    said = data.draw(st.lists(st.sampled_from(kinds(setup.mode)), max_size=12))
    left = iter(said)

    result, answers = played(case, setup, lambda: next(left, saying("Done.")))

    assert composed(case, answers) == result
    assert replayed(SUITE, case, setup, answers) == result


def test_answers_that_came_in_another_order_are_put_in_theirs() -> None:
    case = SUITE.cases("multi_turn_base")[0]
    result, answers = played(case, PROMPT, iter([saying(CALL), *[saying("Done.")] * 9]).__next__)

    backwards = composed(case, dict(reversed(answers.items())))

    assert backwards == result
