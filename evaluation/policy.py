"""Who may see what. Every public output asks here, and nowhere else is it decided."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q, QuerySet
from django.utils import timezone

from evaluation.models import Benchmark, Case, Endpoint, Entry, Run

Viewer = User | AnonymousUser


def visible_runs(viewer: Viewer) -> QuerySet[Run]:
    """Published runs, a person's own, and for staff every run."""
    if viewer.is_staff:
        return Run.objects.all()
    public = Q(published_at__isnull=False, hidden_at=None)
    own = Q(owner=viewer.pk) if viewer.is_authenticated else Q()
    return Run.objects.filter(public | own)


def may_see_run(viewer: Viewer, run: Run) -> bool:
    return is_public(run) or viewer.is_staff or _owns(viewer, run)


def is_public(run: Run) -> bool:
    return run.published_at is not None and run.hidden_at is None


def may_control_run(viewer: Viewer, run: Run) -> bool:
    """Pause, resume, cancel, publish: its owner's right, and staff's."""
    return viewer.is_staff or _owns(viewer, run)


def may_see_endpoint(viewer: Viewer, endpoint: Endpoint) -> bool:
    """Address and settings in full; a public run shows its frozen configuration instead."""
    return viewer.is_staff or (viewer.is_authenticated and endpoint.owner_id == viewer.pk)


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


def _owns(viewer: Viewer, run: Run) -> bool:
    return viewer.is_authenticated and run.owner_id == viewer.pk
