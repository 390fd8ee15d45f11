"""The conversations: one question for a due call, or a whole task on the model's own way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from evaluation.benchmarks.apibank import prompts
from evaluation.benchmarks.apibank.reading import Call, Unreadable
from evaluation.benchmarks.apibank.repaired import NotACall, calls_of
from evaluation.engine.play import Act, Ask, Play
from evaluation.engine.text import plain
from evaluation.engine.types import JSON, Answer, CaseData, Message, Mode, Question, Setup, Tool

MOST_STEPS = 20  # the longest task needs 8 calls
MOST_CALLS = 10  # in one step


def offered(question: Mapping[str, JSON], mode: Mode) -> tuple[Tool, ...] | None:
    if mode is not Mode.FC:
        return None
    level = question["level"]
    return tuple(prompts.as_function(tool, level) for tool in question["offered"])


def ask_once(case: CaseData, setup: Setup) -> Play:
    """Ask for the one call, or the words, that are due; the result is that step's result value."""
    messages = tuple(prompts.opening(case.question, setup.mode))
    answer = yield Ask(Question(messages, offered(case.question, setup.mode)))
    assert isinstance(answer, Answer)
    return answer.result


def run_free(case: CaseData, setup: Setup) -> Play:
    """Let the model find and call tools until it answers in words; `result[0][step]`."""
    messages = prompts.free_opening(case.question, setup.mode)
    library = case.question["world"]["library"]
    tools = {tool["name"]: tool for tool in case.question["offered"]}
    results: list[JSON] = []
    for step in range(MOST_STEPS):
        shown = {**case.question, "offered": list(tools.values())}
        question = Question(tuple(messages), offered(shown, setup.mode), step=step)
        answer = yield Ask(question)
        assert isinstance(answer, Answer)
        results.append(answer.result)
        calls = readable_calls(answer.result)
        if not calls:
            break
        replies = yield Act(tuple(call_text(call) for call in calls))
        assert isinstance(replies, tuple)
        messages += _after(answer.message, calls, replies, setup.mode)
        tools |= {name: library[name] for name in _found(calls, replies) if name in library}
    return [results]


def readable_calls(result: JSON) -> list[Call]:
    """The first calls of a step; none where the model speaks or cannot be read."""
    try:
        return calls_of(result)[:MOST_CALLS]
    except (NotACall, Unreadable):
        return []


def call_text(call: Call) -> str:
    """A call as the world reads it."""
    return json.dumps(plain({"name": call.name, "arguments": call.values}))


def _after(
    message: Message, calls: Sequence[Call], replies: Sequence[str], mode: Mode
) -> list[Message]:
    """The model's own message and what came of its calls."""
    if mode is not Mode.FC:
        said = {"role": "assistant", "content": message.get("content") or ""}
        pairs = zip(calls, replies, strict=True)
        shown = [
            f"{prompts.written_call(call.name, plain(call.values))} Response: {reply}"
            for call, reply in pairs
        ]
        return [said, {"role": "system", "content": "\n".join(shown)}]
    asked = message.get("tool_calls") or []
    answered: list[Message] = [message]
    for place, call in enumerate(asked):
        reply = replies[place] if place < len(replies) else "Error: too many calls in one step."
        answered.append({"role": "tool", "tool_call_id": call.get("id", ""), "content": reply})
    return answered


def _found(calls: Sequence[Call], replies: Sequence[str]) -> list[str]:
    """Names of the tools that searches among these calls have found."""
    names: list[str] = []
    for call, reply in zip(calls, replies, strict=True):
        if call.name != "ToolSearcher":
            continue
        try:
            answer = json.loads(reply)
        except ValueError:
            continue
        tools = answer if isinstance(answer, list) else [answer]
        names += [str(tool["name"]) for tool in tools if isinstance(tool, dict) and "name" in tool]
    return names
