"""Publications: what goes onto the board by itself, what waits, and what moderators decide.

A new submitter's first entry waits for a moderator; later ones publish themselves unless
something about them is doubtful. What has been public once and is no more stays as a tombstone,
with its reason.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluation import policy
from evaluation.models import Run
from evaluation.services import publishing, transitions
from evaluation.services.publishing import CannotPublish
from submissions import bans, notices
from submissions.doubts import doubts_about
from submissions.models import ApiToken, Ban, Notice, Publication
from submissions.refusals import Refused

State, Kind = Publication.State, Notice.Kind
WITHDRAWN = policy.WITHDRAWN
OPEN = (State.WAITING, State.ASKED)


class Banned(Refused):
    """The account may not submit or publish any more; the message says why."""


class NotPossible(Exception):
    """It cannot be done in the state that the publication is in; the message says why."""


def of(run: Run) -> Publication | None:
    """None: nobody has asked to publish the run through this site."""
    found: Publication | None = getattr(run, "publication", None)
    return found


def refuse_banned(user: User | None) -> None:
    """Raises Banned."""
    reason = bans.reason_against(user) if user else ""
    if reason:
        raise Banned(
            f"This account may not submit or publish any more: {reason} "
            "You can appeal to the operators of this site."
        )


@transaction.atomic
def request(run: Run) -> Publication:
    """Publish a run for its submitter, or have it wait for a moderator. Twice is once.

    Raises:
        Banned: The account is banned.
        NotPossible: A moderator has hidden it, or it has no results to publish.
    """
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    refuse_banned(run.owner)
    before = Publication.objects.filter(run=run).first()
    if before and before.state in (State.WAITING, State.PUBLISHED):
        return before
    if before and before.state == State.HIDDEN:
        raise NotPossible(f"A moderator has hidden this run: {before.reason}")
    _refuse_without_results(run)
    doubts = doubts_about(run)
    made, _ = Publication.objects.update_or_create(
        run=run,
        defaults={
            "state": State.WAITING if doubts else State.PUBLISHED,
            "doubts": "\n".join(doubts),
            "reason": "",
            "requested_at": timezone.now(),
            "decided_at": None if doubts else timezone.now(),
            "decided_by": None,
        },
    )
    if doubts:
        notices.for_moderators(run)
    else:
        publishing.publish(run)
    return made


def _refuse_without_results(run: Run) -> None:
    if run.state not in (Run.State.FINISHED, Run.State.INCOMPLETE) or not run.counts:
        raise NotPossible("Only a run with results over whole categories can be published.")


@transaction.atomic
def answer(run: Run, text: str) -> Publication:
    """The submitter's answer to a moderator's question: it waits again. Raises NotPossible."""
    publication = _locked(run)
    if publication.state != State.ASKED:
        raise NotPossible("No moderator waits for an answer about this run.")
    publication.state, publication.answer = State.WAITING, text
    publication.save(update_fields=["state", "answer"])
    notices.for_moderators(run)
    return publication


@transaction.atomic
def withdraw(run: Run) -> Publication:
    """Take a run off the board, or take back the wish; what was public leaves a tombstone.

    Raises:
        NotPossible: It is not public, and nobody is asked to publish it.
    """
    publication = _locked(run)
    if publication.state in (State.HIDDEN, State.WITHDRAWN):
        raise NotPossible("It is not on the board any more.")
    _decide(publication, State.WITHDRAWN, WITHDRAWN, by=None)
    if publication.run.published_at is not None:
        publishing.hide(publication.run, WITHDRAWN)
    return publication


@transaction.atomic
def publish(run: Run, *, by: User) -> Publication:
    """A moderator vouches for it, if its submitter still wants it. Raises NotPossible."""
    publication = _locked(run)
    was_public = publication.state == State.PUBLISHED
    if publication.state == State.WITHDRAWN:
        raise NotPossible("Its submitter has withdrawn it.")
    try:
        publishing.publish(publication.run)
    except CannotPublish as reason:
        raise NotPossible(str(reason)) from reason
    if not was_public:
        notices.for_submitter(run, Kind.APPROVED, but=by)
    return _decide(publication, State.PUBLISHED, "", by=by)


@transaction.atomic
def publish_as_staff(run: Run, *, by: User) -> None:
    """Publish as a moderator what somebody wished to, and anything else unasked.

    Raises:
        NotPossible: It is published, or its submitter has withdrawn it.
        CannotPublish: It has no results, or covers only chosen cases.
    """
    row = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if policy.is_public(row):
        raise NotPossible("It is published.")
    if row.published_at is not None or Publication.objects.filter(run=row).exists():
        publish(row, by=by)
    else:
        publishing.publish(row)


@transaction.atomic
def ask(run: Run, question: str, *, by: User) -> Publication:
    """Ask the submitter something before it is published. Raises NotPossible."""
    publication = _locked(run)
    if publication.state not in OPEN:
        raise NotPossible("It does not wait for a moderator: hide it if it must not be public.")
    publication.answer = ""
    publication.save(update_fields=["answer"])
    notices.for_submitter(run, Kind.ASKED, question, but=by)
    return _decide(publication, State.ASKED, question, by=by)


@transaction.atomic
def hide(run: Run, reason: str, *, by: User) -> Publication:
    """Take a run off the board, or keep it off; everybody may read why.

    Once more, with another reason, replaces the reason.
    """
    publication = _locked(run)
    if publication.run.published_at is not None:
        publishing.hide(publication.run, reason)
        Run.objects.filter(pk=run.pk).update(hidden_because=reason)
    notices.for_submitter(run, Kind.HIDDEN, reason, but=by)
    return _decide(publication, State.HIDDEN, reason, by=by)


@transaction.atomic
def ban(user: User, reason: str, *, by: User) -> Ban:
    """End what an account may do here; what is public stays until it is hidden by itself.

    Raises:
        NotPossible: A moderator cannot be banned.
    """
    if policy.may_moderate(user):
        raise NotPossible("A moderator cannot be banned: take the permission away first.")
    made, _ = Ban.objects.update_or_create(user=user, defaults={"reason": reason, "by": by})
    bans.remember(user, reason)
    notices.write([user], Kind.BANNED, None, reason)
    ApiToken.objects.filter(user=user).delete()
    for run in Run.objects.active().filter(submission__submitted_by=user):
        transitions.cancel(run, f"Cancelled: its submitter has been banned. {reason}")
    for publication in Publication.objects.filter(state__in=OPEN, run__owner=user):
        _decide(publication, State.HIDDEN, reason, by=by)
    return made


def lift_ban(user: User) -> None:
    bans.lift(user)


def submitter(run: Run) -> User | None:
    """The person who brought a run in, for themselves or for an organisation."""
    submission = getattr(run, "submission", None)
    return submission.submitted_by if submission else run.owner


def _locked(run: Run) -> Publication:
    """Its publication, for this transaction alone; made where a run was published otherwise."""
    row = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if row.published_at is None:
        found = Publication.objects.filter(run=row).first()
        if found is None:
            raise NotPossible("Nobody has asked to publish this run.")
        return found
    state = State.HIDDEN if row.hidden_at else State.PUBLISHED
    reason = (row.hidden_because or "Hidden.") if row.hidden_at else ""
    return Publication.objects.get_or_create(run=row, defaults={"state": state, "reason": reason})[
        0
    ]


def _decide(publication: Publication, state: str, reason: str, *, by: User | None) -> Publication:
    publication.state, publication.reason = state, reason
    publication.decided_by, publication.decided_at = by, timezone.now()
    publication.save(update_fields=["state", "reason", "decided_by", "decided_at"])
    return publication
