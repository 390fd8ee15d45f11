"""The conversation about one case, turn by turn and step by step, without any I/O.

In each turn the model is asked, its calls are executed and their replies told, until it makes
no call. After one step more than the official limit the case is over as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.benchmarks.bfcl_v4 import memory, web
from evaluation.benchmarks.bfcl_v4.chains import is_prerequisite
from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable
from evaluation.benchmarks.bfcl_v4.executable import call_texts, is_empty
from evaluation.benchmarks.bfcl_v4.hints import with_hints
from evaluation.benchmarks.bfcl_v4.prompts import system_prompt, texts, with_system_prompt
from evaluation.benchmarks.bfcl_v4.tools import as_tools
from evaluation.benchmarks.bfcl_v4.toolsets import MEMORY, classes_of, functions_of
from evaluation.engine.play import Act, Ask, Keep, Play, Recall, Recalled, Reply, Step, World
from evaluation.engine.types import JSON, Answer, CaseData, Message, Mode, Question, Setup

FACTORY = "evaluation.benchmarks.bfcl_v4.worlds:build"
MULTI_TURN, WEB_SEARCH = "multi_turn_", "web_search_"  # how their categories' names begin

Replies = Generator[Step, Reply, tuple[str, ...]]
Execute = Callable[[tuple[str, ...]], Replies]


@dataclass
class Talk:
    """A conversation under way: what was said, what is on offer, how calls are executed."""

    setup: Setup
    execute: Execute
    offered: list[JSON]
    history: list[Message] = field(default_factory=list)

    def question(self, turn: int, step: int) -> Question:
        tools = None
        if self.setup.mode is Mode.FC:
            tools = as_tools(self.offered, underscore=self.setup.underscore)
        return Question(tuple(self.history), tools, turn, step)

    def offer(self, functions: Sequence[JSON]) -> None:
        """Announce functions held back so far. Quirk: these carry no hint at the language."""
        if self.setup.mode is Mode.FC:
            self.offered += functions
            text = texts()["DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC"]
        else:
            template = texts()["DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING"]
            text = template.format(functions=list(functions))
        self.history.append({"role": "user", "content": text})

    def tell(self, answer: Answer, calls: Sequence[str], replies: Sequence[str]) -> None:
        """Add the replies of executed calls to the history, as the mode has it."""
        if self.setup.mode is Mode.FC:
            made = answer.message.get("tool_calls") or ()
            self.history += [
                {"role": "tool", "content": reply, "tool_call_id": call.get("id", "")}
                for call, reply in zip(made, replies, strict=False)
            ]
            return
        told = [
            {"role": "tool", "name": call, "content": reply}
            for call, reply in zip(calls, replies, strict=False)
        ]
        self.history.append({"role": "user", "content": repr(told)})


def play(case: CaseData, setup: Setup) -> Play:
    """Ask about one case; the result is `[turn][step]` of official result values."""
    offered, held_back = functions_of(case)
    talk = Talk(setup, _execution(case), with_hints(offered, case.category))
    turns = [list(messages) for messages in case.question["question"]]
    turns[0] = yield from _opening(case, talk, turns[0])
    result: list[JSON] = []
    for number, messages in enumerate(turns):
        if number in held_back:
            talk.offer(held_back[number])
        else:
            talk.history += messages
        steps, is_over = yield from _turn(talk, number)
        result.append(steps)
        if is_over:
            break
    if is_prerequisite(case):
        yield Keep()
    return result


def world(case: CaseData) -> World | None:
    """The world a case's calls act in; none for web search, whose tools act on the real one."""
    if case.category.startswith(WEB_SEARCH):
        return None
    if case.category.startswith(MEMORY):
        return memory.world(classes_of(case)[0])
    config = {
        "classes": classes_of(case),
        "initial": case.question["initial_config"],
        "long_context": case.category == "multi_turn_long_context",
    }
    return World(FACTORY, config)


def _opening(
    case: CaseData, talk: Talk, messages: list[Message]
) -> Generator[Step, Reply, list[Message]]:
    """The first turn's messages, below the system prompts that the case and the mode ask for."""
    if not case.category.startswith(MULTI_TURN) and not is_prerequisite(case):
        text = texts()["ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT"]
        messages = [{"role": "system", "content": text}, *messages]
    if case.category.startswith(MEMORY):
        recalled = yield Recall()
        snapshot = recalled.snapshot if isinstance(recalled, Recalled) else None
        instruction = memory.instruction(case.category, case.question["scenario"], snapshot)
        messages = with_system_prompt(messages, instruction)
    if talk.setup.mode is Mode.PROMPT:
        messages = with_system_prompt(messages, system_prompt(talk.offered))
    return messages


def _turn(talk: Talk, number: int) -> Generator[Step, Reply, tuple[list[JSON], bool]]:
    """The result values of one turn's steps, and whether the model was forced to quit in it."""
    steps: list[JSON] = []
    limit: int = texts()["MAXIMUM_STEP_LIMIT"]
    for step in range(limit + 1):  # quirk: the limit is tested after one step more
        answer: Any = yield Ask(talk.question(number, step))
        steps.append(answer.result)
        talk.history.append(answer.message)
        calls = _calls(answer.result, talk.setup.mode)
        if is_empty(calls):
            return steps, False
        replies = yield from talk.execute(calls)
        talk.tell(answer, calls, replies)
    return steps, True


def _calls(result: JSON, mode: Mode) -> tuple[str, ...]:
    try:
        return tuple(call_texts(result, mode))
    except Undecodable:
        return ()


def _execution(case: CaseData) -> Execute:
    if case.category.startswith(WEB_SEARCH):
        return lambda calls: web.execute(calls, with_snippets=case.category == "web_search_base")
    return _act


def _act(calls: tuple[str, ...]) -> Replies:
    replies: Any = yield Act(calls)
    return tuple(replies)
