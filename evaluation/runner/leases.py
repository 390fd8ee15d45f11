"""Who works on a slice: leases in SQL, fenced by a token.

A broker message only hints that a slice may have work. Whoever wants to do it takes the lease
here; whoever writes proves in the same transaction that it still holds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Max, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from evaluation.client.guard import Guard
from evaluation.models import Endpoint, Run, Slice
from evaluation.runner import configuration, transitions

LEASE = timedelta(seconds=settings.CALLBOARD_LEASE)
RENEW_EVERY = settings.CALLBOARD_LEASE / 4  # seconds
# Seconds without a confirmed renewal: stop asking, another worker may soon start.
STALE_AFTER = settings.CALLBOARD_LEASE * 3 / 4
MAX_EXPIRIES = 5


class LeaseLost(Exception):
    """Another worker may hold this slice now; nothing more may be written."""


@dataclass(slots=True)
class Lease:
    """One worker's hold on slices of one run: taken with one, kept and lost as a whole."""

    slice_id: int  # the first
    run_id: int
    token: UUID
    is_probe: bool  # the run is paused: ask one question, go on only if it is answered
    had_expired: bool  # a progress mark is due with the first write
    slots: int = 1  # requests it may have in flight
    failures_in_row: int = 0  # of the run, as its asking goes on; stored with every write
    confirmed_at: float = field(default_factory=monotonic)  # taken before the query was sent
    held: set[int] = field(init=False)  # slices; only the database thread changes it

    def __post_init__(self) -> None:
        self.held = {self.slice_id}

    @property
    def is_stale(self) -> bool:
        return monotonic() - self.confirmed_at > STALE_AFTER


def take(slice_id: int, token: UUID, *, local: bool = False) -> Lease | None:
    """Lease a slice, or None when it has no work or its endpoint is being asked already.

    Calling again with the same token gives the same lease, so a lost connection is no harm.
    """
    asked_at = monotonic()
    with transaction.atomic():
        row = _leasable(slice_id, token, local=local)
        if row is None:
            return None
        slots = _slots(row, local=local)
        if not slots:
            Slice.objects.filter(pk=row.pk).update(enqueued_at=None)
            return None
        is_taken_over = row.state == Slice.State.LEASED and row.lease_token != token
        if is_taken_over and _expire(row):
            return None
        Slice.objects.filter(pk=row.pk).update(
            state=Slice.State.LEASED,
            lease_token=token,
            lease_until=Now() + LEASE,
            slots=slots,
            enqueued_at=None if row.run.state == Run.State.PAUSED else F("enqueued_at"),
        )
        transitions.start(row.run)
    is_probe = row.run.state == Run.State.PAUSED
    failures = row.run.failures_in_row
    return Lease(row.pk, row.run_id, token, is_probe, row.expiries > 0, slots, failures, asked_at)


def _leasable(slice_id: int, token: UUID, *, local: bool) -> Slice | None:
    free = (
        Q(state=Slice.State.WAITING)
        | Q(state=Slice.State.LEASED, lease_until__lt=Now())
        | Q(lease_token=token)
    )
    due = Q(not_before=None) | Q(not_before__lte=Now())
    # A paused run is probed by the one hint that the sweep gives each minute, not by others.
    is_probe = Q(run__state=Run.State.PAUSED, run__paused_by_owner=False) & (
        Q(enqueued_at__isnull=False) | Q(lease_token=token)
    )
    return (
        Slice.objects.select_related("run__endpoint")
        .select_for_update(skip_locked=True, of=("self",))
        .filter(free, due, Q(run__state__in=(Run.State.QUEUED, Run.State.RUNNING)) | is_probe)
        .filter(pk=slice_id, run__is_local=local)
        .first()
    )


def _slots(row: Slice, *, local: bool) -> int:
    """How many requests the lease allows in flight; 0: the endpoint or its host has no room.

    One lease per endpoint, so that its requests in flight mean what they say; and over all
    workers and endpoints no more at one host than the operator allows.
    """
    endpoint = row.run.endpoint
    if endpoint is None:
        return 0
    _take_turns_at(endpoint.host)
    others = Slice.objects.filter(state=Slice.State.LEASED, lease_until__gte=Now())
    others = others.filter(run__endpoint__host=endpoint.host).exclude(pk=row.pk)
    if others.filter(run__endpoint=endpoint).exists():
        return 0
    wanted = configuration.in_flight_of(row.run.configuration)
    most = settings.CALLBOARD_HOST_IN_FLIGHT
    if local or not most or _is_listed(endpoint):
        return wanted
    # The slices of one lease share its slots.
    taken = others.filter(run__is_local=False).values("lease_token").annotate(slots=Max("slots"))
    return max(0, min(wanted, most - sum(int(row["slots"]) for row in taken.order_by())))


def extend(lease: Lease) -> int | None:
    """Take the run's next slice to those held already; None when there is none to take.

    What may be in flight stays the same: it is the lease that has slots, not the slice. Calling
    again after a doubtful commit gives what the first call took. Raises LeaseLost.
    """
    asked_at = monotonic()
    with transaction.atomic():
        if hold(lease) != Run.State.RUNNING:
            return None
        of_run = Slice.objects.filter(run=lease.run_id)
        row = of_run.filter(lease_token=lease.token).exclude(pk__in=lease.held).first()
        row = row or _next_waiting(of_run)
        if row is None:
            return None
        of_run.filter(Q(pk=row.pk) | Q(lease_token=lease.token)).update(
            state=Slice.State.LEASED,
            lease_token=lease.token,
            lease_until=Now() + LEASE,
            slots=lease.slots,
            enqueued_at=Now(),
        )
    lease.held.add(row.pk)
    lease.confirmed_at = asked_at
    return row.pk


def _next_waiting(of_run: QuerySet[Slice]) -> Slice | None:
    """Slices that a worker was lost over are left to leases of their own."""
    due = Q(not_before=None) | Q(not_before__lte=Now())
    waiting = of_run.filter(due, state=Slice.State.WAITING, expiries=0)
    return waiting.select_for_update(skip_locked=True).order_by("number").first()


def _is_listed(endpoint: Endpoint) -> bool:
    """The operator's own hosts bear what the operator lets them bear."""
    return Guard.listing(settings.CALLBOARD_ALLOW).lists(endpoint.base_url)


def _take_turns_at(host: str) -> None:
    """Till this transaction ends nobody else looks at how much room the host has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [host])


def _expire(row: Slice) -> bool:
    """Count a lease that ran out; True when it was one too many and the run has failed."""
    row.expiries += 1
    Slice.objects.filter(pk=row.pk).update(expiries=row.expiries)
    if row.expiries < MAX_EXPIRIES:
        return False
    _free(row)
    transitions.fail(
        row.run,
        f"Our worker was lost {row.expiries} times in a row on the same cases without getting "
        "any further. This is our fault; nothing is charged. Please tell the operators.",
        is_our_fault=True,
    )
    return True


def reap() -> int:
    """Free every slice whose lease has run out; the number of them."""
    expired = Slice.objects.filter(state=Slice.State.LEASED, lease_until__lt=Now())
    freed = 0
    for pk in expired.values_list("pk", flat=True):
        with transaction.atomic():
            row = (
                expired.select_related("run")
                .select_for_update(skip_locked=True, of=("self",))
                .filter(pk=pk)
                .first()
            )
            if row is not None and not _expire(row):
                _free(row)
                freed += 1
    return freed


def renew(lease: Lease) -> str:
    """Prolong a lease and return the run's state. Raises LeaseLost."""
    asked_at = monotonic()
    prolonged = _still(lease).update(lease_until=Now() + LEASE)
    if prolonged < len(lease.held):
        raise LeaseLost
    lease.confirmed_at = asked_at
    return str(Run.objects.values_list("state", flat=True).get(pk=lease.run_id))


def look_after(lease: Lease) -> str:
    """Renew a lease that is due, and return the run's state. Raises LeaseLost."""
    if monotonic() - lease.confirmed_at >= RENEW_EVERY:
        return renew(lease)
    return str(Run.objects.values_list("state", flat=True).get(pk=lease.run_id))


def hold(lease: Lease) -> str:
    """Inside a transaction: lock what is held as still ours and return the run's state.

    Raises LeaseLost.
    """
    rows = _still(lease).select_for_update(of=("self",)).order_by("pk")
    states = dict(rows.values_list("pk", "run__state"))
    if not states or not lease.held <= states.keys():
        raise LeaseLost
    return str(next(iter(states.values())))


def _still(lease: Lease) -> QuerySet[Slice]:
    return Slice.objects.filter(run=lease.run_id, lease_token=lease.token, lease_until__gt=Now())


def mark_progress(lease: Lease) -> None:
    """Something was stored: lost leases before it no longer count."""
    Slice.objects.filter(pk__in=lease.held).update(expiries=0)
    lease.had_expired = False


def release(lease: Lease, wait: float = 0.0) -> bool:
    """Give back what is held, not to be taken before `wait` seconds have passed."""
    not_before = Now() + timedelta(seconds=wait) if wait else None
    held = Slice.objects.filter(run=lease.run_id, lease_token=lease.token)
    return bool(_give_back(held, not_before))


def _free(row: Slice) -> None:
    """Give back a slice whose lease has run out."""
    _give_back(Slice.objects.filter(pk=row.pk), None)


def _give_back(slices: QuerySet[Slice], not_before: Combinable | None) -> int:
    return slices.update(
        state=Slice.State.WAITING,
        lease_token=None,
        lease_until=None,
        enqueued_at=None,
        not_before=not_before,
    )


def hold_back(run_id: int, wait: float) -> None:
    """An endpoint that wants to be left alone means every slice, not the one that heard it."""
    Slice.objects.filter(run=run_id, state=Slice.State.WAITING).update(
        not_before=Now() + timedelta(seconds=wait)
    )


def close(slice_id: int) -> None:
    """Inside a transaction that holds the lease: the slice has no case left to settle."""
    Slice.objects.filter(pk=slice_id).update(
        state=Slice.State.DONE, lease_token=None, lease_until=None, expiries=0
    )
