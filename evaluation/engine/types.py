"""The nouns of scoring: calls, questions, faults, judgements.

Everything here is plain data without I/O. `JSON` stands for what `json.loads` can give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# JSON as read from a file or a model: the one place where `Any` is honest.
JSON = Any
Message = Mapping[str, JSON]
Tool = Mapping[str, JSON]


class Mode(StrEnum):
    """How a model is given its tools: the protocol's own field, or a prompt."""

    FC = "fc"
    PROMPT = "prompt"


class Fault(StrEnum):
    """What was wrong with a wrong answer, in kinds a reader can compare across benchmarks."""

    MALFORMED = "malformed"  # cannot be read as calls
    WRONG_FORMAT = "wrong_format"  # can be read, but is no list of calls
    NO_CALL = "no_call"  # a call was due, none came
    UNWANTED_CALL = "unwanted_call"  # no call was due, one came
    WRONG_COUNT = "wrong_count"
    WRONG_FUNCTION = "wrong_function"
    MISSING_ARGUMENT = "missing_argument"
    UNEXPECTED_ARGUMENT = "unexpected_argument"
    WRONG_TYPE = "wrong_type"
    WRONG_VALUE = "wrong_value"
    NO_MATCH = "no_match"  # parallel calls: an expected call has no partner
    WRONG_STATE = "wrong_state"  # multi-turn: the world differs afterwards
    WRONG_RESPONSE = "wrong_response"  # multi-turn: a tool's reply that was due never came
    EXCEPTION = "exception"  # the tool itself refused the call
    EMPTY_TURN = "empty_turn"  # multi-turn: nothing done where something was due
    FORCE_QUIT = "force_quit"  # too many steps
    NO_ANSWER = "no_answer"  # agentic: no final message
    WRONG_ANSWER = "wrong_answer"  # agentic: the final message lacks the answer
    REFUSED = "refused"  # a content filter answered instead of the model
    CONTEXT_OVERFLOW = "context_overflow"  # the question did not fit the model's context
    TRUNCATED = "truncated"  # cut off at a token limit


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one case that explains itself.

    `error_type` is the official string of the benchmark's own scorer, None when valid.
    `where` names the place of the fault (a function, a parameter), `message` says it in words.
    `measure` is a figure in [0, 1] for an answer that is neither right nor wrong: its case is out
    of n in every profile.
    """

    valid: bool
    error_type: str | None = None
    fault: Fault | None = None
    where: str = ""
    message: str = ""
    measure: float | None = None


RIGHT = Judgement(valid=True)


@dataclass(frozen=True, slots=True)
class CaseData:
    """A case as its benchmark ships it, joined with its accepted answer.

    `question` holds all that asking needs; `answer` is None where none is needed (irrelevance).
    """

    id: str
    category: str
    question: Mapping[str, JSON]
    answer: JSON = None


@dataclass(frozen=True, slots=True)
class Setup:
    """How an entry is asked, and therefore judged: part of a run's frozen configuration."""

    mode: Mode
    underscore: bool = False  # dots in tool names travel as underscores, and are judged so
    profile: str = "default"
    options: Mapping[str, JSON] = field(default_factory=dict)  # a suite's own, e.g. web replay


@dataclass(frozen=True, slots=True)
class Question:
    """One request to a model: OpenAI-style messages, and tools in FC mode (else None)."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] | None
    turn: int = 0
    step: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said to one question.

    `result` is the official *result value* of one step: a list `[{name: arguments text}, …]` of
    calls in FC mode, the reply text otherwise. `message` is the assistant message for the history.
    """

    result: JSON
    message: Message
