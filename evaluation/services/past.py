"""What stood on a board at the end of a past day, by the rules that hold at any time.

What was hidden or withdrawn since is not there: an earlier day is no way around that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from evaluation.benchmarks import profiles_of
from evaluation.models import Benchmark, Run, Scoring
from evaluation.services.publishing import Candidate, complete_by_scoring, shown


def end_of(day: date) -> datetime:
    """The first moment that does not belong to a day any more, in UTC."""
    return datetime.combine(day, time.min, UTC) + timedelta(days=1)


def runs_shown(benchmark: Benchmark, before: datetime) -> dict[int, int]:
    """The run that each entry showed then, by entry: the usual fold, ended earlier."""
    published = Run.objects.counting().filter(entry__benchmark=benchmark, published_at__lt=before)
    rows = list(published.order_by("entry", "published_at", "pk").values_list("entry_id", "pk"))
    judged = scorings_of(benchmark, [run for _, run in rows], before)
    complete = complete_by_scoring(judged.values())
    found: dict[int, int] = {}
    for entry, group in groupby(rows, key=lambda row: row[0]):
        run = shown(
            Candidate(run, frozenset(complete.get(judged.get(run, 0), ()))) for _, run in group
        )
        if run is not None:
            found[entry] = run
    return found


def scorings_of(
    benchmark: Benchmark, runs: Collection[int], before: datetime, profile: str = ""
) -> Mapping[int, int]:
    """The scoring of each run that was shown then, by run: the newest whole one there was.

    In the usual way of judging, the first one stands for runs that had none by then: their rows
    were brought in later, under the dates they had. A `profile` beside the usual has no such runs.
    """
    whole = Scoring.objects.filter(run__in=runs, due=None)
    if profile:
        chosen = whole.filter(profile=profile, created_at__lt=before)
    else:
        chosen = whole.exclude(profile__in=profiles_of(benchmark.suite)[1:])
    found: dict[int, int] = {}
    for run, pk, made in chosen.order_by("pk").values_list("run", "pk", "created_at"):
        if run not in found or made < before:
            found[run] = pk
    return found
