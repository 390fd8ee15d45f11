"""The repaired verdict on one call.

The dialogue's earlier calls are replayed first, so that state is kept; lists are lists; chance
answers as recorded; a deleted meeting is compared by its start, recorded health data by its
values, a search by the tool it finds;
two calls where one is due are wrong; calls with an erratum are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from evaluation.benchmarks.apibank.corpus import GoldCall
from evaluation.benchmarks.apibank.errata import ERRATA
from evaluation.benchmarks.apibank.reading import (
    LONGEST_CALL,
    Call,
    Unreadable,
    read_carefully,
    read_list,
)
from evaluation.benchmarks.apibank.tools import tools_of
from evaluation.benchmarks.apibank.tools.base import (
    MissingKey,
    Record,
    State,
    Tool,
    ToolCrash,
)
from evaluation.benchmarks.apibank.tools.health import recorded_repaired
from evaluation.benchmarks.apibank.tools.meetings import deleted_repaired
from evaluation.benchmarks.apibank.toolsearch import ToolIndex, found_name
from evaluation.benchmarks.apibank.verdicts import (
    RIGHT,
    CallVerdict,
    ErrorClass,
    open_question,
    wrong,
)
from evaluation.engine.types import JSON

BY_CHANCE = frozenset({"RegisterUser", "AppointmentRegistration"})
REPAIRED_CHECKS = {"DeleteMeeting": deleted_repaired, "RecordHealthData": recorded_repaired}
WHOLE = re.compile(r"\s*[-+]?\d{1,30}\s*")
DECIMAL = re.compile(r"\s*[-+]?\d{1,30}(\.\d{0,30})?([eE][-+]?\d{1,2})?\s*")
LARGEST = 1e30  # of any number; refuses what is none as well
TRUTH = {"true": True, "false": False}


class WrongType(Exception):
    """A value that is not of the declared type."""


class NotACall(Exception):
    """A result that cannot be read as calls."""


def judge(gold: GoldCall, result: JSON, state: State) -> CallVerdict:
    """Judge a result value (calls or text). Never raises; `state` holds the earlier calls."""
    if gold.key in ERRATA:
        return open_question(ErrorClass.EXCLUDED, ERRATA[gold.key])
    return judge_due(gold, result, state)


def judge_due(gold: GoldCall, result: JSON, state: State) -> CallVerdict:
    """As `judge`, for a call without an erratum."""
    try:
        calls = calls_of(result)
    except (NotACall, Unreadable) as fault:
        return wrong(ErrorClass.FAILED_PARSE, str(fault))
    if not calls:
        return wrong(ErrorClass.NO_API_CALL, "There is no call where one is due.")
    if len(calls) > 1:
        return wrong(ErrorClass.SEVERAL_CALLS, f"There are {len(calls)} calls where one is due.")
    (call,) = calls
    if call.name != gold.tool:
        known = gold.level < 3 or call.name in tools_of(gold.level)
        kind = ErrorClass.NAME_MISMATCH if known else ErrorClass.INVALID_TOOL_NAME
        return wrong(kind, f"{call.name} instead of {gold.tool}", call.name)
    return _judge_call(gold, tools_of(gold.level)[call.name], call, state)


def _judge_call(gold: GoldCall, tool: Tool, call: Call, state: State) -> CallVerdict:
    arguments, fault = arguments_of(tool, call)
    if fault is not None:
        return fault
    record = run(tool, arguments, state)
    if agree(tool, record, gold.record):
        return RIGHT
    if record["exception"]:
        return wrong(ErrorClass.HAS_EXCEPTION, record["exception"])
    if record["output"] != gold.record["output"]:
        return wrong(ErrorClass.OUTPUT_MISMATCH, "The output differs from the recorded one.")
    return wrong(ErrorClass.INPUT_MISMATCH, "The input differs from the recorded one.")


def arguments_of(tool: Tool, call: Call) -> tuple[dict[str, JSON], CallVerdict | None]:
    """Typed arguments, or what is wrong with them."""
    arguments: dict[str, JSON] = {}
    for key, value in call.values.items():
        if key not in tool.parameters:
            message = f"{tool.name} has no parameter {key}."
            return {}, wrong(ErrorClass.INVALID_PARAMETER, message, key)
        try:
            arguments[key] = convert(tool.parameters[key], value)
        except WrongType:
            message = f"{key} is not of type {tool.parameters[key]}."
            return {}, wrong(ErrorClass.WRONG_TYPE, message, key)
    missing = tool.missing(arguments)
    if missing:
        message = f"missing: {', '.join(missing)}"
        return {}, wrong(ErrorClass.MISSING_ARGUMENT, message, missing[0])
    return arguments, None


def run(tool: Tool, arguments: dict[str, JSON], state: State) -> Record:
    """A record in any case: a tool that breaks has an exception."""
    try:
        return tool.call(state, arguments)
    except ToolCrash as crash:
        return {
            "api_name": tool.name,
            "input": arguments,
            "output": None,
            "exception": str(crash),
        }


def agree(tool: Tool, record: Record, gold: Record) -> bool:
    if tool.name == "ToolSearcher":
        return found_name(record["output"]) == found_name(gold["output"])
    agrees = REPAIRED_CHECKS.get(tool.name, tool.agrees)
    try:
        return agrees(record, gold)
    except (MissingKey, ToolCrash):
        return False


def replay(earlier: Iterable[GoldCall], state: State) -> None:
    """Do what the dialogue has done before. Chance falls as it was recorded."""
    for call in earlier:
        tool = tools_of(call.level)[call.tool]
        given = call.record["input"] or {}
        fits = set(given) <= set(tool.parameters) and not tool.missing(given)
        if not fits or tool.is_online or tool.name == "ToolSearcher":
            continue
        state.told = call.record["output"] if tool.name in BY_CHANCE else None
        run(tool, given, state)
        state.told = None


class RecordedSearch:
    """Answers a search as recorded where the same was asked, otherwise from the index."""

    def __init__(self, index: ToolIndex, calls: Iterable[GoldCall]) -> None:
        self._index = index
        self._recorded = {
            _plain(str(call.written["keywords"])): call.record["output"]
            for call in calls
            if call.tool == "ToolSearcher" and call.key not in ERRATA
        }

    def __call__(self, keywords: str) -> JSON:
        recorded = self._recorded.get(_plain(keywords))
        return recorded if recorded is not None else self._index.search(spread(keywords))


def _plain(keywords: str) -> str:
    return " ".join(keywords.lower().split())


def spread(keywords: str) -> str:
    """A tool's name run together is spread into words; anything else stays."""
    return keywords if " " in keywords else re.sub(r"(?<!^)([A-Z])", r" \1", keywords)


def calls_of(result: JSON) -> list[Call]:
    """The calls in a result value. Raises NotACall, Unreadable."""
    if isinstance(result, str):
        return [_without_nones(call) for call in read_carefully(result)]
    if not isinstance(result, list):
        raise NotACall("The result is neither text nor a list of calls.")
    return [_native(item) for item in result]


def _native(item: JSON) -> Call:
    if not isinstance(item, dict) or len(item) != 1:
        raise NotACall("A call is an object with one name.")
    ((name, written),) = item.items()
    if isinstance(written, str):
        written = _arguments_object(written)
    if not isinstance(written, dict):
        raise NotACall(f"The arguments of {name} are no object.")
    given = {str(key): value for key, value in written.items() if value is not None}
    return Call(str(name), given)


def _arguments_object(text: str) -> JSON:
    if len(text) > LONGEST_CALL:
        raise NotACall("The arguments are too long.")
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise NotACall("The arguments are no JSON.") from None


def _without_nones(call: Call) -> Call:
    return replace(call, values={k: v for k, v in call.values.items() if v != "None"})


def convert(kind: str, value: JSON) -> JSON:
    """A value in its declared type, from JSON or from text. Raises WrongType."""
    if kind == "str":
        return _as_text(value)
    if kind == "int":
        return _as_number(value, int, WHOLE)
    if kind == "float":
        return _as_number(value, float, DECIMAL)
    if kind == "bool":
        return _as_truth(value)
    return _as_list(kind, value)


def _as_text(value: JSON) -> str:
    if not isinstance(value, str):
        raise WrongType
    return value


def _as_number(value: JSON, form: type[int] | type[float], text: re.Pattern[str]) -> JSON:
    if isinstance(value, str) and text.fullmatch(value):
        return form(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongType
    if not -LARGEST < value < LARGEST or (form is int and value != value // 1):
        raise WrongType
    return form(value)


def _as_truth(value: JSON) -> bool:
    if isinstance(value, str) and value.strip().lower() in TRUTH:
        return TRUTH[value.strip().lower()]
    if not isinstance(value, bool):
        raise WrongType
    return value


def _as_list(kind: str, value: JSON) -> JSON:
    if isinstance(value, str):
        try:
            value = read_list(value)
        except Unreadable:
            raise WrongType from None
    if not isinstance(value, list):
        raise WrongType
    if kind == "list(str)" and not all(isinstance(item, str) for item in value):
        raise WrongType
    return value
