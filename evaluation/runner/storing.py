"""Transactions of a slice's work: rows stored, a case begun anew, the slice's end."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from django.db import transaction
from django.db.models import F

from evaluation.engine.types import JSON
from evaluation.models import Reply, Run, Scoring, Slice, Verdict, WorldSnapshot
from evaluation.runner import leases, row_copies, scores, transitions
from evaluation.runner.leases import Lease


class RunOver(Exception):
    """The run has ended while it was worked on; what was still coming is dropped."""


def store(lease: Lease, rows: Sequence[Reply | Verdict]) -> str:
    """Store rows of one slice in one transaction; gives the run's state.

    Storing again what a lost connection left in doubt changes nothing.

    Raises LeaseLost, RunOver.
    """
    replies = [row for row in rows if isinstance(row, Reply)]
    verdicts = [row for row in rows if isinstance(row, Verdict)]
    with transaction.atomic():
        state = _hold(lease)
        if replies:
            row_copies.store(replies)
            _count(lease, replies)
        row_copies.store(verdicts)
        if lease.had_expired:
            leases.mark_progress(lease)
    return state


def _hold(lease: Lease) -> str:
    state = leases.hold(lease)
    if state not in Run.ACTIVE:
        raise RunOver
    return state


def _count(lease: Lease, replies: Sequence[Reply]) -> None:
    """Keep the counters of a run's page going; the slice's end makes them exact."""
    accepted = sum(reply.accepted for reply in replies)
    Run.objects.filter(pk=lease.run_id).update(
        requests_sent=F("requests_sent") + len(replies),
        accepted_replies=F("accepted_replies") + accepted,
        retries=F("retries") + sum(reply.attempt > 1 for reply in replies),
        failures_in_row=lease.failures_in_row,
    )


def keep_world(lease: Lease, case_id: int, snapshot: JSON) -> None:
    """Store what the next case of a chain starts from."""
    with transaction.atomic():
        _hold(lease)
        WorldSnapshot.objects.update_or_create(
            run_id=lease.run_id,
            case_id=case_id,
            defaults={"body": zlib.compress(json.dumps(snapshot).encode())},
        )


def begin_anew(lease: Lease, case_id: int) -> None:
    """A case's stored replies answer other questions than we would ask now: none counts."""
    with transaction.atomic():
        _hold(lease)
        Reply.objects.filter(run=lease.run_id, case=case_id, accepted=True).update(accepted=False)


def finish_slice(lease: Lease, slice_id: int) -> None:
    """Close a slice whose cases are settled, and its run with the last one.

    Raises LeaseLost, RunOver.
    """
    with transaction.atomic():
        if not Slice.objects.filter(pk=slice_id, state=Slice.State.DONE).exists():
            _close(lease, slice_id)
    lease.held.discard(slice_id)


def _close(lease: Lease, slice_id: int) -> None:
    _hold(lease)
    leases.close(slice_id)
    _refresh(lease.run_id)
    if not Slice.objects.filter(run=lease.run_id).exclude(state=Slice.State.DONE).exists():
        end_run(Run.objects.get(pk=lease.run_id))


def release(lease: Lease, wait: float = 0.0) -> None:
    """Give back what is held, with the counts brought up to date."""
    with transaction.atomic():
        if leases.release(lease, wait):
            _refresh(lease.run_id)
        if wait:
            leases.hold_back(lease.run_id, wait)


def end_run(run: Run) -> None:
    """Finished, or incomplete with a sentence about what is missing."""
    scoring = Scoring.objects.get(run=run, is_current=True)
    missing = shortfall(scores.totals(scoring))
    transitions.finish(run, f"{missing} {last_failure(scoring)}".strip())


def shortfall(totals: scores.Totals) -> str:
    parts = []
    if totals.unscored:
        parts.append(
            f"{totals.unscored} of {totals.n} cases could not be scored, because the endpoint "
            "gave no usable answer to them; they can be asked again"
        )
    if totals.not_run:
        parts.append(f"{totals.not_run} of {totals.n} cases were not asked")
    return "; ".join(parts) + "." if parts else ""


def last_failure(scoring: Scoring) -> str:
    """What became of the newest unscored case, in words: one trouble is often the whole story."""
    newest = scoring.verdicts.filter(outcome=Verdict.Outcome.UNSCORED).order_by("-pk")
    message = newest.values_list("message", flat=True).first()
    return f"The last failure: {message}" if message else ""


def give_up_waiting(run: Run) -> None:
    """A pause has lasted too long: the run ends with what it has."""
    with transaction.atomic():
        _refresh(run.pk)
        totals = scores.totals(Scoring.objects.get(run=run, is_current=True))
        waited = f"The endpoint did not answer for 24 hours. {run.reason} {shortfall(totals)}"
        transitions.give_up(run, waited.strip())


def _refresh(run_id: int) -> None:
    scoring = Scoring.objects.get(run=run_id, is_current=True)
    scores.refresh_scores(scoring.pk)
    scores.refresh_counters(run_id)
