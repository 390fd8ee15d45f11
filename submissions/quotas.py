"""Limits per account, organisation and host: runs a week, and cases in flight.

Every submission is charged when it is made. Whoever caused its failure pays: what ended by our own
fault, or was cancelled before anything was asked, is given back when its event is followed up.
A limit of 0 is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from evaluation.client.guard import Guard
from evaluation.models import Evidence, Run, RunEvent
from submissions.models import Charge, Organisation, Submission
from submissions.refusals import Refused

WEEK = timedelta(days=7)
OUR_FAULT = "It ended by our own fault."
LOST_WORKER = "It was cancelled while a worker of ours had been lost on it."
NOTHING_ASKED = "It was cancelled before anything was asked."


class UsedUp(Refused):
    """A limit is reached; the message says when there is room again.

    `frees` is that time; None where it depends on runs that are under way.
    """

    def __init__(self, message: str, frees: datetime | None = None) -> None:
        super().__init__(message)
        self.frees = frees


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody or something whose runs are counted, and how much it has used."""

    kind: str  # account, organisation or host: the keys of the settings
    title: str  # as a sentence begins
    charges: Q
    runs: Q

    @property
    def most_runs(self) -> int:
        return int(settings.CALLBOARD_RUNS_A_WEEK[self.kind])

    @property
    def most_cases(self) -> int:
        return int(settings.CALLBOARD_CASES_IN_FLIGHT[self.kind])

    @property
    def counted(self) -> QuerySet[Charge]:
        """The charges of the last seven days that count, oldest first."""
        since = timezone.now() - WEEK
        return Charge.objects.filter(self.charges, free_because="", at__gt=since).order_by("at")

    @property
    def runs_used(self) -> int:
        return self.counted.count()

    @property
    def cases_in_flight(self) -> int:
        """Cases of its runs that are not over."""
        active = Run.objects.active().filter(self.runs, submission__charge__isnull=False)
        return active.aggregate(sum=Sum("n"))["sum"] or 0


def of_user(user: User) -> Account:
    return Account("account", "You have", Q(user=user), Q(submission__charge__user=user))


def of_organisation(organisation: Organisation) -> Account:
    return Account(
        "organisation",
        f"{organisation.name} has",
        Q(organisation=organisation),
        Q(submission__charge__organisation=organisation),
    )


def of_host(host: str) -> Account:
    name = host.removesuffix(":443")
    title = f"All submitters together have, at {name},"
    return Account("host", title, Q(host=host), Q(submission__charge__host=host))


def standing(user: User, organisations: Iterable[Organisation] = ()) -> list[Account]:
    """Whose limits concern a person; those without any limit are left out."""
    found = [of_user(user), *map(of_organisation, organisations)]
    return [one for one in found if one.most_runs or one.most_cases]


def charge(submission: Submission) -> Charge:
    """Count a submission, in the transaction that makes it and its run.

    Raises:
        UsedUp: A limit is reached. The transaction must be rolled back.
    """
    run, by, organisation = submission.run, submission.submitted_by, submission.organisation
    host = _limited_host(run)
    accounts = [of_user(by)] if by else []
    accounts += [of_organisation(organisation)] if organisation else []
    accounts += [of_host(host)] if host else []
    keys = [("user", by), ("organisation", organisation), ("host", host)]
    _take_turns([f"{kind} {getattr(one, 'pk', one)}" for kind, one in keys if one])
    for account in accounts:
        _check(account, run.n)
    return Charge.objects.create(
        submission=submission, user=by, organisation=organisation, host=host
    )


def _limited_host(run: Run) -> str:
    """The host that is asked, unless it is one of the operator's own."""
    if run.endpoint is None:
        return ""
    is_own = Guard.listing(settings.CALLBOARD_ALLOW).lists(run.endpoint.base_url)
    return "" if is_own else run.endpoint.host


def _take_turns(names: Sequence[str]) -> None:
    """Of two submissions at once the second counts the first."""
    with connection.cursor() as cursor:
        for name in sorted(names):
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [name])


def _check(account: Account, cases: int) -> None:
    """Raises UsedUp."""
    used, most = account.runs_used, account.most_runs
    if most and used >= most:
        # As many of the oldest must leave the week as are too many.
        frees = account.counted[used - most].at + WEEK
        raise UsedUp(
            f"{account.title} used {used} of {most} runs this week: the next is free on "
            f"{frees:%-d %B at %H:%M} UTC.",
            frees,
        )
    in_flight, most = account.cases_in_flight, account.most_cases
    if most and in_flight and in_flight + cases > most:
        raise UsedUp(
            f"{account.title} {in_flight} cases in flight, and with these {cases} there would be "
            f"more than {most}: there is room when one of the runs under way ends."
        )


def settle(events: Sequence[RunEvent]) -> None:
    """Give back what must not count, in the transaction that marks these events as handled."""
    ours = [event.run_id for event in events if event.is_our_fault]
    _give_back(Q(pk__in=ours), OUR_FAULT)
    cancelled = [event.run_id for event in events if event.to_state == Run.State.CANCELLED]
    _give_back(Q(pk__in=cancelled, slices__expiries__gt=0), LOST_WORKER)
    unasked = Q(pk__in=cancelled, requests_sent=0) & ~Q(entry__evidence=Evidence.UPLOADED)
    _give_back(unasked, NOTHING_ASKED)


def _give_back(runs: Q, why: str) -> None:
    chosen = Run.objects.filter(runs).values("pk")
    Charge.objects.filter(submission__run__in=chosen, free_because="").update(free_because=why)
