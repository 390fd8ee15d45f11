"""Verdicts on multi-turn cases: the same state, and every reply that was due. Sandbox only.

After each turn that expects anything, the model's world must equal the one in which the
accepted calls were executed, and every reply those calls got in this turn must be among the
replies the model's calls got so far. There is no test of order and none of superfluous calls.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable
from evaluation.benchmarks.bfcl_v4.executable import call_texts, is_empty
from evaluation.benchmarks.bfcl_v4.worlds import FixedClock, Instances
from evaluation.engine.types import JSON, RIGHT, CaseData, Fault, Judgement, Mode, Setup

Turn = Sequence[Sequence[str]]  # steps of call texts
# Verdicts on results of unknown age, and the accepted calls themselves, see this day.
NEUTRAL_CLOCK = datetime(2026, 3, 23)
REMEMBERED_CASES = 1000  # accepted runs kept by a process; all 800 cases fit
SHOWN = 200  # characters of a differing value in a message


@dataclass(frozen=True, slots=True)
class Expected:
    """One turn of the accepted answer: its replies, and the public state after it by class."""

    replies: Sequence[str]
    state: Mapping[str, Mapping[str, Any]]


_accepted_runs: OrderedDict[tuple[str, datetime], tuple[CaseData, list[Expected | None]]] = (
    OrderedDict()
)


def judge(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """The official verdict on one multi-turn result value.

    With the option `decoded` the result is `[turn][step][call text]` and is taken as it is.
    """
    if not isinstance(result, list):
        return _wrong("inference_error", Fault.WRONG_FORMAT, "", "The result holds no turns.")
    if len(result) != len(case.answer):
        message = f"The conversation has {len(result)} turns instead of {len(case.answer)}."
        return _wrong("force_terminated", Fault.FORCE_QUIT, "", message)
    return _compare(case, turns_of(result, setup), clock_of(setup))


def turns_of(result: Sequence[JSON], setup: Setup) -> list[Turn]:
    """The calls of a result value, turn by turn and step by step."""
    if setup.options.get("decoded"):
        return [_as_texts(turn) for turn in result]
    return [_decoded(turn, setup.mode) for turn in result]


def clock_of(setup: Setup) -> datetime:
    """The present of the worlds that are compared."""
    named = setup.options.get("clock")
    return datetime.fromisoformat(named).replace(tzinfo=None) if named else NEUTRAL_CLOCK


def _as_texts(turn: JSON) -> Turn:
    steps = turn if isinstance(turn, list) else []
    return [[call for call in step if isinstance(call, str)] for step in steps]


def _decoded(turn: JSON, mode: Mode) -> Turn:
    """The steps of a turn that hold calls; those that do not are what a model said."""
    steps = []
    for step in turn if isinstance(turn, list) else ():
        try:
            texts = call_texts(step, mode)
        except Undecodable:
            continue
        if not is_empty(texts):
            steps.append(texts)
    return steps


def _compare(case: CaseData, turns: Sequence[Turn], clock: datetime) -> Judgement:
    FixedClock.at = clock
    accepted = _accepted_run(case, clock)
    instances = fresh(case)
    seen: Counter[str] = Counter()
    for number, (turn, expected) in enumerate(zip(turns, accepted, strict=True)):
        for step in turn:
            seen.update(instances.perform_guarded(step))
        if expected is None:
            continue  # quirk: where nothing is due, nothing is tested
        if is_empty(turn):
            return _wrong(
                "empty_turn_model_response",
                Fault.EMPTY_TURN,
                f"turn {number + 1}",
                "Calls were due in this turn and none came.",
            )
        fault = _state_fault(instances, expected, number) or _reply_fault(seen, expected, number)
        if fault:
            return fault
    return RIGHT


def fresh(case: CaseData) -> Instances:
    """The worlds of a case before its first turn."""
    question = case.question
    is_long = "long_context" in case.id.rsplit("_", 1)[0]
    return Instances(question["involved_classes"], question["initial_config"], is_long)


def _accepted_run(case: CaseData, clock: datetime) -> list[Expected | None]:
    """The accepted calls executed turn by turn: the same for every model, so remembered.

    None stands for a turn in which nothing is due.
    """
    key = (case.id, clock)
    remembered, run = _accepted_runs.get(key, (None, []))
    if remembered == case:
        _accepted_runs.move_to_end(key)
        return run
    instances = fresh(case)
    run = []
    state: dict[str, dict[str, Any]] = {}
    for calls in case.answer:
        replies = instances.perform(calls)
        state = {
            name: _kept(instances.public_state(name), state.get(name, {}))
            for name in instances.by_class
        }
        run.append(Expected(replies, state) if calls else None)
    _accepted_runs[key] = (case, run)
    if len(_accepted_runs) > REMEMBERED_CASES:
        _accepted_runs.popitem(last=False)
    return run


def _kept(now: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a state that shares with the copy before what has not changed."""
    return {
        name: before[name] if name in before and before[name] == value else deepcopy(value)
        for name, value in now.items()
    }


def _state_fault(instances: Instances, expected: Expected, number: int) -> Judgement | None:
    for name, state in expected.state.items():
        actual = instances.by_class[name]
        for attribute, wanted in state.items():
            found = getattr(actual, attribute)
            if found != wanted:
                message = f"{_short(found)} instead of {_short(wanted)}"
                where = f"turn {number + 1}, {name}.{attribute}"
                return _wrong("instance_state_mismatch", Fault.WRONG_STATE, where, message)
    return None


def _reply_fault(seen: Counter[str], expected: Expected, number: int) -> Judgement | None:
    missing = Counter(expected.replies) - seen
    if not missing:
        return None
    message = f"No call got this reply that was due: {_short(next(iter(missing)))}"
    where = f"turn {number + 1}"
    return _wrong("execution_response_mismatch", Fault.WRONG_RESPONSE, where, message)


def _short(value: object) -> str:
    try:
        text = value if isinstance(value, str) else repr(value)
    except (RecursionError, ValueError):
        return "a value that cannot be shown"
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _wrong(kind: str, fault: Fault, where: str, message: str) -> Judgement:
    return Judgement(False, f"multi_turn:{kind}", fault, where, message)
