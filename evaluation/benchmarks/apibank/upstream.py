"""The published verdict on one call, faults included.

Every call is judged against fresh databases; lists stay text; the tool's own check decides.
What needs a live service or the embedding model, or breaks the published program, is open.
"""

from __future__ import annotations

from evaluation.benchmarks.apibank.corpus import GoldCall
from evaluation.benchmarks.apibank.reading import Call, read_loosely
from evaluation.benchmarks.apibank.tools import tools_of
from evaluation.benchmarks.apibank.tools.base import (
    MissingKey,
    Record,
    State,
    Tool,
    ToolCrash,
    ToolError,
)
from evaluation.benchmarks.apibank.tools.online import check_languages
from evaluation.benchmarks.apibank.verdicts import (
    RIGHT,
    CallVerdict,
    ErrorClass,
    open_question,
    wrong,
)
from evaluation.engine.types import JSON

MOST_DIGITS = 400  # no number of the benchmark has more than a few


class InvalidParameter(Exception):
    """A key the tool does not have."""


class InvalidType(Exception):
    """A value that cannot be turned into the declared type."""


def judge(gold: GoldCall, text: str, state: State) -> CallVerdict:
    """Never raises on hostile texts. `state` must be fresh."""
    call = read_loosely(text)
    if call is None:
        return wrong(ErrorClass.NO_API_CALL, "There is no call of the form [Name(key='value')].")
    tool = tools_of(gold.level).get(call.name)
    if gold.level < 3 and call.name != gold.tool:
        return wrong(ErrorClass.NAME_MISMATCH, f"{call.name} instead of {gold.tool}", call.name)
    if tool is None:
        return wrong(ErrorClass.INVALID_TOOL_NAME, f"There is no tool {call.name}.", call.name)
    return _judge_arguments(gold, tool, call, state)


def _judge_arguments(gold: GoldCall, tool: Tool, call: Call, state: State) -> CallVerdict:
    planning = gold.level == 3
    if planning and tool.name == "ToolSearcher" and "keywords" not in call.values:
        return open_question(ErrorClass.CRASH, "The published program stops without keywords.")
    try:
        arguments = typed(tool, call)
    except InvalidParameter as fault:
        return wrong(ErrorClass.INVALID_PARAMETER, str(fault))
    except InvalidType as fault:
        kind = ErrorClass.INVALID_PARAMETER if planning else ErrorClass.CRASH
        return wrong(kind, str(fault))
    missing = tool.missing(arguments)
    if missing:
        return wrong(ErrorClass.MISSING_ARGUMENT, f"missing: {', '.join(missing)}", missing[0])
    return _judge_elsewhere(tool, arguments) or _judge_run(gold, tool, arguments, state)


def typed(tool: Tool, call: Call) -> dict[str, JSON]:
    """Values in their declared types, the way the published program turns texts into them."""
    arguments: dict[str, JSON] = {}
    for key, value in call.values.items():
        if key not in tool.parameters:
            raise InvalidParameter(f"invalid parameter name. parameter: {key}")
        arguments[key] = _convert(tool.parameters[key], value)
    return arguments


def _convert(kind: str, text: str) -> JSON:
    if kind == "bool":
        return text == "True"
    if kind not in ("int", "float"):
        return text
    digits = text.replace(".", "", 1) if kind == "float" else text
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        raise InvalidType(f"invalid parameter type. parameter: {text}")
    return int(text) if kind == "int" else float(text)


def _judge_elsewhere(tool: Tool, arguments: dict[str, JSON]) -> CallVerdict | None:
    """What is decided by a service or a model that is not part of the benchmark."""
    if tool.name == "ToolSearcher":
        return open_question(ErrorClass.NEEDS_MODEL, "The embedding model decides.")
    if not tool.is_online:
        return None
    try:
        check_languages(arguments)
    except ToolError as refusal:
        return wrong(ErrorClass.HAS_EXCEPTION, str(refusal))
    return open_question(ErrorClass.NEEDS_NETWORK, "A live service decides.")


def _judge_run(
    gold: GoldCall, tool: Tool, arguments: dict[str, JSON], state: State
) -> CallVerdict:
    try:
        record = tool.call(state, arguments)
    except ToolCrash as crash:
        return wrong(ErrorClass.TYPE_ERROR, str(crash))
    try:
        agrees = tools_of(gold.level)[gold.tool].agrees(record, gold.record)
    except MissingKey as key:
        if gold.level < 3:
            return wrong(ErrorClass.KEY_ERROR, f"The check looks for {key}.", str(key))
        agrees = False
    except ToolCrash as crash:
        return open_question(ErrorClass.CRASH, str(crash))
    return RIGHT if agrees else _mismatch(gold, record)


def _mismatch(gold: GoldCall, record: Record) -> CallVerdict:
    if record["exception"]:
        return wrong(ErrorClass.HAS_EXCEPTION, record["exception"])
    if gold.level == 3:
        return wrong(ErrorClass.MISMATCH, "The record differs from the expected one.")
    if record["output"] != gold.record["output"]:
        return wrong(ErrorClass.OUTPUT_MISMATCH, "The output differs from the recorded one.")
    return wrong(ErrorClass.INPUT_MISMATCH, "The input differs from the recorded one.")
