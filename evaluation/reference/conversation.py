"""From a chat-completions request to an assistant's message, as the protocol has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.reference import chain, history
from evaluation.reference.history import Message, content
from evaluation.reference.knowledge import Known
from evaluation.reference.model import Call, answer, calls_as_text
from evaluation.reference.schema import MAX_TOOLS, Tool, read_tools

NOTHING_FITS = "None of the functions can be used for this."
DONE = "Done."
MAX_LISTS = 20  # places in a system prompt where a function list may begin
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Said:
    """The assistant's message, and why it ended."""

    message: dict[str, Any]
    finish_reason: str


def respond(request: Mapping[str, Any]) -> Said:
    """Answer a request that has been checked by `complaint_about`."""
    messages = request["messages"]
    tools = read_tools(request.get("tools"))
    if tools:
        return _with_calls(_calls(messages, tools))
    listed = list(_listed_tools(messages)) or list(_tools_on_lines(messages))
    calls = _calls(messages, listed)
    if calls:
        return _text(calls_as_text(calls))
    return _text(DONE if history.was_served(messages) else NOTHING_FITS)


def _calls(messages: Sequence[Message], tools: list[Tool]) -> list[Call]:
    done, said = history.steps(messages), history.all_said(messages)
    if chain.finder_of(tools):
        following = chain.next_call(messages, tools, done)
        return [following] if following else []
    following = chain.follow_up(said, tools, done) if history.since_asked(messages, done) else None
    if following or history.was_served(messages):
        return [following] if following else []
    return answer(history.question(messages), tools, Known(history.results(done)))


def _with_calls(calls: list[Call]) -> Said:
    if not calls:
        return _text(NOTHING_FITS)
    sent = [
        {
            "id": f"call_{position}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for position, call in enumerate(calls, start=1)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": sent}
    return Said(message, "tool_calls")


def _text(text: str) -> Said:
    return Said({"role": "assistant", "content": text}, "stop")


def _listed_tools(messages: Sequence[Message]) -> Iterator[Tool]:
    """The functions that a system prompt lists as JSON."""
    decoder = json.JSONDecoder()
    for message in messages:
        if message.get("role") != "system":
            continue
        text = content(message)
        start = text.find("[")
        for _ in range(MAX_LISTS):
            if start < 0:
                break
            try:
                found, end = decoder.raw_decode(text, start)
                tools = read_tools(found)
            except (ValueError, RecursionError):
                tools, end = [], start + 1
            yield from tools
            start = text.find("[", end)


def _tools_on_lines(messages: Sequence[Message]) -> Iterator[Tool]:
    """The functions that a system prompt describes one by one, a JSON object on each line."""
    for message in messages:
        if message.get("role") != "system":
            continue
        lines = [line for line in content(message).splitlines() if line.startswith("{")]
        for line in lines[:MAX_TOOLS]:
            try:
                yield from read_tools([json.loads(line)])
            except (ValueError, RecursionError):
                continue


def usage(request: bytes, said: Said) -> dict[str, int]:
    """Token counts as a server reports them, estimated by characters."""
    asked = max(1, len(request) // CHARACTERS_PER_TOKEN)
    told = max(1, len(json.dumps(said.message)) // CHARACTERS_PER_TOKEN)
    return {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}


CHECKS: tuple[tuple[Callable[[Mapping[str, Any]], bool], str, str], ...] = (
    (
        lambda request: isinstance(request.get("model"), str),
        "You must provide a model parameter.",
        "model",
    ),
    (
        lambda request: _are_messages(request.get("messages")),
        "'messages' must be a list of messages, each an object with a role.",
        "messages",
    ),
    (
        lambda request: not request.get("stream"),
        "Unsupported parameter: 'stream' is not supported by this server.",
        "stream",
    ),
    (
        lambda request: isinstance(request.get("tools") or [], list),
        "'tools' must be a list.",
        "tools",
    ),
)


def complaint_about(request: Any) -> tuple[str, str] | None:
    """What is wrong with a request: a sentence and the parameter; None if it can be answered."""
    if not isinstance(request, dict):
        return "The request body must be a JSON object.", ""
    failed = (check for check in CHECKS if not check[0](request))
    first = next(failed, None)
    return first and first[1:]


def _are_messages(messages: Any) -> bool:
    if not isinstance(messages, list) or not messages:
        return False
    return all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in messages)
