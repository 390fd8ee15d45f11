"""Rank ranges, found off the request: once for each state of a board, safe to deliver twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date

from celery import shared_task
from django.core.cache import cache

from evaluation import freshness
from evaluation.benchmarks import profiles_of
from evaluation.models import Benchmark
from evaluation.services.publishing import content_version
from leaderboard import loading
from leaderboard.loading import Asked
from leaderboard.pages import build

CLAIM = 5 * 60  # seconds after which whoever began without finishing is taken for lost
KEEP = 24 * 60 * 60  # seconds until the ranges' being kept is looked at again


@shared_task
def find_ranges(benchmark_id: int, profile: str = "", as_of: str = "") -> None:
    """Find the ranges of one board in every view, and let its pages show them."""
    benchmark = Benchmark.objects.filter(pk=benchmark_id).first()
    if benchmark is not None:
        _find(benchmark, Asked(profile, date.fromisoformat(as_of) if as_of else None))
        freshness.renew()


@shared_task
def find_all_ranges() -> None:
    """The same for every board as it stands now, unless that has been done since it changed."""
    state = hashlib.sha256(f"{build()} {content_version()}".encode()).hexdigest()
    done = f"ranges-of:{state}"
    if not cache.add(done, 1, CLAIM):
        return
    try:
        for benchmark, which in _boards():
            _find(benchmark, which)
    except BaseException:
        cache.delete(done)
        raise
    freshness.renew()
    cache.set(done, 1, KEEP)


def _boards() -> Iterator[tuple[Benchmark, Asked]]:
    for benchmark in Benchmark.objects.all():
        for profile in ("", *profiles_of(benchmark.suite)[1:]):
            yield benchmark, Asked(profile)


def _find(benchmark: Benchmark, which: Asked) -> None:
    board = loading.load(benchmark, which)
    for view in board.nodes:
        board.standings(view)
