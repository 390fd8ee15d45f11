"""How long cases and single requests of a run took, and how long the rest may take."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q, Sum

from evaluation.benchmarks import SUITES, is_stepwise
from evaluation.engine.stats import flat, percentile
from evaluation.models import Reply, Run

# Conversations before the questions of a memory are asked and paid for, and are no cases.
TIMED = Q(accepted=True, latency__isnull=False, case__is_prerequisite=False)
OF_STEPS = reduce(
    or_,
    (Q(case__category__name__startswith=start) for suite in SUITES for start in suite.stepwise),
)


@dataclass(frozen=True, slots=True)
class Times:
    """How many seconds something took."""

    median: float
    p95: float


def case_times(run: Run) -> Times | None:
    """How long cases take, all accepted replies of one together; None before the first."""
    timed = Reply.objects.filter(TIMED, run=run)
    of_a_case = timed.values("case").annotate(total=Sum("latency")).order_by()
    return _times(row["total"] for row in of_a_case)


def request_times(upload: Run) -> Times | None:
    """What an upload's lines say of single requests; None where one speaks of whole cases only."""
    told = Reply.objects.filter(TIMED, run=upload)
    suite = upload.entry.benchmark.suite
    found: list[float] = []
    for figures, total, category in told.values_list("figures", "latency", "case__category__name"):
        latency = json.loads(figures).get("latency") if figures else total
        if is_stepwise(suite, category) and not isinstance(latency, list):
            return None
        found += flat(latency)
    return _times(found)


def _times(seconds: Iterable[float]) -> Times | None:
    times = sorted(seconds)
    if not times:
        return None
    return Times(median=percentile(times, 0.5), p95=percentile(times, 0.95))


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a run goes, and what that makes of the time left."""

    rate: float | None = None  # cases a second
    seconds_left: float | None = None
    basis: str = ""  # what the two rest on, in words

    @property
    def words(self) -> str:
        """The rate as people read it, in minutes where a second brings less than one case."""
        if not self.rate:
            return ""
        number, unit = (self.rate, "second") if self.rate >= 1 else (60 * self.rate, "minute")
        return f"{number:,.{0 if number >= 10 else 1}f} a {unit}"

    @property
    def left(self) -> str:
        """The time left in words, no finer than such a forecast can be."""
        if self.seconds_left is None:
            return ""
        if self.seconds_left < 10:
            return "a few seconds"
        if self.seconds_left < 95:
            return f"about {10 * round(self.seconds_left / 10)} s"
        minutes = round(self.seconds_left / 60)
        if minutes < 60:
            return f"about {minutes} min"
        return f"about {minutes // 60} h {10 * (minutes % 60 // 10)} min".replace(" 0 min", "")
