"""Who may see what. Every public output asks here, and nowhere else is it decided.

A run is one person's (its owner) or several people's: then it names two groups, those who may see
it and those who may steer it. Who is in a group, and why, is decided elsewhere.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, Group, User
from django.db.models import Q, QuerySet
from django.utils import timezone

from evaluation.models import Benchmark, Case, Endpoint, Entry, ModelCard, Run

Viewer = User | AnonymousUser
WITHDRAWN = "Withdrawn on request of its submitter."  # the reason when it was no moderator's


def visible_runs(viewer: Viewer) -> QuerySet[Run]:
    """Published runs, a person's own and their groups', and for staff every run."""
    if viewer.is_staff:
        return Run.objects.all()
    public = Q(published_at__isnull=False, hidden_at=None)
    return Run.objects.filter(public | _own(viewer) if viewer.is_authenticated else public)


def own_runs(viewer: Viewer) -> QuerySet[Run]:
    """What a person, or a group they are in, brought in."""
    return Run.objects.filter(_own(viewer)) if viewer.is_authenticated else Run.objects.none()


def own_cards(viewer: Viewer) -> QuerySet[ModelCard]:
    """Model cards under which a person may submit; for staff also those that are nobody's.

    Nobody's are what a command made, and what a benchmark's team has published.
    """
    if not viewer.is_authenticated:
        return ModelCard.objects.none()
    own = Q(owner=viewer.pk) | Q(stewards__in=_groups(viewer))
    nobodys = Q(owner=None, stewards=None)
    return ModelCard.objects.filter(own | nobodys if viewer.is_staff else own)


def own_endpoints(viewer: Viewer) -> QuerySet[Endpoint]:
    """Endpoints whose settings a person may read and use again."""
    if not viewer.is_authenticated:
        return Endpoint.objects.none()
    return Endpoint.objects.filter(Q(owner=viewer.pk) | Q(stewards__in=_groups(viewer)))


def may_see_run(viewer: Viewer, run: Run) -> bool:
    if is_public(run) or viewer.is_staff:
        return True
    return _is(viewer, run.owner_id) or _is_in(viewer, run.viewers_id)


def is_public(run: Run) -> bool:
    return run.published_at is not None and run.hidden_at is None


def may_control_run(viewer: Viewer, run: Run) -> bool:
    """Pause, resume, cancel, publish: its owner's or stewards' right, and staff's."""
    return viewer.is_staff or _is(viewer, run.owner_id) or _is_in(viewer, run.stewards_id)


def may_moderate(viewer: Viewer) -> bool:
    """Decide what of other people's is published, and ban accounts."""
    return viewer.is_staff and viewer.has_perm("evaluation.moderate_runs")


def was_public(run: Run) -> bool:
    """It stood on the board and stands there no more: its address tells why, to everybody."""
    return run.published_at is not None and run.hidden_at is not None


def tombstones(card: ModelCard) -> QuerySet[Run]:
    """A model's runs that were public once, newest first: only dates and reasons are shown."""
    gone = Run.objects.filter(entry__card=card, published_at__isnull=False)
    return gone.filter(hidden_at__isnull=False).order_by("-hidden_at", "-pk")


def may_name(viewer: Viewer, card: ModelCard) -> bool:
    """Show what a card says of itself. A withdrawn entry keeps its model's name; what a moderator
    has hidden keeps none, for a name may be what was wrong, unless another entry stands by it."""
    if may_use_card(viewer, card) or visible_entries(viewer).filter(card=card).exists():
        return True
    return not tombstones(card).exclude(hidden_because=WITHDRAWN).exists()


def may_see_endpoint(viewer: Viewer, endpoint: Endpoint) -> bool:
    """Address and settings in full; a public run shows its frozen configuration instead."""
    is_own = _is(viewer, endpoint.owner_id) or _is_in(viewer, endpoint.stewards_id)
    return viewer.is_staff or is_own


def may_use_card(viewer: Viewer, card: ModelCard) -> bool:
    """Submit under this card, and see its page before anything of it is published."""
    return viewer.is_staff or _is(viewer, card.owner_id) or _is_in(viewer, card.stewards_id)


def visible_entries(viewer: Viewer) -> QuerySet[Entry]:
    """Rows of a board: those that show a public run, and published ones."""
    shown = Q(shown_run__published_at__isnull=False, shown_run__hidden_at=None)
    return Entry.objects.filter(shown | Q(evidence="published"))


def may_see_cases(viewer: Viewer, benchmark: Benchmark) -> bool:
    """Questions, answers and replies of a benchmark that may still be secret."""
    opens = benchmark.cases_public_from
    return viewer.is_staff or opens is None or opens <= timezone.now()


def visible_cases(viewer: Viewer) -> QuerySet[Case]:
    """Cases of every benchmark whose cases this viewer may see."""
    if viewer.is_staff:
        return Case.objects.all()
    opens = Q(category__benchmark__cases_public_from=None)
    opened = Q(category__benchmark__cases_public_from__lte=timezone.now())
    return Case.objects.filter(opens | opened)


def _own(viewer: Viewer) -> Q:
    return Q(owner=viewer.pk) | Q(viewers__in=_groups(viewer))


def _groups(viewer: Viewer) -> QuerySet[Group]:
    """As a subquery: a join would repeat a row for each member."""
    return Group.objects.filter(user=viewer.pk)


def _is(viewer: Viewer, owner: int | None) -> bool:
    return viewer.is_authenticated and owner == viewer.pk


def _is_in(viewer: Viewer, group: int | None) -> bool:
    return bool(group and viewer.is_authenticated and _groups(viewer).filter(pk=group).exists())
