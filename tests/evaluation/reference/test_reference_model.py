"""The reference model is honest: it answers from the request and knows nothing else."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path
from typing import Any

import pytest

import evaluation.reference
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.play import Ask
from evaluation.engine.types import Mode, Question, Setup
from evaluation.reference.conversation import respond

SOURCES = sorted(Path(evaluation.reference.__file__).parent.glob("*.py"))
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather forecast for a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city."},
                "days": {"type": "integer", "description": "Number of days."},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
}


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def calls(*messages: dict[str, Any], tools: list[Any] | None = None) -> list[tuple[str, Any]]:
    said = respond({"messages": list(messages), "tools": tools or [WEATHER]})
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in said.message.get("tool_calls", ())
    ]


def questions(category: str, count: int) -> list[Question]:
    found = []
    for case in list(SUITE.cases(category))[:count]:
        step = next(SUITE.play(case, Setup(Mode.FC, underscore=True)))
        assert isinstance(step, Ask)
        found.append(step.question)
    return found


def asked(question: Question) -> list[tuple[str, Any]]:
    return calls(*map(dict, question.messages), tools=[*(question.tools or ())])


def renamed(tools: Any, suffix: str) -> list[Any]:
    copies = json.loads(json.dumps(tools))
    for tool in copies:
        tool["function"]["name"] += suffix
    return list(copies)


def test_it_fills_arguments_by_their_type() -> None:
    made = calls(user("What will the weather in Oslo be for 3 days, in celsius?"))

    assert made == [("get_weather", {"city": "Oslo", "days": 3, "unit": "celsius"})]


def test_it_makes_a_call_for_each_value_listed() -> None:
    made = calls(user("Tell me the weather forecast in Rome, Paris and Oslo."))

    assert [arguments["city"] for _, arguments in made] == ["Rome", "Paris", "Oslo"]


def test_it_abstains_when_no_tool_fits() -> None:
    assert calls(user("Who painted the ceiling of the Sistine Chapel?")) == []


def test_it_stops_after_a_tool_s_reply() -> None:
    reply = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}

    assert calls(user("Weather in Oslo?"), reply) == []


def test_it_reads_the_function_list_of_a_prompt_and_answers_in_its_form() -> None:
    listed = json.dumps([WEATHER["function"]], indent=4)
    system = {"role": "system", "content": f"Use [f(a=1)]. Functions in json:\n{listed}\n"}

    said = respond({"messages": [system, user("What is the weather in Oslo?")]})

    assert said.message["content"] == "[get_weather(city='Oslo')]"


def in_lines(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """A prompt that describes one tool on a line of its own, by its inputs."""
    inputs = {
        "city": {"type": "str", "description": "The city."},
        "unit": {"type": "str", "description": "Optional: 'celsius' or 'fahrenheit'."},
    }
    tool = {"name": "GetWeather", "description": "The weather.", "input_parameters": inputs}
    text = f"Write [ToolName(key='value')].\nThe tools:\n{json.dumps(tool)}"
    return [{"role": "system", "content": text}, *more]


def test_tools_on_lines_of_a_prompt_are_read_by_their_inputs() -> None:
    said = respond({"messages": in_lines(user("What is the weather in Oslo?"))})

    assert said.message["content"] == "[GetWeather(city='Oslo')]"


def test_an_assistant_that_spoke_last_goes_on_with_what_it_was_asked() -> None:
    spoken = {"role": "assistant", "content": "I will look."}

    said = respond({"messages": in_lines(user("What is the weather in Oslo?"), spoken)})

    assert said.message["content"] == "[GetWeather(city='Oslo')]"


def test_a_system_message_after_the_question_reports_a_result() -> None:
    report = {"role": "system", "content": "[GetWeather(city='Oslo')] Response: rain"}

    said = respond({"messages": in_lines(user("What is the weather in Oslo?"), report)})

    assert said.message["content"] == "Done."


@pytest.mark.parametrize("line", ["{", "{}", '{"name": 3}', "{" * 5000, '{"input_parameters": 1}'])
def test_lines_that_describe_no_tool_are_passed_over(line: str) -> None:
    said = respond({"messages": [{"role": "system", "content": line}, user("Rain in Oslo?")]})

    assert "tool_calls" not in said.message


def test_it_calls_tools_by_whatever_name_the_request_gives_them() -> None:
    for question in questions("simple_python", 60):
        before = asked(question)

        after = calls(*map(dict, question.messages), tools=renamed(question.tools, "_zqx"))

        assert [(f"{name}_zqx", arguments) for name, arguments in before] == after


def test_it_answers_the_same_in_any_order() -> None:
    cases = questions("multiple", 60)
    in_order = {question.messages[0]["content"]: asked(question) for question in cases}
    random.Random(7).shuffle(cases)

    shuffled = {question.messages[0]["content"]: asked(question) for question in cases}

    assert shuffled == in_order


def test_a_question_with_another_case_s_tools_gets_no_call_of_its_own() -> None:
    cases = questions("simple_python", 60)
    for question, other in zip(cases, [*cases[1:], cases[0]], strict=True):
        offered = {tool["function"]["name"] for tool in other.tools or ()}

        made = calls(*map(dict, question.messages), tools=[*(other.tools or ())])

        assert {name for name, _ in made} <= offered


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_no_part_of_it_reads_files_or_imports_benchmarks(source: Path) -> None:
    tree = ast.parse(source.read_text())

    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    }
    functions = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    called = {function.id for function in functions if isinstance(function, ast.Name)}

    assert not any("benchmark" in name or "bfcl" in name or "pathlib" in name for name in imported)
    assert not called & {"open", "eval", "exec", "__import__"}


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [None, 5, {"function": None}, {"function": {"name": 3}}],
        [{"function": {"name": "f", "parameters": {"properties": {"a": {"items": 3}}}}}],
        [{"function": {"name": "f", "parameters": {"properties": [], "required": 1}}}],
    ],
)
def test_odd_tools_are_answered_all_the_same(tools: list[Any]) -> None:
    said = respond({"messages": [user("f of 1e400, -5%, 10 and 'x'")], "tools": tools})

    assert said.message["role"] == "assistant"


@pytest.mark.parametrize(("category", "least"), [("simple_python", 0.40), ("multiple", 0.35)])
def test_it_is_a_baseline_worth_beating(category: str, least: float) -> None:
    setup = Setup(Mode.FC, underscore=True)
    cases = list(SUITE.cases(category))

    right = 0
    for case, question in zip(cases, questions(category, len(cases)), strict=True):
        result = [{name: json.dumps(arguments)} for name, arguments in asked(question)]
        right += SUITE.judge(case, result or "no call", setup).valid

    assert right / len(cases) >= least
