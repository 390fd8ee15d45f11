"""The reference model goes on from results: it searches for tools, calls them, and stops."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.reference.conversation import respond
from evaluation.reference.history import steps

FINDER = {
    "name": "SeekTool",
    "description": "Searches for relevant tools by keywords.",
    "input_parameters": {"keywords": {"type": "str", "description": "What to search for."}},
}
WEATHER = {
    "name": "CityWeather",
    "description": "The weather of a city.",
    "input_parameters": {"city": {"type": "str", "description": "The city."}},
}
CLOTHES = {
    "name": "Clothes",
    "description": "Recommends clothes.",
    "input_parameters": {
        "sky": {"type": "str", "description": "A description of the sky."},
        "degrees": {"type": "float", "description": "Degrees outside."},
    },
}
SIGN_IN = {
    "name": "GetToken",
    "description": "Signs a user in.",
    "input_parameters": {
        "username": {"type": "str", "description": "The user."},
        "password": {"type": "str", "description": "The password."},
    },
}
ALARM = {
    "name": "AddAlarm",
    "description": "Sets an alarm.",
    "input_parameters": {
        "token": {"type": "str", "description": "The user's token."},
        "time": {"type": "str", "description": "When. Format: %Y-%m-%d %H:%M:%S"},
    },
}
REQUEST = "What is the weather in Oslo, and which clothes do you recommend?"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def report(call: str, result: Any) -> dict[str, Any]:
    return {"role": "system", "content": f"[{call}] Response: {result}"}


def said(*messages: dict[str, Any], tools: tuple[Any, ...] = (FINDER,)) -> str:
    """The answer where a prompt describes the tools, one on each line."""
    text = "\n".join(["The tools:", *map(json.dumps, tools)])
    answer = respond({"messages": [{"role": "system", "content": text}, *messages]})
    return str(answer.message["content"])


def test_where_tools_are_found_by_a_tool_it_searches_for_the_first_part_of_a_request() -> None:
    assert said(user(REQUEST)) == "[SeekTool(keywords='weather Oslo')]"


def test_it_calls_the_tool_that_a_search_has_found_then_searches_for_the_next_part() -> None:
    searched = report("SeekTool(keywords='weather Oslo')", WEATHER)
    called = report("CityWeather(city='Oslo')", {"degrees": 3.5, "description": "Cloudy"})

    assert said(user(REQUEST), searched) == "[CityWeather(city='Oslo')]"
    assert said(user(REQUEST), searched, called) == "[SeekTool(keywords='clothes recommend')]"


def test_values_come_from_results_and_it_stops_when_nothing_is_left() -> None:
    story = [
        user(REQUEST),
        report("SeekTool(keywords='weather Oslo')", WEATHER),
        report("CityWeather(city='Oslo')", {"degrees": 3.5, "description": "Cloudy"}),
        report("SeekTool(keywords='clothes recommend')", json.dumps(CLOTHES)),
    ]

    assert said(*story) == "[Clothes(sky='Cloudy', degrees=3.5)]"
    done = report("Clothes(sky='Cloudy', degrees='3.5')", {"options": ["Coat"]})
    assert said(*story, done) == "Done."


def test_it_goes_on_likewise_with_tools_and_results_in_the_protocols_own_fields() -> None:
    finder = {**FINDER, "parameters": {"properties": FINDER["input_parameters"]}}
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "SeekTool", "arguments": '{"keywords": "weather Oslo"}'},
    }
    messages = [
        user(REQUEST),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(WEATHER)},
    ]

    answer = respond({"messages": messages, "tools": [{"type": "function", "function": finder}]})

    (made,) = answer.message["tool_calls"]
    assert made["function"] == {"name": "CityWeather", "arguments": '{"city": "Oslo"}'}


def test_a_token_is_asked_of_the_tool_that_gives_it_and_then_used() -> None:
    words = user("Set an alarm for 2023-03-17 at 7:30 am. My username is ann, my password is x1y.")
    tools = (ALARM, SIGN_IN)

    first = said(words, tools=tools)
    then = said(words, report("GetToken(username='ann')", {"token": "t0k3n"}), tools=tools)

    assert first == "[GetToken(username='ann', password='x1y')]"
    assert then == "[AddAlarm(token='t0k3n', time='2023-03-17 07:30:00')]"


def test_an_answer_to_the_assistants_question_belongs_to_what_was_asked_before() -> None:
    messages = [user("Please show the weather."), assistant("Of which city?"), user("Of Oslo")]

    assert said(*messages, tools=(WEATHER,)) == "[CityWeather(city='Oslo')]"


@pytest.mark.parametrize(
    "result",
    ["", "{" * 4000, "[" * 90 + "]" * 90, "{'name': 1, 'parameters': 2}", "[None]", "x" * 30_000],
)
def test_odd_results_are_answered_all_the_same(result: str) -> None:
    assert said(user(REQUEST), report("SeekTool(keywords='weather')", result))


def test_of_a_very_long_request_the_end_is_searched_for() -> None:
    request = f"What is the weather?{' ' * 30_000}Recommend clothes."

    assert said(user(request)) == "[SeekTool(keywords='Recommend clothes')]"


def test_only_what_begins_a_line_is_the_report_of_a_call() -> None:
    told = report("One(a='1')", "2\nand [Two(b='2')] Response: 3\n[Three(c='4')] Response: 5")

    assert [step.name for step in steps([user(REQUEST), told])] == ["One", "Three"]


def test_it_gives_up_searching_for_what_is_not_to_be_found() -> None:
    story = [user(REQUEST)]
    for _ in range(8):
        answer = said(*story)
        if not answer.startswith("["):
            break
        story.append(report(answer.strip("[]"), "None"))

    assert answer == "Done."
