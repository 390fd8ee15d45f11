"""The reference endpoint has a figure above nothing at every level, without knowing an answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evaluation.benchmarks.apibank import world
from evaluation.benchmarks.apibank.suite import ApiBank
from evaluation.engine.play import Act, Ask
from evaluation.engine.types import JSON, Answer, CaseData, Mode, Setup
from evaluation.reference.conversation import respond


def played(suite: ApiBank, case: CaseData, setup: Setup) -> JSON:
    """The result of a case that the reference model answers."""
    play = suite.play(case, setup)
    place = suite.world(case, setup)
    tools = world.build(place.config, None, datetime(2023, 3, 31, tzinfo=UTC)) if place else None
    step = next(play)
    while True:
        try:
            if isinstance(step, Ask):
                step = play.send(answer(step))
            else:
                assert tools is not None
                assert isinstance(step, Act)
                step = play.send(tuple(tools.act(call) for call in step.calls))
        except StopIteration as end:
            return end.value


def answer(step: Ask) -> Answer:
    request = {
        "messages": [dict(message) for message in step.question.messages],
        "tools": [dict(tool) for tool in step.question.tools or ()],
    }
    message = respond(request).message
    calls = [
        {call["function"]["name"]: call["function"]["arguments"]}
        for call in message.get("tool_calls", ())
    ]
    return Answer(calls or message["content"], message)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("category", "least"),
    [
        ("level_1_schedule", 0.15),
        ("level_2_tool_search", 0.3),
        ("level_2_schedule", 0.2),
        ("level_3_tool_search", 0.3),
        ("level_3_travel_and_weather", 0.3),
        ("level_3_free", 0.05),
    ],
)
def test_it_is_right_at_every_level_in_both_modes(
    suite: ApiBank, mode: Mode, category: str, least: float
) -> None:
    setup = Setup(mode, profile="repaired", options=suite.options())
    cases = suite.cases(category)

    right = sum(suite.judge(case, played(suite, case, setup), setup).valid for case in cases)

    assert right / len(cases) >= least
