"""What shown runs cost and how fast their replies came, counted once per run.

Counting reads every reply of a run. A run that has ended sends nothing any more, so what was
found is kept in the shared cache; asking its unscored cases again makes another key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Q, Sum

from evaluation.benchmarks import is_stepwise
from evaluation.engine.stats import flat
from evaluation.models import Reply, Run
from evaluation.times import OF_STEPS, TIMED

KEEP = 30 * 24 * 60 * 60  # seconds
PER_TOKENS = 1_000_000  # prices are given for so many tokens


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one run: US dollars for all of it, mean seconds; None: unknown.

    An upload's seconds are what its own lines say. Where a line has one number for a case of
    several steps, nothing is known of the single request.
    """

    cost: float | None = None
    latency: float | None = None  # of a request
    case_latency: float | None = None  # of a case: all its requests together


def spent(runs: Iterable[Run]) -> dict[int, Spent]:
    """By primary key; one query for the runs not counted before, another for uploads' steps."""
    keys = {f"spent-of:{run.pk}:{run.requests_sent}": run for run in runs}
    known: dict[str, tuple[float | None, ...]] = cache.get_many(keys)
    missing = {key: run for key, run in keys.items() if key not in known}
    if missing:
        counted = _count(list(missing.values()))
        found = {key: astuple(counted.get(run.pk, Spent())) for key, run in missing.items()}
        cache.set_many(found, KEEP)
        known |= found
    return {run.pk: Spent(*known[key]) for key, run in keys.items()}


@dataclass(slots=True)
class _Times:
    """Single requests of one run; `is_whole` is false where a time is that of several."""

    seconds: float = 0.0
    requests: int = 0
    is_whole: bool = True

    @property
    def mean(self) -> float | None:
        return self.seconds / self.requests if self.is_whole and self.requests else None


def _count(runs: list[Run]) -> dict[int, Spent]:
    replies = Reply.objects.filter(run__in=runs).order_by().values("run")
    single = TIMED & Q(figures="")
    sums = replies.annotate(
        reported=Count("tokens_in"),  # every attempt is paid for, so every attempt counts
        sum_in=Sum("tokens_in"),
        sum_out=Sum("tokens_out"),
        seconds=Sum("latency", filter=TIMED),
        cases=Count("case", distinct=True, filter=TIMED),
        single_seconds=Sum("latency", filter=single),
        singles=Count("pk", filter=single),
        lumped=Count("pk", filter=single & OF_STEPS & Q(run__endpoint=None)),
        told=Count("pk", filter=TIMED & ~Q(figures="")),
    )
    rows = list(sums)
    by_pk = {run.pk: run for run in runs}
    steps = _steps([row["run"] for row in rows if row["told"]])
    return {row["run"]: _spent(row, by_pk[row["run"]], steps) for row in rows}


def _spent(row: Mapping[str, Any], run: Run, steps: Mapping[int, _Times]) -> Spent:
    told = steps.get(run.pk, _Times())
    times = _Times(
        seconds=(row["single_seconds"] or 0.0) + told.seconds,
        requests=row["singles"] + told.requests,
        is_whole=told.is_whole and not row["lumped"],
    )
    of_a_case = row["seconds"] / row["cases"] if row["cases"] else None
    return Spent(_cost(row, _prices(run)), times.mean, of_a_case)


def _steps(uploads: list[int]) -> dict[int, _Times]:
    """What uploads say of the steps of their conversations, by run."""
    found: dict[int, _Times] = {}
    if not uploads:
        return found
    told = Reply.objects.filter(TIMED, run__in=uploads).exclude(figures="")
    places = ("run__entry__benchmark__suite", "case__category__name")
    for run, figures, *place in told.values_list("run", "figures", *places).iterator():
        times = found.setdefault(run, _Times())
        latency = json.loads(figures).get("latency")
        seconds = flat(latency)
        times.seconds += sum(seconds)
        times.requests += len(seconds)
        times.is_whole &= isinstance(latency, list) or not is_stepwise(*place)
    return found


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
