"""How endpoints get in, and what follows here from what becomes of their runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from evaluation import secrets
from evaluation.client.target import MIN_KEY
from evaluation.models import Benchmark, Category, Endpoint, ModelCard, Run, RunEvent
from evaluation.models.endpoints import origin_of
from evaluation.services import scheduling
from submissions import agreement, moderation, notices, quotas, terms
from submissions.models import HandledEvent, Organisation, Submission

KEPT_AFTER_END = timedelta(days=14)  # how long a key outlives an unpublished run
EVENTS_AT_A_TIME = 500


class NameTaken(Exception):
    """Somebody took the model card's name between the form's check and now."""


@transaction.atomic
def accept(
    endpoint: Endpoint,
    *,
    key: str,
    benchmark: Benchmark,
    categories: Sequence[Category],
    by: User,
    organisation: Organisation | None = None,
) -> Submission:
    """Record the request and queue its run, or do neither.

    The terms of submission have been accepted: every form asks for that.

    Raises:
        NameTaken: A new model card's name is not free any more.
        CannotSchedule: The benchmark changed since the form was filled in.
        Refused: A limit is reached.
    """
    if endpoint.card._state.adding:
        save_card(endpoint.card)
        endpoint.card = endpoint.card  # its primary key is known only now
    keep(endpoint, key=key, by=by)
    run = scheduling.schedule(
        endpoint,
        benchmark=benchmark,
        categories=[category.name for category in categories],
        owner=by,
        share_key=f"user:{by.pk}",
    )
    return record(run, by=by, organisation=organisation)


def keep(endpoint: Endpoint, *, key: str, by: User) -> None:
    """Save an endpoint with its key, sealed and bound to its host."""
    seal_key(endpoint, key)
    endpoint.owner = by
    endpoint.save()


def seal_key(endpoint: Endpoint, key: str) -> None:
    """Put a key on an endpoint, sealed and bound to its host; not saved yet."""
    endpoint.sealed_key = secrets.seal(key, origin_of(endpoint.base_url)) if key else None
    endpoint.key_last_four = key[-4:] if len(key) >= MIN_KEY else ""


def record(run: Run, *, by: User, organisation: Organisation | None = None) -> Submission:
    """Write down who brought a run in, and under which terms; an organisation's becomes its own.

    To be called in the transaction that makes the run. Raises Refused; then neither is made.
    """
    moderation.refuse_banned(by)
    if organisation:
        _hand_over(run, organisation)
    made = Submission.objects.create(
        submitted_by=by, organisation=organisation, run=run, terms=terms.VERSION
    )
    quotas.charge(made)
    return made


def _hand_over(run: Run, organisation: Organisation) -> None:
    """Members come and go: what is an organisation's has no owner, but its groups."""
    run.owner, run.share_key = None, f"organisation:{organisation.pk}"
    run.viewers, run.stewards = organisation.viewers, organisation.stewards
    run.save(update_fields=["owner", "share_key", "viewers", "stewards"])
    stewards = organisation.stewards
    Endpoint.objects.filter(runs=run).update(owner=None, stewards=stewards)
    ModelCard.objects.filter(pk=run.entry.card_id).update(owner=None, stewards=stewards)


def save_card(card: ModelCard) -> None:
    """Save a new model card. Raises NameTaken."""
    try:
        with transaction.atomic():
            card.save()
    except IntegrityError as error:
        raise NameTaken(f"“{card.name}” has just been taken. Choose another name.") from error


def follow_runs() -> int:
    """Carry out here what follows from the runs' events, each exactly once; how many there were.

    The mark that an event is handled is written in the transaction of its effect, so a worker
    that dies in between does neither, and a second worker finds the mark.
    """
    with transaction.atomic():
        events = list(
            RunEvent.objects.filter(~Exists(HandledEvent.objects.filter(event=OuterRef("pk"))))
            .select_for_update(skip_locked=True, of=("self",))
            .order_by("pk")[:EVENTS_AT_A_TIME]
        )
        marks = [HandledEvent(event=event) for event in events]
        HandledEvent.objects.bulk_create(marks, ignore_conflicts=True)
        quotas.settle(events)
        agreement.settle(events)
        notices.of_events(events)
        forget_keys()
    return len(events)


def forget_keys() -> int:
    """Delete the keys that no run needs any more; how many there were.

    A key is needed while a run of its endpoint is active, or has ended unpublished and less than
    14 days ago, when it may still be asked for what it left unscored. Its last four characters
    stay, as the sign that there was one: without it the endpoint must not be asked again.
    """
    since = timezone.now() - KEPT_AFTER_END
    needing = Run.objects.filter(endpoint=OuterRef("pk")).filter(
        Q(state__in=Run.ACTIVE) | Q(published_at=None, finished_at__gt=since)
    )
    keyed = Endpoint.objects.filter(sealed_key__isnull=False, runs__isnull=False)
    done_with = keyed.filter(~Exists(needing)).values("pk")
    return Endpoint.objects.filter(pk__in=done_with).update(sealed_key=None)
