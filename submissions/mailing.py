"""Sends mail that is due, each at most once.

A notice is marked as taken, and that is committed, before the mail server hears of it: a worker
that dies in between leaves a mail unsent, never one sent twice. While the server cannot be reached
nothing is taken, so everything waits for it; what it refuses is logged and not tried again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import urljoin

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Run
from submissions.models import Notice, Publication
from submissions.notices import CHOICES, chosen_by

log = logging.getLogger(__name__)

Kind = Notice.Kind
AT_A_TIME = 200
STALE = timedelta(days=3)  # what could not be sent for so long is news to nobody
KEPT = timedelta(days=30)
QUEUE_EVERY = timedelta(hours=1)  # a moderator is told that something waits no more often
SUBJECTS = {
    Kind.WAITING: "Something waits for a moderator",
    Kind.ASKED: "Run {run}: a moderator asks",
    Kind.APPROVED: "Run {run} is published",
    Kind.HIDDEN: "Run {run}: not public, and why",
    Kind.BANNED: "Your account may not submit any more",
    Kind.FINISHED: "Run {run} has finished",
    Kind.INCOMPLETE: "Run {run} has ended incomplete",
    Kind.FAILED: "Run {run} has failed",
    Kind.PAUSED: "Run {run} stands still",
}
# Of these many may come at once.
HEAPED = {
    Kind.WAITING: "Something waits for a moderator",
    Kind.FINISHED: "{n} runs have finished",
}
# What must be so for a decision still to be news.
STANDING = {
    Kind.WAITING: Publication.State.WAITING,
    Kind.ASKED: Publication.State.ASKED,
    Kind.APPROVED: Publication.State.PUBLISHED,
    Kind.HIDDEN: Publication.State.HIDDEN,
}


def send_due() -> int:
    """Send what is due; how many mails were handed over."""
    Notice.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    if not _due().exists():
        return 0
    connection = get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as trouble:
        log.warning("Mail waits: the mail server cannot be reached (%s).", type(trouble).__name__)
        return 0
    try:
        return sum(_sent(connection, message) for message in _messages(_take()))
    finally:
        connection.close()


def _sent(connection: BaseEmailBackend, message: EmailMessage) -> bool:
    try:
        return bool(connection.send_messages([message]))
    except (OSError, SMTPException) as trouble:
        log.warning("A mail was refused and is not sent again (%s).", type(trouble).__name__)
        return False


def _due() -> QuerySet[Notice]:
    now = timezone.now()
    told_lately = Notice.objects.filter(kind=Kind.WAITING, taken_at__gt=now - QUEUE_EVERY)
    too_soon = Q(kind=Kind.WAITING, user__in=told_lately.values("user"))
    return Notice.objects.filter(taken_at=None, due_at__lte=now).exclude(too_soon)


@transaction.atomic
def _take() -> list[Notice]:
    """Mark notices as sent, and only then send them; what is no longer so is forgotten."""
    rows = _due().select_for_update(skip_locked=True, of=("self",)).order_by("pk")
    related = ("user", "run__entry__card", "run__entry__benchmark", "run__publication")
    found = list(rows.select_related(*related)[:AT_A_TIME])
    still = [one for one in found if _still_holds(one)]
    Notice.objects.filter(pk__in=[one.pk for one in found if one not in still]).delete()
    Notice.objects.filter(pk__in=[one.pk for one in still]).update(taken_at=timezone.now())
    return still


def _messages(notices: Sequence[Notice]) -> Iterator[EmailMessage]:
    """One mail for each notice, in their order; of some kinds one for all that somebody has."""
    heaps: dict[Any, list[Notice]] = {}
    for one in notices:
        heap = (one.user_id, one.kind) if one.kind in HEAPED else one.pk
        heaps.setdefault(heap, []).append(one)
    for rows in heaps.values():
        address = _address(rows[0].user)
        if address and _wants(rows[0].user, rows[0].kind):
            yield _message(rows, address)


def _still_holds(notice: Notice) -> bool:
    """Whether it is still so by the time at which it would be sent."""
    run = notice.run
    if notice.due_at < timezone.now() - STALE:
        return False
    if notice.kind == Kind.PAUSED:
        return run is not None and run.state == Run.State.PAUSED and not run.paused_by_owner
    if notice.kind in STANDING:
        wish = getattr(run, "publication", None)
        return wish is not None and wish.state == STANDING[Kind(notice.kind)]
    return True


def _address(user: User) -> str:
    """Where somebody reads mail: an address that they have verified, or nowhere."""
    verified = EmailAddress.objects.filter(user=user, verified=True, user__is_active=True)
    found = verified.order_by("-primary", "pk").first()
    return str(found.email) if found else ""


def _wants(user: User, kind: str) -> bool:
    choice = chosen_by(user)
    return any(getattr(choice, name) for name, kinds in CHOICES.items() if kind in kinds)


def _message(notices: Sequence[Notice], address: str) -> EmailMessage:
    """Plain text. Nothing that a person or a model wrote stands in a header."""
    first = notices[0]
    kind = Kind(first.kind)
    context = {
        "notice": first,
        "runs": [one.run for one in notices],
        "link": _link(kind, first.run if len(notices) == 1 else None),
        "choice": _absolute(reverse("account-mail")),
    }
    body = render_to_string(f"submissions/mail/{kind.value}.txt", context)
    subject = (SUBJECTS if len(notices) == 1 else HEAPED)[kind]
    subject = subject.format(run=first.run_id, n=len(notices))
    prefix = settings.ACCOUNT_EMAIL_SUBJECT_PREFIX
    headers = {"Auto-Submitted": "auto-generated"}
    return EmailMessage(f"{prefix}{subject}", body, to=[address], headers=headers)


def _link(kind: Kind, run: Run | None) -> str:
    if kind == Kind.WAITING:
        return _absolute(reverse("moderation"))
    return _absolute(reverse("run", args=[run.pk]) if run else reverse("my-submissions"))


def _absolute(path: str) -> str:
    return urljoin(settings.CALLBOARD_URL, path)
