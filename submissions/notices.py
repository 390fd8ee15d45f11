"""Mail that becomes due: a row is written in the transaction of what it tells, or not at all.

Nothing is sent here; submissions.mailing does that from a periodic task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from evaluation.models import Run, RunEvent
from submissions.models import MailChoice, Notice

Kind = Notice.Kind
State = Run.State
ENDS = {
    State.FINISHED: Kind.FINISHED,
    State.INCOMPLETE: Kind.INCOMPLETE,
    State.FAILED: Kind.FAILED,
    State.PAUSED: Kind.PAUSED,
}
# A pause that ends by itself within this time is not worth a mail; nor is each of many.
PATIENCE = timedelta(minutes=10)
ONCE_IN = timedelta(hours=24)
# Which choice of an account decides over which kinds.
CHOICES = {
    "runs": (Kind.FINISHED, Kind.INCOMPLETE, Kind.FAILED, Kind.PAUSED),
    "decisions": (Kind.ASKED, Kind.APPROVED, Kind.HIDDEN, Kind.BANNED),
    "queue": (Kind.WAITING,),
}


def of_events(events: Sequence[RunEvent]) -> None:
    """What runs' events tell their submitters; in the transaction that marks them as handled."""
    moved = {
        event.run_id: event
        for event in events
        if event.from_state != event.to_state and event.to_state in ENDS
    }
    runs = Run.objects.filter(pk__in=moved, submission__submitted_by__isnull=False)
    for run in runs.select_related("submission__submitted_by").order_by("pk"):
        by, event = run.submission.submitted_by, moved[run.pk]
        assert by is not None
        if event.to_state == State.PAUSED:
            _of_pause(run, by, event.reason)
        else:
            write([by], ENDS[State(event.to_state)], run, event.reason)


def _of_pause(run: Run, by: User, reason: str) -> None:
    told = Notice.objects.filter(user=by, run=run, kind=Kind.PAUSED)
    if run.paused_by_owner or told.filter(created_at__gt=timezone.now() - ONCE_IN).exists():
        return
    Notice.objects.create(
        user=by, run=run, kind=Kind.PAUSED, text=reason, due_at=timezone.now() + PATIENCE
    )


def for_moderators(run: Run) -> None:
    """An entry waits: every moderator is told, unless they are about to be."""
    staff = User.objects.with_perm("evaluation.moderate_runs").filter(is_staff=True)
    told = Notice.objects.filter(run=run, kind=Kind.WAITING, taken_at=None).values("user")
    write(staff.exclude(pk__in=told), Kind.WAITING, run)


def for_submitter(run: Run, kind: Kind, text: str = "", *, but: User | None = None) -> None:
    """A moderator has asked or decided. `but` is who did it: they know."""
    submission = getattr(run, "submission", None)
    by = submission.submitted_by if submission else run.owner
    if by and by != but:
        write([by], kind, run, text)


def chosen_by(user: User) -> MailChoice:
    """Which mail somebody wants; who has not chosen wants all of it."""
    return MailChoice.objects.filter(user=user).first() or MailChoice()


def choose(user: User, wanted: Mapping[str, bool]) -> None:
    """Keep which mail somebody wants, by the names of CHOICES."""
    MailChoice.objects.update_or_create(user=user, defaults=dict(wanted))


def write(to: Iterable[User], kind: Kind, run: Run | None, text: str = "") -> None:
    Notice.objects.bulk_create(Notice(user=one, kind=kind, run=run, text=text) for one in to)
