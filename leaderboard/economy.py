"""What shown runs cost and how fast their replies came, counted once per run.

Counting reads every reply of a run. A run that has ended sends nothing any more, so what was
found is kept in the shared cache; asking its unscored cases again makes another key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Avg, Count, Q, Sum

from evaluation.models import Reply, Run

KEEP = 30 * 24 * 60 * 60  # seconds
PER_TOKENS = 1_000_000  # prices are given for so many tokens


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one run: US dollars for all of it, mean seconds of an accepted reply; None: unknown."""

    cost: float | None = None
    latency: float | None = None


def spent(runs: Iterable[Run]) -> dict[int, Spent]:
    """By primary key; one query for the runs not counted before."""
    keys = {f"spent:{run.pk}:{run.requests_sent}": run for run in runs}
    known: dict[str, tuple[float | None, float | None]] = cache.get_many(keys)
    missing = {key: run for key, run in keys.items() if key not in known}
    if missing:
        counted = _count(list(missing.values()))
        found = {key: counted.get(run.pk, (None, None)) for key, run in missing.items()}
        cache.set_many(found, KEEP)
        known |= found
    return {run.pk: Spent(*known[key]) for key, run in keys.items()}


def _count(runs: list[Run]) -> dict[int, tuple[float | None, float | None]]:
    replies = Reply.objects.filter(run__in=runs).order_by().values("run")
    sums = replies.annotate(
        reported=Count("tokens_in"),  # every attempt is paid for, so every attempt counts
        sum_in=Sum("tokens_in"),
        sum_out=Sum("tokens_out"),
        mean=Avg("latency", filter=Q(accepted=True)),
    )
    prices = {run.pk: _prices(run) for run in runs}
    return {row["run"]: (_cost(row, prices[row["run"]]), row["mean"]) for row in sums}


def _prices(run: Run) -> tuple[float, float] | None:
    try:
        frozen = json.loads(run.configuration)
        return float(frozen["price_in"]), float(frozen["price_out"])
    except (ValueError, TypeError, KeyError):
        return None


def _cost(row: Mapping[str, Any], prices: tuple[float, float] | None) -> float | None:
    if prices is None or not row["reported"]:
        return None
    paid = (row["sum_in"] or 0) * prices[0] + (row["sum_out"] or 0) * prices[1]
    return paid / PER_TOKENS
