"""A verdict row from a case's result, or from the lack of one."""

from __future__ import annotations

from evaluation.engine.outcomes import Outcome
from evaluation.engine.text import storable
from evaluation.engine.types import JSON, Fault, Judgement
from evaluation.models import Verdict
from evaluation.runner.asking import NoCompletion
from evaluation.runner.reading import CaseWork

# What the benchmark's own generator writes as the result when a request fails for good.
OFFICIAL_ERROR = "Error during inference: "

FAULTS = {
    "refused": Fault.REFUSED,
    "context_overflow": Fault.CONTEXT_OVERFLOW,
    "malformed_history": Fault.MALFORMED,
}
CUT_OFF = "length"  # the finish reason of an answer that met a token limit


def verdict(
    scoring_id: int, work: CaseWork, judgement: Judgement, finish_reason: str = ""
) -> Verdict:
    """The row for a judged result; its case may be out of n, whatever the judgement."""
    if work.excluded:
        return excluded(scoring_id, work, judgement)
    fault = judgement.fault
    if not judgement.valid and finish_reason == CUT_OFF:
        fault = Fault.TRUNCATED
    return Verdict(
        scoring_id=scoring_id,
        case_id=work.pk,
        outcome=Outcome.CORRECT if judgement.valid else Outcome.WRONG,
        error_type=(judgement.error_type or "")[:80],
        fault=fault or "",
        where=storable(judgement.where)[:200],
        message=storable(judgement.message),
        attempts=work.sent,
    )


def unscored(scoring_id: int, work: CaseWork, explanation: str) -> Verdict:
    """The row for a case that endpoint trouble left open."""
    if work.excluded:
        return excluded(scoring_id, work)
    return Verdict(
        scoring_id=scoring_id,
        case_id=work.pk,
        outcome=Outcome.UNSCORED,
        message=storable(explanation),
        attempts=work.sent,
    )


def excluded(scoring_id: int, work: CaseWork, judgement: Judgement | None = None) -> Verdict:
    """The row for a case that is out of n, with what was measured on its answer, if anything."""
    row = Verdict(
        scoring_id=scoring_id,
        case_id=work.pk,
        outcome=Verdict.Outcome.EXCLUDED,
        message=work.excluded,
        attempts=work.sent,
    )
    if judgement is not None and judgement.measure is not None:
        row.message, row.measure = judgement.message, judgement.measure
    return row


def official_error(end: NoCompletion) -> JSON:
    """The result value of a case without a completion, as the benchmark's generator writes it."""
    return OFFICIAL_ERROR + end.explanation


def without_completion(
    scoring_id: int, work: CaseWork, judgement: Judgement, end: NoCompletion
) -> Verdict:
    """The row for a case whose last reply is no completion.

    `judgement` is that on the benchmark's own error text. Where that text would pass (nothing had
    to be called), it earns nothing either: the case stays unscored.
    """
    if judgement.valid or work.excluded:
        return unscored(scoring_id, work, end.explanation)
    row = verdict(scoring_id, work, judgement)
    row.fault = FAULTS.get(end.kind, row.fault)
    row.message = storable(end.explanation)
    return row
