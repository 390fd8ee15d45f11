"""The chat-completions protocol in bytes: what we send, and how we read what comes back.

Everything here is pure: the same `read` serves a live reply and one stored years ago. It gives
the official result value. Three things are read leniently, here and nowhere else, and each is
counted: an arguments object becomes its JSON text, missing, null or empty arguments become `{}`,
and an event stream nobody asked for becomes its final message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from evaluation.client.calls_in_text import looks_like_a_call
from evaluation.client.complaints import printable
from evaluation.client.documents import is_json, parse_document
from evaluation.client.errors import NotACompletion
from evaluation.client.parameters import sent_parameters
from evaluation.client.target import Target
from evaluation.engine.types import JSON, Answer, Mode, Question

MAX_TOKENS = 2**31 - 1  # of a database's integer; a larger count is no count
MAX_FINISH_REASON = 40  # characters


class Deviation(StrEnum):
    """What was noteworthy about a completion: counted on its run, shown with its case."""

    ARGUMENTS_OBJECT = "arguments_object"  # an object where JSON text was due
    ARGUMENTS_EMPTY = "arguments_empty"  # "" where JSON text was due
    ARGUMENTS_MISSING = "arguments_missing"  # no arguments, or null
    UNASKED_STREAM = "unasked_stream"
    REASONING_REMOVED = "reasoning_removed"  # up to the entry's own end-of-reasoning marker
    UNDECODABLE_CALL = "undecodable_call"  # arguments that are not JSON
    CALL_IN_TEXT = "call_in_text"  # a call written as text, where only tool_calls are read
    REPEATED_CALL_ID = "repeated_call_id"
    MISSING_CALL_ID = "missing_call_id"
    CONTENT_NOT_TEXT = "content_not_text"
    USAGE_MISSING = "usage_missing"
    TRUNCATED = "truncated"  # ended by, or exactly at, a token limit
    REFUSED = "refused"  # a content filter or the model's own refusal field


@dataclass(frozen=True, slots=True)
class Completion:
    """One chat completion, read.

    `answer.result` is the official result value of the step. `reasoning` is what the server kept
    apart from the answer, never searched for calls. Token counts are the endpoint's own, None
    when it does not report them.
    """

    answer: Answer
    deviations: tuple[str, ...] = ()
    finish_reason: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    reasoning: str = ""

    @property
    def is_refused(self) -> bool:
        return Deviation.REFUSED in self.deviations

    @property
    def is_truncated(self) -> bool:
        return Deviation.TRUNCATED in self.deviations


def build_request(question: Question, target: Target) -> bytes:
    """The exact JSON body asked: model, messages, tools in FC mode, parameters; nothing else.

    The same question to the same target gives the same bytes. Raises ValueError for a parameter
    that is not allowed.
    """
    body: dict[str, JSON] = {"model": target.model, "messages": question.messages}
    if question.tools:
        body["tools"] = question.tools
    body.update(sent_parameters(target.parameters))
    # Escaped to ASCII: valid UTF-8 even where a model's own words in the history are not.
    return json.dumps(body, separators=(",", ":"), default=dict).encode("ascii")


def request_sha256(body: bytes) -> str:
    """Names a request: 64 hexadecimal digits."""
    return sha256(body).hexdigest()


def read(
    body: bytes, mode: Mode, reasoning_end: str = "", token_limit: int | None = None
) -> Completion:
    """Read a body received with status 200.

    Args:
        body: The body after content-decoding, as stored.
        mode: How the question was asked.
        reasoning_end: In prompt mode, text up to and including the last such marker is removed.
        token_limit: The most tokens the request allowed, to notice an answer cut off there.

    Raises:
        NotACompletion: There is no completion in it; the message says why.
    """
    document, is_stream = parse_document(body)
    choice = _first_choice(document)
    message = _message(choice)
    noted = [Deviation.UNASKED_STREAM] if is_stream else []
    if mode is Mode.FC:
        answer = _calls_or_text(message, noted)
    else:
        answer = _text(message, reasoning_end, noted)
    reasoning = _reasoning(message)
    finish_reason = _finish_reason(choice)
    tokens_in, tokens_out = _tokens(document, noted)
    if finish_reason == "length" or (token_limit and tokens_out == token_limit):
        noted.append(Deviation.TRUNCATED)
    if finish_reason == "content_filter" or message.get("refusal"):
        noted.append(Deviation.REFUSED)
    if mode is Mode.FC and not isinstance(answer.result, list):
        _note_call_in_text(answer.result, reasoning, noted)
    elif mode is Mode.FC and not answer.result:
        _note_call_in_text(message.get("content"), reasoning, noted)
    names = tuple(str(name) for name in dict.fromkeys(noted))
    return Completion(answer, names, finish_reason, tokens_in, tokens_out, reasoning)


def _first_choice(document: Mapping[str, JSON]) -> Mapping[str, JSON]:
    if document.get("error"):
        raise NotACompletion("The response carries an error.")
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NotACompletion("The response has no choices.")
    choice: Mapping[str, JSON] = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        raise NotACompletion("The response's only choice is an error.")
    return choice


def _message(choice: Mapping[str, JSON]) -> Mapping[str, JSON]:
    message = choice.get("message")
    if message is None and choice.get("finish_reason") == "content_filter":
        return {}
    if not isinstance(message, dict):
        raise NotACompletion("The response's choice has no message.")
    return message


def _calls_or_text(message: Mapping[str, JSON], noted: list[Deviation]) -> Answer:
    """In FC mode calls are read from `tool_calls` alone; anything else is text."""
    calls = message.get("tool_calls")
    content = message.get("content")
    if not isinstance(calls, list) or not all(_is_call(call) for call in calls):
        return _as_text(content, noted)
    named = [(_name(call), _arguments(call["function"], noted)) for call in calls]
    result = [{name: arguments} for name, arguments in named]
    if any(not isinstance(text, str) or not is_json(text) for _, text in named):
        noted.append(Deviation.UNDECODABLE_CALL)
    if not calls:
        return Answer([], _as_text(content, noted).message)
    sent_back = [
        _call_for_history(identity, name, arguments)
        for identity, (name, arguments) in zip(_call_ids(calls, noted), named, strict=True)
    ]
    return Answer(result, {"role": "assistant", "content": content, "tool_calls": sent_back})


def _is_call(call: JSON) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and "name" in function


def _name(call: Mapping[str, JSON]) -> str:
    name = call["function"]["name"]
    return name if isinstance(name, str) else json.dumps(name)


def _arguments(function: Mapping[str, JSON], noted: list[Deviation]) -> JSON:
    """Arguments as JSON text; kept as they are where no leniency covers them."""
    arguments = function.get("arguments")
    if arguments is None:
        noted.append(Deviation.ARGUMENTS_MISSING)
        return "{}"
    if arguments == "":
        noted.append(Deviation.ARGUMENTS_EMPTY)
        return "{}"
    if isinstance(arguments, dict):
        noted.append(Deviation.ARGUMENTS_OBJECT)
        return json.dumps(arguments)
    return arguments


def _call_ids(calls: list[Mapping[str, JSON]], noted: list[Deviation]) -> list[str]:
    """Ids as sent, by position; made up where missing, so that tool replies can name them."""
    given = [call.get("id") for call in calls]
    ids = [
        identity if isinstance(identity, str) and identity else f"call_{position}"
        for position, identity in enumerate(given, start=1)
    ]
    if ids != given:
        noted.append(Deviation.MISSING_CALL_ID)
    if len(set(ids)) < len(ids):
        noted.append(Deviation.REPEATED_CALL_ID)
    return ids


def _call_for_history(identity: str, name: str, arguments: JSON) -> dict[str, JSON]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": text}}


def _text(message: Mapping[str, JSON], reasoning_end: str, noted: list[Deviation]) -> Answer:
    content = message.get("content")
    if reasoning_end and isinstance(content, str) and reasoning_end in content:
        noted.append(Deviation.REASONING_REMOVED)
        content = content.rpartition(reasoning_end)[2]
    return _as_text(content, noted)


def _as_text(content: JSON, noted: list[Deviation]) -> Answer:
    if content is not None and not isinstance(content, str):
        noted.append(Deviation.CONTENT_NOT_TEXT)
    # Null is no valid content of a message without calls: servers would refuse the next turn.
    return Answer(content, {"role": "assistant", "content": "" if content is None else content})


def _reasoning(message: Mapping[str, JSON]) -> str:
    for name in ("reasoning_content", "reasoning"):
        text = message.get(name)
        if isinstance(text, str) and text:
            return text
    return ""


def _finish_reason(choice: Mapping[str, JSON]) -> str:
    reason = choice.get("finish_reason")
    return printable(reason, MAX_FINISH_REASON) if isinstance(reason, str) else ""


def _tokens(document: Mapping[str, JSON], noted: list[Deviation]) -> tuple[int | None, int | None]:
    usage = document.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    tokens = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    if None in tokens:
        noted.append(Deviation.USAGE_MISSING)
    return tokens


def _count(value: JSON) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS
    return value if is_count else None


def _note_call_in_text(content: JSON, reasoning: str, noted: list[Deviation]) -> None:
    texts = (content if isinstance(content, str) else "", reasoning)
    if any(looks_like_a_call(text) for text in texts):
        noted.append(Deviation.CALL_IN_TEXT)
