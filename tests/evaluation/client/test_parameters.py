"""Submitters set sampling and reasoning; everything else is the same for everybody."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.client.parameters import ALLOWED_PARAMETERS, check_parameters, sent_parameters


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"temperature": 0},
        {"temperature": None},
        {"top_p": 0.9, "seed": 7, "max_tokens": 4096},
        {"stop": "\n"},
        {"stop": ["a", "b"]},
        {"reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": True}},
        {"tool_choice": "auto", "parallel_tool_calls": True, "store": False},
    ],
)
def test_sampling_and_reasoning_may_be_set(parameters: dict[str, Any]) -> None:
    assert check_parameters(parameters) == []


@pytest.mark.parametrize(
    "name",
    ["model", "messages", "tools", "functions", "stream", "n", "user", "metadata",
     "response_format", "logit_bias", "extra_body", "Temperature", "stream_options", ""],
)  # fmt: skip
def test_nothing_else_may_be_set(name: str) -> None:
    assert len(check_parameters({name: 1})) == 1
    with pytest.raises(ValueError, match="cannot be set"):
        sent_parameters({name: 1})


@pytest.mark.parametrize(
    "parameters",
    [
        {"temperature": "0.1"},
        {"temperature": True},
        {"temperature": 3},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"temperature": -1},
        {"temperature": 10**400},
        {"max_tokens": 0},
        {"max_tokens": 1.5},
        {"max_tokens": None},
        {"seed": 2**64},
        {"stop": []},
        {"stop": [1]},
        {"stop": ["x"] * 5},
        {"store": True},
        {"tool_choice": "none"},
        {"tool_choice": {"type": "function"}},
        {"reasoning": {"a": "x" * 2000}},
        {"reasoning": []},
        {"parallel_tool_calls": 1},
    ],
)
def test_a_value_out_of_bounds_gets_a_sentence(parameters: dict[str, Any]) -> None:
    problems = check_parameters(parameters)

    assert len(problems) == 1
    assert next(iter(parameters)) in problems[0]


@pytest.mark.parametrize("parameters", [None, [], "temperature=1", 3])
def test_parameters_must_be_an_object(parameters: object) -> None:
    assert len(check_parameters(parameters)) == 1


def test_too_many_parameters_are_refused_at_once() -> None:
    assert len(check_parameters({str(n): n for n in range(100)})) == 1


@pytest.mark.parametrize(
    ("set_to", "sent"),
    [
        ({}, {"temperature": 0.001}),
        ({"temperature": 0.7}, {"temperature": 0.7}),
        ({"temperature": None}, {}),
        ({"seed": 1, "top_p": 1.0}, {"temperature": 0.001, "top_p": 1.0, "seed": 1}),
    ],
)
def test_temperature_is_sent_unless_set_or_unset(
    set_to: dict[str, Any], sent: dict[str, Any]
) -> None:
    assert sent_parameters(set_to) == sent


def test_every_parameter_says_what_it_may_be() -> None:
    assert all(parameter.says for parameter in ALLOWED_PARAMETERS.values())
