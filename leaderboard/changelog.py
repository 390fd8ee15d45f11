"""What has changed in the ways of judging here, from the rows and tables that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q

from evaluation.benchmarks import SUITES
from evaluation.models import Benchmark, Erratum, Scoring, Snapshot


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed: when, of which benchmark, and what."""

    when: datetime
    benchmark: Benchmark
    what: str
    text: str


def changes() -> list[Change]:
    """Newest first: benchmark versions, scorer versions, corrected answers, snapshots."""
    found = [*_versions(), *_scorers(), *_answers(), *_snapshots()]
    return sorted(found, key=lambda one: one.when, reverse=True)


def _versions() -> Iterator[Change]:
    for one in Benchmark.objects.order_by("pk"):
        state = "current" if one.is_current else "kept beside the current one"
        text = f"{one.package} {one.version}, data SHA-256 {one.digest[:12]}…, {state}."
        yield Change(one.created_at, one, "Version loaded", text)


def _scorers() -> Iterator[Change]:
    """Each scorer version from its first use on a published run."""
    published = Scoring.objects.filter(run__published_at__isnull=False, run__hidden_at=None)
    used = published.order_by().values_list("run__entry__benchmark", "scorer_version")
    benchmarks = Benchmark.objects.in_bulk()
    told = {suite.slug: suite.changes for suite in SUITES}
    for pk, version, first in used.annotate(first=Min("created_at")):
        benchmark = benchmarks[pk]
        text = told.get(benchmark.suite, {}).get(version, "Its changes are not described.")
        yield Change(first, benchmark, f"Scorer {version}", text)


def _answers() -> Iterator[Change]:
    errata = Erratum.objects.order_by().values_list("case__category__benchmark", "answers_version")
    benchmarks = Benchmark.objects.in_bulk()
    for pk, version, first, corrected, excluded in errata.annotate(
        first=Min("created_at"),
        corrected=Count("pk", filter=Q(is_excluded=False)),
        excluded=Count("pk", filter=Q(is_excluded=True)),
    ):
        text = f"{_cases(corrected)} corrected, {_cases(excluded)} taken out of n."
        yield Change(first, benchmarks[pk], f"Accepted answers {version}", text)


def _cases(count: int) -> str:
    return f"{count:,} case{'' if count == 1 else 's'}"


def _snapshots() -> Iterator[Change]:
    rows = Snapshot.objects.select_related("benchmark").annotate(count=Count("rows"))
    for one in rows.order_by("pk"):
        day = f"{one.date.day} {one.date:%B %Y}"
        text = f"The published tables of {day}, {one.count:,} rows; source: {one.source}."
        yield Change(one.created_at, one.benchmark, "Snapshot taken in", text)
