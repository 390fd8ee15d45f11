"""From a case and a result to a judgement, in either profile."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.benchmarks.apibank import repaired, upstream
from evaluation.benchmarks.apibank.cases import free_state, gold_of, state_before
from evaluation.benchmarks.apibank.plays import MOST_STEPS, readable_calls
from evaluation.benchmarks.apibank.prompts import written_call
from evaluation.benchmarks.apibank.reading import Unreadable
from evaluation.benchmarks.apibank.searching import embedding
from evaluation.benchmarks.apibank.taxonomy import FAULTS
from evaluation.benchmarks.apibank.tools import PLANNING_TOOLS
from evaluation.benchmarks.apibank.tools.base import Record
from evaluation.benchmarks.apibank.verdicts import UPSTREAM, CallVerdict, ErrorClass, wrong
from evaluation.benchmarks.apibank.world import perform
from evaluation.engine.text import plain
from evaluation.engine.types import JSON, RIGHT, CaseData, Judgement, Setup


def judge_call(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """The verdict on the one call that was due. What stays open counts as wrong here."""
    gold = gold_of(case.answer["gold"])
    if setup.profile == UPSTREAM:
        state = state_before(case, replayed=False)
        return as_judgement(upstream.judge(gold, as_text(result), state))
    state = state_before(case, replayed=True, embed=embedding(setup.options))
    return as_judgement(repaired.judge(gold, result, state))


def judge_free(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """A task is solved when every call that is due was made, in any order, with its outcome."""
    steps = steps_of(result)
    records = list(_performed(case, steps, setup))
    for due in map(gold_of, case.answer["due"]):
        tool = PLANNING_TOOLS[due.tool]
        fitting = [
            place
            for place, record in enumerate(records)
            if record["api_name"] == due.tool and repaired.agree(tool, record, due.record)
        ]
        if not fitting:
            return as_judgement(_unsolved(steps, records, due.tool))
        del records[fitting[0]]
    return RIGHT


def _performed(case: CaseData, steps: list[JSON], setup: Setup) -> Iterator[Record]:
    state = free_state(case.question["world"], embedding(setup.options))
    for step in steps:
        for call in readable_calls(step):
            yield perform(call, state)


def steps_of(result: JSON) -> list[JSON]:
    """The steps of `result[0]`; none for anything of another shape."""
    if isinstance(result, list) and result and isinstance(result[0], list):
        return result[0][:MOST_STEPS]
    return []


def _unsolved(steps: list[JSON], records: list[Record], tool: str) -> CallVerdict:
    if not any(readable_calls(step) for step in steps):
        return wrong(ErrorClass.NO_API_CALL, "No tool was called.")
    if len(steps) == MOST_STEPS and readable_calls(steps[-1]):
        message = f"After {MOST_STEPS} steps, no call of {tool} had the expected outcome."
        return wrong(ErrorClass.TOO_MANY_STEPS, message, tool)
    return wrong(ErrorClass.UNSOLVED, f"No call of {tool} had the expected outcome.", tool)


def as_text(result: JSON) -> str:
    """A result value as a model would write it in a prompt."""
    if isinstance(result, str):
        return result
    try:
        calls = repaired.calls_of(result)
    except (repaired.NotACall, Unreadable):
        return ""
    inner = ", ".join(written_call(call.name, call.values)[1:-1] for call in calls)
    return f"[{inner}]" if inner else ""


NO_VERDICT = "The published evaluation has no verdict on this answer; it counts as wrong here."


def as_judgement(verdict: CallVerdict) -> Judgement:
    if verdict.valid:
        return RIGHT
    said = str(plain(verdict.message[:1000]))
    return Judgement(
        valid=False,
        error_type=verdict.error_class.value,
        fault=FAULTS.get(verdict.error_class),
        where=str(plain(verdict.where[:200])),
        message=f"{said} {NO_VERDICT}" if verdict.valid is None else said,
    )
