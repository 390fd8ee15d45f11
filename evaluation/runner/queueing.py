"""Which slices get a hint in the broker, and what is swept up when hints are lost.

A hint says "this slice may have work". Hints may be lost, doubled or late; nothing rests on them.
Few are out at a time, so that the broker's line is shared fairly: one per run and endpoint, and
only so many for all runs that share a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.models import Evidence, Reply, Run, Slice
from evaluation.runner import leases, storing, transitions
from evaluation.runner.leases import Lease

SHARE_WINDOW = 4  # hints out, or slices being worked on, of all runs with one share key
LOST_AFTER = timedelta(seconds=30)  # a hint not followed by a lease is given again
# A command may wait this long for its endpoint between two requests, and then some.
ABANDONED_AFTER = timedelta(hours=1)
READY = (Run.State.QUEUED, Run.State.RUNNING)
# Uploads ask nobody: they end when their replies are judged (see rejudging).
_IS_ASKED = ~Q(entry__evidence=Evidence.UPLOADED)


@dataclass(frozen=True, slots=True)
class _Waiting:
    run_id: int
    share: str
    endpoint_id: int | None
    slice_number: int


def claim_hints(scope: Q | None = None) -> list[int]:
    """Slices to send a hint for now, marked as sent; those least recently served come first."""
    runs = Run.objects.filter(scope or Q(), state__in=READY, is_local=False)
    with transaction.atomic():
        out = _out()
        return [
            pk
            for waiting in _waiting(runs)
            if _has_room(waiting, out) and (pk := _claim(waiting, out)) is not None
        ]


def around(run_id: int) -> Q:
    """The runs that may move on when this one has taken a step."""
    run = Run.objects.select_related("endpoint").get(pk=run_id)
    same = Q(pk=run_id) | Q(endpoint=run.endpoint_id)
    if run.endpoint:
        same |= Q(endpoint__host=run.endpoint.host)
    return same | Q(share_key=run.share_key) if run.share_key else same


def _out() -> Counter[tuple[str, object]]:
    """What is being worked on or waits in the broker, per share and per endpoint."""
    fresh = Q(state=Slice.State.WAITING, enqueued_at__gt=Now() - LOST_AFTER)
    leased = Q(state=Slice.State.LEASED, lease_until__gt=Now())
    rows = Slice.objects.filter(fresh | leased, run__is_local=False).values_list(
        "run_id", "run__share_key", "run__endpoint_id"
    )
    # A worker that holds several slices of a run holds one place.
    rows = rows.distinct()
    out: Counter[tuple[str, object]] = Counter()
    for run_id, share_key, endpoint_id in rows:
        out["share", share_key or f"run {run_id}"] += 1
        out["endpoint", endpoint_id] += 1
    return out


def somebody_waits(lease: Lease) -> bool:
    """Whether another run could be worked on in place of this lease's."""
    run = Run.objects.only("endpoint_id", "is_local").get(pk=lease.run_id)
    due = Q(not_before=None) | Q(not_before__lte=Now())
    has_hint = Q(enqueued_at__gt=Now() - LOST_AFTER)
    ready = Q(run__state__in=READY) | (Q(run__state=Run.State.PAUSED) & has_hint)
    held = Slice.objects.filter(state=Slice.State.LEASED, lease_until__gt=Now())
    busy = held.exclude(run=run).exclude(run__endpoint=None).values("run__endpoint")
    waiting = Slice.objects.filter(due, ready, state=Slice.State.WAITING, run__is_local=False)
    waiting = waiting.exclude(run=run).exclude(run__endpoint__in=busy)
    if run.is_local:  # it keeps nobody from a worker, only from its endpoint
        waiting = waiting.filter(run__endpoint=run.endpoint_id)
    return waiting.exists()


def _waiting(runs: Iterable[Run]) -> list[_Waiting]:
    """The next slice of each run that has one to give, fair order."""
    due = Q(not_before=None) | Q(not_before__lte=Now())
    unsent = Q(enqueued_at=None) | Q(enqueued_at__lte=Now() - LOST_AFTER)
    found = (
        Slice.objects.filter(due, unsent, run__in=runs, state=Slice.State.WAITING)
        .values("run_id", "run__share_key", "run__endpoint_id", "run__created_at")
        .annotate(number=Min("number"))
        .order_by()
    )
    served = dict(
        Slice.objects.filter(run__in=[row["run_id"] for row in found])
        .values_list("run_id")
        .annotate(last=Max("enqueued_at"))
        .order_by()
    )
    rows = sorted(
        found,
        key=lambda row: (served[row["run_id"]] or row["run__created_at"], row["run_id"]),
    )
    return [
        _Waiting(
            row["run_id"],
            row["run__share_key"] or f"run {row['run_id']}",
            row["run__endpoint_id"],
            row["number"],
        )
        for row in rows
    ]


def _has_room(waiting: _Waiting, out: Counter[tuple[str, object]]) -> bool:
    return out["share", waiting.share] < SHARE_WINDOW and not out["endpoint", waiting.endpoint_id]


def _claim(waiting: _Waiting, out: Counter[tuple[str, object]]) -> int | None:
    row = (
        Slice.objects.select_for_update(skip_locked=True)
        .filter(run=waiting.run_id, number=waiting.slice_number, state=Slice.State.WAITING)
        .first()
    )
    if row is None:
        return None
    Slice.objects.filter(pk=row.pk).update(enqueued_at=Now())
    out["share", waiting.share] += 1
    out["endpoint", waiting.endpoint_id] += 1
    return row.pk


def claim_probes() -> list[int]:
    """A slice of each paused run whose minute is over; the next probe is set."""
    due = Run.objects.filter(
        state=Run.State.PAUSED, paused_by_owner=False, next_probe_at__lte=Now(), is_local=False
    )
    probes: list[int] = []
    for run_id in due.values_list("pk", flat=True):
        following = Now() + transitions.PROBE_EVERY
        if due.filter(pk=run_id).update(next_probe_at=following):
            slices = Slice.objects.filter(run=run_id, state=Slice.State.WAITING)
            first = slices.order_by("number").first()
            if first is not None:
                Slice.objects.filter(pk=first.pk).update(enqueued_at=Now())
                probes.append(first.pk)
    return probes


def sweep() -> list[int]:
    """Repair what killed workers and lost messages left behind; slices to send hints for.

    Leases that ran out are freed, runs paused for too long end, paused ones are probed, and
    whatever waits without a hint gets one.
    """
    leases.reap()
    _end_long_pauses()
    _end_without_endpoint()
    _end_abandoned()
    _end_settled()
    return claim_probes() + claim_hints()


def _end_long_pauses() -> None:
    too_long = timezone.now() - transitions.PAUSED_AT_MOST
    for run in Run.objects.filter(
        state=Run.State.PAUSED, paused_by_owner=False, paused_at__lt=too_long
    ):
        storing.give_up_waiting(run)


def _end_without_endpoint() -> None:
    """Nobody can be asked any more where the endpoint has been deleted."""
    for run in Run.objects.active().filter(_IS_ASKED, endpoint=None, is_local=False):
        transitions.fail(run, "Its endpoint has been deleted: submit it again to evaluate it.")


def _end_abandoned() -> None:
    """Nobody comes back to a run whose command was killed: another command makes another run."""
    of_run = {"run": OuterRef("pk")}
    held = Slice.objects.filter(state=Slice.State.LEASED, lease_until__gt=Now(), **of_run)
    asked = Reply.objects.filter(sent_at__gt=Now() - ABANDONED_AFTER, **of_run)
    local = Run.objects.filter(_IS_ASKED, state__in=READY, is_local=True)
    for run in local.filter(~Exists(held), ~Exists(asked), created_at__lt=Now() - ABANDONED_AFTER):
        transitions.cancel(
            run, "The command that drove this run was killed; what it had asked is kept."
        )


def _end_settled() -> None:
    """Runs that were paused between their last case and their end."""
    ready = Run.objects.filter(_IS_ASKED, state__in=READY, is_local=False)
    for run in ready.exclude(slices__state__in=(Slice.State.WAITING, Slice.State.LEASED)):
        transitions.start(run)
        storing.end_run(run)
