"""From bytes to one JSON object, whatever the bytes: bounded in depth, and never raising others.

A server may send an event stream although none was asked for; its chunks are put together to
the completion they amount to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from evaluation.client.errors import NotACompletion
from evaluation.engine.types import JSON

MAX_DEPTH = 200  # brackets open at once in a body; the protocol itself needs fewer than ten
MAX_PARTS = 4096  # tool calls put together from a stream
BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def parse_document(body: bytes) -> tuple[dict[str, JSON], bool]:
    """The JSON object of a body, and whether it came as an event stream.

    Raises:
        NotACompletion: The body is no JSON object, or too deeply nested.
    """
    text = body.decode("utf-8-sig", "replace").lstrip()
    if text.startswith(("data:", "event:", ":", "id:", "retry:")):
        return assemble(text), True
    return _object(text), False


def _object(text: str) -> dict[str, JSON]:
    if _is_too_deep(text):
        raise NotACompletion(f"The response nests deeper than {MAX_DEPTH} levels.")
    try:
        document = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise NotACompletion("The response is not JSON.") from error
    if not isinstance(document, dict):
        raise NotACompletion("The response is no JSON object.")
    return document


def _integer(digits: str) -> int | str:
    """A number, or its digits where it is too long to be one (Python refuses to convert it)."""
    return int(digits) if len(digits) < 4300 else digits


_DECODER = json.JSONDecoder(parse_int=_integer)  # making one takes as long as reading a body


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in BRACKETS.finditer(text):
        bracket = match[0]
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif bracket in "]}":
            depth -= 1
    return False


def is_json(text: str) -> bool:
    """True if a model's text can be read as JSON, as the official decoder reads it."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def assemble(text: str) -> dict[str, JSON]:
    """Put the chunks of an event stream together to the completion they amount to.

    Raises:
        NotACompletion: A chunk is no JSON, carries an error, or the end is missing.
    """
    message = _Message()
    for data in _events(text):
        if data.strip() == "[DONE]":
            message.has_ended = True
            break
        message.add(_object(data))
    return message.document()


def _events(text: str) -> Iterator[str]:
    """The data of each event. Only real line ends separate: a model's text may hold others."""
    for line in re.split(r"\r\n|\n|\r", text):
        if line.startswith("data:"):
            yield line[5:]


class _Message:
    """A completion growing chunk by chunk."""

    def __init__(self) -> None:
        self.has_ended = False
        self.finish_reason: JSON = None
        self.usage: JSON = None
        self.texts: dict[str, list[str]] = {}
        self.calls: dict[int, dict[str, JSON]] = {}
        self.whole: dict[str, JSON] | None = None  # a final message sent in one piece

    def add(self, chunk: dict[str, JSON]) -> None:
        if chunk.get("error"):
            raise NotACompletion("The response's event stream carries an error.")
        if isinstance(chunk.get("usage"), dict):
            self.usage = chunk["usage"]
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index") not in (0, None):
            return
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        if isinstance(choice.get("message"), dict):
            self.whole = choice["message"]
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._add_delta(delta)

    def _add_delta(self, delta: dict[str, JSON]) -> None:
        for name in ("content", "reasoning_content", "reasoning", "refusal"):
            if isinstance(delta.get(name), str):
                self.texts.setdefault(name, []).append(delta[name])
        parts = delta.get("tool_calls")
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                self._add_call(part)

    def _add_call(self, part: dict[str, JSON]) -> None:
        index = part.get("index")
        if not isinstance(index, int):  # some servers leave it out: a new id is a new call
            index = len(self.calls) - (0 if part.get("id") or not self.calls else 1)
        if len(self.calls) >= MAX_PARTS and index not in self.calls:
            _refuse_calls()
        call = self.calls.setdefault(index, {"type": "function", "function": {}})
        if part.get("id"):
            call.setdefault("id", part["id"])
        function = part.get("function")
        if not isinstance(function, dict):
            return
        if function.get("name") is not None:
            call["function"].setdefault("name", function["name"])
        if function.get("arguments") is not None:
            call["function"].setdefault("arguments", []).append(function["arguments"])

    def document(self) -> dict[str, JSON]:
        if not self.has_ended and not self.finish_reason:
            raise NotACompletion("The response's event stream is cut off.")
        message = self.whole
        if message is None:
            message = {"role": "assistant", "content": None}
            message.update({name: "".join(pieces) for name, pieces in self.texts.items()})
            if self.calls:
                message["tool_calls"] = [_joined(self.calls[key]) for key in sorted(self.calls)]
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return {"choices": [choice], "usage": self.usage}


def _refuse_calls() -> NoReturn:
    raise NotACompletion(f"The response's event stream makes more than {MAX_PARTS} calls.")


def _joined(call: dict[str, JSON]) -> dict[str, JSON]:
    pieces = call["function"].get("arguments")
    if pieces is None:
        return call
    is_text = all(isinstance(piece, str) for piece in pieces)
    arguments = "".join(pieces) if is_text else pieces[-1]
    return {**call, "function": {**call["function"], "arguments": arguments}}
