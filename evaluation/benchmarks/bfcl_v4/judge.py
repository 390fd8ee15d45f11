"""The official verdict on a single-turn case, step by step.

A case is prepared once (`prepared`) and its results are judged against that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.benchmarks.bfcl_v4 import decode, faults, formats
from evaluation.benchmarks.bfcl_v4.accepted import Expected, expected_call
from evaluation.benchmarks.bfcl_v4.decode import Decoded, Undecodable
from evaluation.benchmarks.bfcl_v4.faults import wrong
from evaluation.benchmarks.bfcl_v4.hints import language_of
from evaluation.benchmarks.bfcl_v4.rules import first_fault
from evaluation.engine.assign import first_without_partner
from evaluation.engine.text import shown
from evaluation.engine.types import JSON, RIGHT, CaseData, Judgement, Mode, Setup


@dataclass(slots=True)
class Prepared:
    """What judging needs of a case, apart from the result. `form` says how text is read."""

    case: CaseData
    language: str
    form: str
    has_tag: bool
    due: Sequence[Expected]
    check: Callable[[Decoded, Prepared], Judgement]


_PREPARED: dict[tuple[str, bool], Prepared] = {}  # at most every case, with and without dots


def prepared(case: CaseData, *, underscore: bool) -> Prepared:
    """Prepare a case, or take it from before if neither its text nor its answer changed."""
    key = (case.id, underscore)
    known = _PREPARED.get(key)
    if known is not None and _is_same(known.case, case):
        return known
    fresh = _PREPARED[key] = _prepare(case, underscore)
    return fresh


def forget() -> None:
    """Drop what was prepared, as in a process just started."""
    _PREPARED.clear()


def _is_same(known: CaseData, case: CaseData) -> bool:
    """Answers are compared as written: a correction may turn 1 into 1.0, which are equal."""
    return known is case or (
        known.question == case.question and repr(known.answer) == repr(case.answer)
    )


def _prepare(case: CaseData, underscore: bool) -> Prepared:
    language = language_of(case.category)
    form = formats.of_case(case.id)
    kind = case.id.rpartition(":")[2] if ":" in case.id else case.category
    check = _check_for(kind)
    return Prepared(
        case=case,
        language=language,
        form=form.returns if language == "python" else language,
        has_tag=form.has_tag,
        due=[
            expected_call(
                _description(case, answer, check), answer[name], language, underscore=underscore
            )
            for answer in case.answer
            for name in answer
        ],
        check=check,
    )


def _description(case: CaseData, answer: JSON, check: object) -> JSON:
    """The description of the expected function. Quirk: a simple case has only its first."""
    functions = case.question["function"]
    if check is _simple:
        return functions[0]
    name = next(iter(answer))
    return next(function for function in functions if function["name"] == name)


def judge_calls(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """Judge a case in which calls are due."""
    ready = prepared(case, underscore=setup.underscore)
    try:
        calls = decode.calls_in(result, setup.mode, ready.form, has_tag=ready.has_tag)
    except Undecodable as error:
        return wrong(faults.DECODER_FAILED, f"The reply cannot be read as calls: {error}.")
    if not decode.is_calls(calls):
        message = f"The reply is no list of calls with named arguments: {shown(calls)}."
        return wrong(faults.WRONG_FORMAT, message)
    return ready.check(calls, ready)


def _simple(calls: Decoded, ready: Prepared) -> Judgement:
    if len(calls) != 1:
        return _wrong_count(faults.SIMPLE_COUNT, calls, 1)
    return first_fault(calls[0], ready.due[0], ready.language) or RIGHT


def _multiple(calls: Decoded, ready: Prepared) -> Judgement:
    if len(calls) != len(ready.due):
        return _wrong_count(faults.MULTIPLE_COUNT, calls, len(ready.due))
    return first_fault(calls[0], ready.due[0], ready.language) or RIGHT


def _parallel(calls: Decoded, ready: Prepared) -> Judgement:
    if len(calls) != len(ready.due):
        return _wrong_count(faults.PARALLEL_COUNT, calls, len(ready.due))

    def fits(call: dict[str, Any], expected: Expected) -> bool:
        return first_fault(call, expected, ready.language) is None

    lonely = first_without_partner(ready.due, calls, fits)
    return RIGHT if lonely is None else _no_match(ready, lonely, calls)


def _no_match(ready: Prepared, lonely: int, calls: Decoded) -> Judgement:
    expected = ready.due[lonely]
    same_name = [call for call in calls if expected.name in call]
    message = (
        f"Expected call {lonely + 1} of {len(ready.due)}, {expected.name}, has no partner"
        " among the calls made."
    )
    if len(same_name) == 1:
        fault = first_fault(same_name[0], expected, ready.language)
        message += f" {fault.message}" if fault else " The call that fits it was taken by another."
    elif same_name:
        message += f" None of its {len(same_name)} calls fits it and is free."
    else:
        message += " It was not called."
    return wrong(faults.NO_MATCH, message, expected.name)


def _wrong_count(error_type: str, calls: Decoded, due: int) -> Judgement:
    made = (
        "No call was"
        if not calls
        else "1 call was"
        if len(calls) == 1
        else f"{len(calls)} calls were"
    )
    return wrong(error_type, f"{made} made; {due} {'is' if due == 1 else 'are'} due.")


def _check_for(kind: str) -> Callable[[Decoded, Prepared], Judgement]:
    """Which check a category gets: told by its name, "parallel" before "multiple"."""
    checks = (("parallel", _parallel), ("multiple", _multiple))
    return next((check for word, check in checks if word in kind), _simple)


def judge_restraint(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """Judge a case in which no call is due: any readable call is wrong."""
    if not has_calls(result, setup.mode):
        return RIGHT
    return wrong(faults.UNWANTED_CALL, "A function was called, and none of them can help here.")


def judge_relevance(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """Judge a case in which some call is due, whichever it is."""
    if has_calls(result, setup.mode):
        return RIGHT
    return wrong(faults.NO_CALL, "No readable call was made, and one of the functions can help.")


def has_calls(result: JSON, mode: Mode) -> bool:
    """Whether a result holds at least one readable call; always read as Python or FC."""
    try:
        calls = decode.calls_in(result, mode)
    except Undecodable:
        return False
    return bool(calls) and decode.is_calls(calls)
