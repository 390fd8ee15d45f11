"""Every change of a run's state, each with its event in the same transaction.

A transition is conditional: it happens from the states it names and is nothing otherwise, so
each may be called twice and the first of two contradicting ones wins.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.models import Run, RunEvent

PROBE_EVERY = timedelta(minutes=1)
PAUSED_AT_MOST = timedelta(hours=24)

State = Run.State


def start(run: Run) -> bool:
    """A worker has taken the first slice."""
    fields: dict[str, Any] = {} if run.started_at else {"started_at": Now()}
    return _move(run, State.RUNNING, (State.QUEUED,), **fields)


def pause(run: Run, reason: str, *, by_owner: bool = False) -> bool:
    """Stop asking for now. Unless `by_owner`, the endpoint is probed and the run goes on."""
    now = timezone.now()
    return _move(
        run,
        State.PAUSED,
        (State.QUEUED, State.RUNNING),
        reason,
        paused_at=now,
        paused_by_owner=by_owner,
        next_probe_at=None if by_owner else now + PROBE_EVERY,
    )


def resume(run: Run, reason: str = "") -> bool:
    """Put a paused run back into the queue."""
    return _move(run, State.QUEUED, (State.PAUSED,), reason, **_fresh_start())


def go_on(run: Run) -> bool:
    """A probe was answered: the worker that holds the slice carries on at once."""
    reason = "The endpoint answers again."
    return _move(run, State.RUNNING, (State.PAUSED,), reason, **_fresh_start())


def reopen(run: Run, reason: str) -> bool:
    """Queue an incomplete run again, to ask what was left unscored."""
    fields = _fresh_start() | {"finished_at": None}
    return _move(run, State.QUEUED, (State.INCOMPLETE,), reason, **fields)


def cancel(run: Run, reason: str = "Cancelled by its owner.") -> bool:
    """End a run early. One that was incomplete before is so again: its figures stand."""
    if RunEvent.objects.filter(run=run, from_state=State.INCOMPLETE).exists():
        kept = f"{reason} What it had before its missing cases were asked again is kept."
        return _move(run, State.INCOMPLETE, Run.ACTIVE, kept, finished_at=Now())
    return _move(run, State.CANCELLED, Run.ACTIVE, reason, finished_at=Now())


def fail(run: Run, reason: str, *, is_our_fault: bool = False) -> bool:
    """End a run that cannot go on; for a mistake of ours nobody is charged."""
    return _move(
        run, State.FAILED, Run.ACTIVE, reason, is_our_fault=is_our_fault, finished_at=Now()
    )


def finish(run: Run, shortfall: str = "") -> bool:
    """End a run whose cases are settled; `shortfall` says what is missing, if anything is."""
    to = State.INCOMPLETE if shortfall else State.FINISHED
    return _move(run, to, (State.RUNNING, State.PAUSED), shortfall, finished_at=Now())


def give_up(run: Run, shortfall: str) -> bool:
    """End a run that has been paused for too long, unless it has just gone on after all."""
    return _move(run, State.INCOMPLETE, (State.PAUSED,), shortfall, finished_at=Now())


def _fresh_start() -> dict[str, Any]:
    """Attempts before now no longer count against a question's five, nor failures in a row."""
    return {
        "next_probe_at": None,
        "paused_by_owner": False,
        "failures_in_row": 0,
        "asking_since": Now(),
    }


def _move(
    run: Run,
    to: State,
    allowed: Collection[str],
    reason: str = "",
    *,
    is_our_fault: bool = False,
    **fields: Any,
) -> bool:
    with transaction.atomic():
        now = Run.objects.select_for_update(no_key=True).only("state").get(pk=run.pk)
        if now.state not in allowed:
            run.refresh_from_db(fields=["state", "reason"])
            return False
        Run.objects.filter(pk=run.pk).update(state=to, reason=reason, **fields)
        RunEvent.objects.create(
            run_id=run.pk,
            from_state=now.state,
            to_state=to,
            reason=reason,
            is_our_fault=is_our_fault,
        )
    run.refresh_from_db(fields=["state", "reason", *fields])
    return True
