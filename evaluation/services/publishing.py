"""Which run an entry shows, and when that changes.

An entry shows the newest published run that is at least as complete as the one shown before it:
never the best one, and a newer partial run displaces nothing. It is the fold of the visible
counting runs by publication time, taken anew at every change.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone

from evaluation.benchmarks import profiles_of
from evaluation.engine.outcomes import Tally
from evaluation.freshness import announce, generation
from evaluation.models import Benchmark, CategoryScore, Entry, Run, RunEvent
from evaluation.services import scoring

log = logging.getLogger(__name__)

__all__ = [
    "CannotPublish",
    "announce",
    "content_version",
    "generation",
    "hide",
    "publish",
    "refold",
    "shown",
]


class CannotPublish(Exception):
    """The run cannot go onto a board; the message says why."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A published run as the fold sees it: the categories in which it would rank."""

    run_id: int
    complete: frozenset[int]


def shown(candidates: Iterable[Candidate]) -> int | None:
    """The run an entry shows, from its candidates in the order of their publication."""
    current: Candidate | None = None
    for candidate in candidates:
        if current is None or candidate.complete >= current.complete:
            current = candidate
    return current.run_id if current else None


@transaction.atomic
def publish(run: Run) -> None:
    """Put a run onto the board. Publishing twice changes nothing.

    Raises:
        CannotPublish: It has no results, or covers only chosen cases.
    """
    row = Run.objects.select_for_update().get(pk=run.pk)
    if row.state not in (Run.State.FINISHED, Run.State.INCOMPLETE):
        raise CannotPublish(f"Only a run with results can be published; this one is {row.state}.")
    if not row.counts:
        raise CannotPublish("This run asked only some cases of its categories: it never counts.")
    if row.published_at is None or row.hidden_at is not None:
        row.published_at = row.published_at or timezone.now()
        row.hidden_at, row.hidden_because = None, ""
        row.save(update_fields=["published_at", "hidden_at", "hidden_because"])
        _note(row, "Published.")
        _judge_beside(row)
    refold(row.entry_id)
    run.refresh_from_db(fields=["published_at", "hidden_at", "hidden_because"])


def _judge_beside(run: Run) -> None:
    """Have the same answers judged in every other profile, for boards beside the usual one."""
    for profile in profiles_of(run.entry.benchmark.suite)[1:]:
        try:
            scoring.enqueue(run, profile=profile)
        except scoring.CannotRescore:
            log.exception("Run %s is not judged in profile %s", run.pk, profile)


@transaction.atomic
def hide(run: Run, reason: str = "Hidden.") -> None:
    """Take a run off every public page but its tombstone, which tells the reason to everybody.

    Hiding twice changes nothing.
    """
    fields = {"hidden_at": timezone.now(), "hidden_because": reason}
    if Run.objects.filter(pk=run.pk, hidden_at=None).update(**fields):
        _note(run, reason)
    refold(run.entry_id)
    run.refresh_from_db(fields=["hidden_at", "hidden_because"])


def refold(entry_id: int) -> None:
    """Take the fold anew and remember its end in the entry."""
    entry = Entry.objects.select_for_update().get(pk=entry_id)
    runs = Run.objects.counting().filter(entry=entry).order_by("published_at", "pk")
    entry.shown_run_id = shown(_candidate(run) for run in runs)
    entry.save(update_fields=["shown_run"])
    announce()


def _candidate(run: Run) -> Candidate:
    current = run.scorings.filter(is_current=True).values_list("pk", flat=True)
    complete = complete_by_scoring(current)
    return Candidate(run.pk, frozenset().union(*complete.values()))


def complete_by_scoring(scorings: Iterable[int]) -> dict[int, set[int]]:
    """The categories in which each scoring would rank. One query."""
    rows = CategoryScore.objects.filter(scoring__in=list(scorings)).order_by()
    found: dict[int, set[int]] = {}
    for judging, category, n, correct, wrong, unscored in rows.values_list(
        "scoring_id", "category_id", "n", "correct", "wrong", "unscored"
    ):
        if judging and Tally(n, correct or 0, wrong or 0, unscored or 0).is_ranked:
            found.setdefault(judging, set()).add(category)
    return found


def _note(run: Run, reason: str) -> None:
    """The log of a run also tells when it became public; its state stays."""
    RunEvent.objects.create(run=run, from_state=run.state, to_state=run.state, reason=reason)


def content_version() -> str:
    """Changes whenever a public page may: the key of every shared cache.

    Every change of what the public sees writes an event, a card, a snapshot or a benchmark; the
    last part changes by itself when a benchmark's cases become public.
    """
    events = RunEvent.objects.aggregate(last=Max("pk"))["last"] or 0
    entries = Entry.objects.aggregate(
        last=Max("pk"),
        n=Count("pk"),
        shown=Max("shown_run"),
        named=Max("card__updated_at"),
    )
    opened = Q(cases_public_from__lte=timezone.now())
    benchmarks = Benchmark.objects.aggregate(
        last=Max("pk"), opened=Count("pk", filter=opened), snapshots=Max("snapshots")
    )
    parts = (events, *entries.values(), *benchmarks.values())
    return "-".join(str(part or 0) for part in parts)
