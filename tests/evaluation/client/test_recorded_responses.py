"""What endpoints in the field really sent, and what a fair evaluator makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.client.endpoint import Exchange
from evaluation.client.errors import Effect
from evaluation.client.wire import Deviation
from evaluation.engine.types import Question
from tests.evaluation.client.asking import TOOL, USER, WITHOUT_TOOLS, ask
from tests.fakes import FakeEndpoint, RecordedCase, recorded_case

# What a response amounts to: an official result value, or the effect of a trouble.
NOTHING_CALLED = None
CALLED = "calculate_triangle_area"


def first_exchange(case: RecordedCase, **settings: Any) -> Exchange:
    question = Question((USER,), (TOOL,)) if case.mode == "fc" else WITHOUT_TOOLS
    with FakeEndpoint(*case.responses) as endpoint:
        return ask(endpoint, question, **settings)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("EP02", [{CALLED: '{"base": 10, "hei'}]),
        ("EP03", [{CALLED: '{"base": 10, '}]),
        ("EP05", NOTHING_CALLED),
        ("EP06", []),
        ("EP12", [{"cd": '{"folder":"document"}'}, {"ls": "{}"}]),
        ("EP23", NOTHING_CALLED),
        ("EP25", [{CALLED: '{"base": 10, "height": 5}'}]),
        ("EP29", "no tool\x00fits"),
        ("EP30", [{CALLED: '{"base": NaN, "height": Infinity}'}]),
        ("EP38", [{"cd": '{"folder":"document"}'}]),
        ("EP40", [{"cd": '{"folder": "docu'}]),
        ("EP41", [{"ls": "{}"}]),
        ("EP45", [{CALLED: '{"base": 11, "height": 5}'}]),
        ("EP46", [{"ls": "{}"}]),
    ],
)
def test_a_completion_gives_the_official_result_value(
    corpora: Path, name: str, result: object
) -> None:
    case = recorded_case(corpora, name)

    exchange = first_exchange(case)

    assert exchange.completion is not None
    assert exchange.completion.answer.result == result
    assert exchange.body == case.responses[0].body


@pytest.mark.parametrize("name", ["EP07", "EP08", "EP09"])
def test_text_stays_the_text_it_was(corpora: Path, name: str) -> None:
    case = recorded_case(corpora, name)

    exchange = first_exchange(case, reasoning_end="</think>")

    assert exchange.completion is not None
    text = exchange.completion.answer.result
    assert text.encode() in case.responses[0].body.replace(b"\\n", b"\n").replace(b'\\"', b'"')
    has_markup = Deviation.CALL_IN_TEXT in exchange.completion.deviations
    assert has_markup == (name != "EP09")


@pytest.mark.parametrize(
    ("name", "deviations"),
    [
        ("EP02", {"undecodable_call", "truncated"}),
        ("EP03", {"undecodable_call", "truncated"}),
        ("EP05", set()),
        ("EP06", {"call_in_text"}),
        ("EP12", {"repeated_call_id"}),
        ("EP23", {"refused"}),
        ("EP25", {"usage_missing"}),
        ("EP36", {"undecodable_call"}),
        ("EP37", {"undecodable_call"}),
        ("EP41", {"arguments_empty"}),
        ("EP45", set()),
        ("EP46", {"arguments_missing"}),
    ],
)
def test_what_is_noteworthy_is_counted(corpora: Path, name: str, deviations: set[str]) -> None:
    case = recorded_case(corpora, name)
    limit = case.settings.get("request_max_tokens")

    exchange = first_exchange(case, parameters={"max_tokens": limit} if limit else {})

    assert exchange.completion is not None
    assert set(exchange.completion.deviations) == deviations


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("EP13", Effect.RETRY),
        ("EP17", Effect.PAUSE),
        ("EP19", Effect.RETRY),
        ("EP21", Effect.WRONG),
        ("EP22", Effect.OURS),
        ("EP32", Effect.STOP),
        ("EP33", Effect.RETRY),
        ("EP42", Effect.STOP),
        ("EP43", Effect.RETRY),
    ],
)
def test_trouble_has_the_effect_that_is_fair(corpora: Path, name: str, effect: Effect) -> None:
    case = recorded_case(corpora, name)

    exchange = first_exchange(case)

    assert exchange.trouble is not None
    assert exchange.trouble.effect is effect


def test_a_dripping_response_ends_at_the_total_deadline(corpora: Path) -> None:
    case = recorded_case(corpora, "EP34")

    exchange = first_exchange(case, timeout=0.3)

    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY
    assert exchange.latency < case.expected["deadline_s"]


def test_reasoning_is_kept_apart_and_never_searched_for_calls(corpora: Path) -> None:
    exchange = first_exchange(recorded_case(corpora, "EP05"))

    assert exchange.completion is not None
    assert exchange.completion.reasoning.startswith("I would call")
    assert exchange.completion.answer.message == {"role": "assistant", "content": ""}


def test_the_provider_s_words_are_shown_and_a_foreign_page_is_not(corpora: Path) -> None:
    overloaded = first_exchange(recorded_case(corpora, "EP13"))
    page = first_exchange(recorded_case(corpora, "EP42"))

    assert overloaded.trouble is not None
    assert "upstream overloaded" in overloaded.trouble.sentence
    assert page.trouble is not None
    assert "Not Found" not in page.trouble.sentence


def test_a_server_choking_on_the_model_s_malformed_call_makes_the_case_wrong(
    corpora: Path,
) -> None:
    case = recorded_case(corpora, "EP40")
    with FakeEndpoint(*case.responses) as endpoint:
        broken = ask(endpoint)
        assert broken.completion is not None
        history = (USER, broken.completion.answer.message, USER)

        exchange = ask(endpoint, Question(history, (TOOL,)), has_accepted_reply=True)

    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY_THEN_WRONG
