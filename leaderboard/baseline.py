"""The bundled reference endpoint as everybody's first submission, and the board's baseline row."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import QuerySet

from evaluation.models import Benchmark, Endpoint, ModelCard, Run
from evaluation.models.cards import Mode
from evaluation.services import publishing, transitions
from submissions import services

SLUG = "callboard-reference"
REMOTE_MODEL = "callboard-reference"
IN_FLIGHT = 16
MOVED = "The reference endpoint has moved to another port; it is submitted again."


def submit(benchmark: Benchmark, base_url: str, owner: User) -> list[Run]:
    """Submit it once in each mode: again only where no run of it goes on or has finished."""
    card, _ = ModelCard.objects.get_or_create(
        slug=SLUG,
        defaults={
            "name": "Callboard reference",
            "organisation": "Callboard",
            "licence": "Apache-2.0",
            "open_weights": True,
            "owner": owner,
        },
    )
    _give_up_on_other_addresses(card, base_url)
    return [
        _accept(card, mode, benchmark, base_url, owner)
        for mode in Mode
        if not runs(card).filter(entry__benchmark=benchmark, endpoint__mode=mode).exists()
    ]


def publish_finished() -> list[Run]:
    """Put what has finished on the board. A run that somebody hid stays hidden."""
    done = Run.objects.filter(
        entry__card__slug=SLUG, state=Run.State.FINISHED, published_at=None, hidden_at=None
    )
    published = list(done.select_related("entry__card"))
    for run in published:
        publishing.publish(run)
    return published


def runs(card: ModelCard) -> QuerySet[Run]:
    """Runs of the reference endpoint that go on or have finished."""
    wanted = (*Run.ACTIVE, Run.State.FINISHED)
    return Run.objects.filter(entry__card=card, endpoint__isnull=False, state__in=wanted)


def _give_up_on_other_addresses(card: ModelCard, base_url: str) -> None:
    """A run's configuration is frozen: one that asks a port nobody serves would never end."""
    going_on = runs(card).filter(state__in=Run.ACTIVE)
    for run in going_on.exclude(endpoint__base_url=base_url):
        transitions.cancel(run, MOVED)


def _accept(card: ModelCard, mode: Mode, benchmark: Benchmark, base_url: str, owner: User) -> Run:
    endpoint = Endpoint(
        card=card,
        base_url=base_url,
        remote_model=REMOTE_MODEL,
        mode=mode,
        underscore=mode == Mode.FC,
        in_flight=IN_FLIGHT,
    )
    categories = benchmark.categories.filter(
        modes__contains=[mode], unavailable="", is_extra=False
    )
    submission = services.accept(
        endpoint, key="", benchmark=benchmark, categories=list(categories), by=owner
    )
    return submission.run
