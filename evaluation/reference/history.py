"""What a conversation has done so far: calls, their results, and the values these hold."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.reference.schema import Tool, read_tools

Message = Mapping[str, Any]
TOOL_RESULTS = ("[{'role': 'tool'", '[{"role": "tool"')  # how some prompts report results
# How others do: a system message with the call in brackets, and what came of it, on a line.
REPORT = re.compile(r"^\[([\w.]{1,100})\((.{0,5000})\)\] Response: (.{0,20000})", re.MULTILINE)
ARGUMENT = re.compile(r"(\w{1,100})='(.{0,2000}?)'(?=, \w{1,100}='|$)")
LONGEST_RESULT = 20_000  # characters that are read as a value
MOST_STEPS = 40  # of a conversation, the newest


@dataclass(frozen=True, slots=True)
class Step:
    """A call that was made, and what came of it: a value, or text where it is none."""

    name: str
    arguments: Mapping[str, Any]
    result: Any
    at: int  # index of the message that reports the result


def content(message: Message) -> str:
    """A message's text."""
    said = message.get("content")
    if isinstance(said, list):  # parts of text
        parts = [part.get("text") for part in said if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return said if isinstance(said, str) else ""


def was_served(messages: Sequence[Message]) -> bool:
    """True when the last word is a tool's: what was asked has been done.

    A system message after what was said reports a result as well.
    """
    last, before = messages[-1], messages[:-1]
    is_report = any(message.get("role") != "system" for message in before)
    if last.get("role") == "system" and is_report:
        return True
    return last.get("role") == "tool" or content(last).startswith(TOOL_RESULTS)


def question(messages: Sequence[Message]) -> str:
    """What the user said since the assistant last spoke.

    An assistant that spoke last is to go on with what it was asked before; what answers a
    question of the assistant's belongs to what was said before that.
    """
    said: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "assistant":
            if said and not content(message).rstrip().endswith("?"):
                break
        elif message.get("role") == "user":
            said.append(content(message))
    return "\n".join(reversed(said))


def all_said(messages: Sequence[Message]) -> str:
    """Everything the user has said."""
    return "\n".join(content(one) for one in messages if one.get("role") == "user")


def steps(messages: Sequence[Message]) -> list[Step]:
    """The calls reported so far, in either form, oldest first."""
    called: dict[str, tuple[str, Mapping[str, Any]]] = {}
    found: list[Step] = []
    has_begun = False
    for at, message in enumerate(messages):
        role = message.get("role")
        if role == "assistant":
            called.update(_called(message.get("tool_calls")))
        elif role == "tool":
            name, arguments = called.get(str(message.get("tool_call_id")), ("", {}))
            found.append(Step(name, arguments, _value(content(message)), at))
        elif role == "system" and has_begun:
            found += _reports(content(message), at)
        has_begun = has_begun or role != "system"
    return found[-MOST_STEPS:]


def since_asked(messages: Sequence[Message], done: Sequence[Step]) -> list[Step]:
    """The steps made since the user last spoke."""
    spoken = [at for at, message in enumerate(messages) if message.get("role") == "user"]
    return [step for step in done if not spoken or step.at > spoken[-1]]


def _called(calls: Any) -> Iterator[tuple[str, tuple[str, Mapping[str, Any]]]]:
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = _value(str(function.get("arguments")))
            given = arguments if isinstance(arguments, dict) else {}
            yield str(call.get("id")), (str(function.get("name")), given)


def _reports(text: str, at: int) -> Iterator[Step]:
    for match in REPORT.finditer(text):
        name, written, result = match.groups()
        yield Step(name, dict(ARGUMENT.findall(written)), _value(result), at)


def _value(text: str) -> Any:
    """A result as JSON or as Python writes it; the text itself where it is neither."""
    if len(text) > LONGEST_RESULT:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def found_tools(step: Step) -> list[Tool]:
    """The tools that a result describes."""
    described = step.result if isinstance(step.result, list) else [step.result]
    listed = [
        one
        for one in described
        if isinstance(one, dict) and ("input_parameters" in one or "parameters" in one)
    ]
    return read_tools(listed)


def facts(done: Sequence[Step]) -> dict[str, Any]:
    """Named values in calls and results; later ones replace earlier ones."""
    telling = [step for step in done if not found_tools(step)]
    return dict(
        pair for step in telling for part in (step.arguments, step.result) for pair in _named(part)
    )


def results(done: Sequence[Step]) -> dict[str, Any]:
    """Named values in results alone."""
    return dict(pair for step in done if not found_tools(step) for pair in _named(step.result))


def _named(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list) and value and depth < 2:
        yield from _named(value[0], depth + 1)
    if not isinstance(value, Mapping):
        return
    for name, inner in value.items():
        if isinstance(inner, Mapping) and depth < 2:
            yield from _named(inner, depth + 1)
        elif inner is not None:
            yield str(name), inner
