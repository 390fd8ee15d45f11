"""How far runs have come, read from the rows their workers leave behind.

Nothing here changes anything. Each question is one query for any number of runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, cast

from django.db.models import Aggregate, Count, F, FloatField, Max, Min, Q, Sum
from django.utils import timezone

from evaluation.engine.outcomes import Tally
from evaluation.engine.types import Fault
from evaluation.models import Category, CategoryScore, Reply, Run, Scoring, Slice, Verdict
from evaluation.times import TIMED, Pace

WINDOW = timedelta(minutes=5)  # what the rate is taken over
PATIENCE = timedelta(seconds=30)  # this long nobody may hold a run before its page says so
UNREADABLE = (Fault.MALFORMED, Fault.WRONG_FORMAT)


class Percentile(Aggregate):
    """An exact percentile of a column, interpolated between its two neighbours."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()

    def __init__(self, expression: str, share: float, filter: Q | None = None) -> None:
        super().__init__(expression, share=share, filter=filter)


@dataclass(frozen=True, slots=True)
class Row:
    """One category of a run: its counts, and how many of the wrong could not be read as calls."""

    category: Category
    tally: Tally
    malformed: int = 0

    @property
    def wrong(self) -> int:
        """Wrong answers that could be read."""
        return self.tally.wrong - self.malformed


@dataclass(frozen=True, slots=True)
class Traffic:
    """What passed between a run and its endpoint. Latencies in seconds, of cases' replies."""

    sent: int = 0  # requests
    retries: int = 0  # of these, second and further attempts at a question
    troubles: int = 0  # of these, within the window and without an answer
    answered: int = 0  # accepted replies
    reported: int = 0  # of these, with a token count
    recent: int = 0  # cases with a reply within the window
    first_recent: datetime | None = None
    last: datetime | None = None
    tokens_in: int = 0  # of every attempt, since every attempt is paid for
    tokens_out: int = 0
    median: float | None = None
    p95: float | None = None

    def cost(self, price_in: object, price_out: object) -> Decimal | None:
        """US dollars at prices per million tokens; None when a price or every count is unknown."""
        if price_in in (None, "") or price_out in (None, "") or not self.reported:
            return None
        paid = self.tokens_in * Decimal(str(price_in)) + self.tokens_out * Decimal(str(price_out))
        return paid / 1_000_000


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything the live part of a run's page says."""

    run: Run
    rows: tuple[Row, ...]
    traffic: Traffic
    pace: Pace
    standstill: str = ""  # why nothing moves, "" while it does
    queued_before: int = 0  # runs that stand before this one in the queue
    last_trouble: str = ""  # what the endpoint's newest failure was, if it has failed lately
    answered_since: bool = False  # whether an answer came after that failure
    total: Tally = field(default_factory=lambda: Tally(0))
    malformed: int = 0

    @property
    def done(self) -> int:
        return self.total.scored + self.total.unscored

    @property
    def share(self) -> float:
        return self.done / self.total.n if self.total.n else 0.0


def of(run: Run, scoring: Scoring | None = None) -> Progress:
    """The whole picture of one run, for its page; as another scoring than the current sees it."""
    now = timezone.now()
    rows = category_rows(run, scoring)
    n = sum(row.tally.n for row in rows) if scoring else run.n
    total = _sum(n, [row.tally for row in rows])
    passed = traffic([run]).get(run.pk, Traffic())
    failed_at, last_trouble = _last_trouble(run, passed)
    return Progress(
        run=run,
        rows=rows,
        traffic=passed,
        pace=pace(run, total, passed, now),
        standstill=standstill(run, passed, now, held_runs(now) if run.is_active else frozenset()),
        queued_before=queued_before(run) if run.state == Run.State.QUEUED else 0,
        last_trouble=last_trouble,
        answered_since=bool(failed_at and passed.last and passed.last > failed_at),
        total=total,
        malformed=sum(row.malformed for row in rows),
    )


def brief(runs: Iterable[Run]) -> dict[int, Progress]:
    """The same in short, without categories, for a list of runs: three queries in all."""
    runs, now = list(runs), timezone.now()
    tallies = _tallies(runs)
    passed = traffic([run for run in runs if run.is_active])
    held = held_runs(now)

    def one(run: Run) -> Progress:
        seen, total = passed.get(run.pk, Traffic()), tallies[run.pk]
        return Progress(
            run=run,
            rows=(),
            traffic=seen,
            pace=pace(run, total, seen, now),
            standstill=standstill(run, seen, now, held),
            total=total,
        )

    return {run.pk: one(run) for run in runs}


def category_rows(run: Run, scoring: Scoring | None = None) -> tuple[Row, ...]:
    """The run's categories in their order, each with the counts its verdicts give by now.

    Without a scoring, as the current one has it. Categories in which nothing counts are left out.
    """
    judged = Q(scoring=scoring) if scoring else Q(scoring__run=run, scoring__is_current=True)
    counted: dict[int, dict[str, int]] = {}
    for found in (
        Verdict.objects.filter(judged)
        .values("case__category", "outcome")
        .annotate(cases=Count("pk"), unreadable=Count("pk", filter=Q(fault__in=UNREADABLE)))
        .order_by()
    ):
        row = counted.setdefault(found["case__category"], {})
        row[found["outcome"]] = found["cases"]
        row["malformed"] = row.get("malformed", 0) + found["unreadable"]
    sizes = dict(CategoryScore.objects.filter(judged).values_list("category", "n"))
    return tuple(
        _row(category, sizes.get(category.pk, category.n), counted.get(category.pk, {}))
        for category in run.categories.order_by("position", "pk")
        if sizes.get(category.pk) != 0
    )


def traffic(runs: list[Run]) -> dict[int, Traffic]:
    """What each run's replies add up to, by the run's primary key."""
    if not runs:
        return {}
    within = Q(sent_at__gte=timezone.now() - WINDOW)
    recent = within & Q(accepted=True)
    found = (
        Reply.objects.filter(run__in=runs)
        .values("run")
        .annotate(
            sent=Count("pk"),
            retries=Count("pk", filter=Q(attempt__gt=1)),
            troubles=Count("pk", filter=within & ~Q(trouble="")),
            answered=Count("pk", filter=Q(accepted=True)),
            reported=Count("pk", filter=Q(accepted=True, tokens_in__isnull=False)),
            recent=Count("case", distinct=True, filter=recent),
            first_recent=Min("sent_at", filter=recent),
            last=Max("sent_at"),
            sum_in=Sum("tokens_in"),
            sum_out=Sum("tokens_out"),
            median=Percentile("latency", 0.5, filter=TIMED),
            p95=Percentile("latency", 0.95, filter=TIMED),
        )
        .order_by()
    )
    return {row["run"]: _traffic(cast(dict[str, Any], row)) for row in found}


def pace(run: Run, total: Tally, passed: Traffic, now: datetime) -> Pace:
    """The rate over the last minutes, and the time the rest takes at that rate."""
    if run.state != Run.State.RUNNING or passed.first_recent is None:
        return Pace()
    seconds = (now - passed.first_recent).total_seconds()
    if seconds < 1 or passed.recent < 2:
        return Pace()
    rate = passed.recent / seconds
    left = total.n - total.scored - total.unscored
    minutes = round(seconds / 60)
    span = f"{minutes} minutes" if minutes > 1 else "minute"
    basis = f"{passed.recent:,} cases answered in the last {span}"
    return Pace(rate=rate, seconds_left=left / rate, basis=basis)


def standstill(run: Run, passed: Traffic, now: datetime, held: frozenset[int]) -> str:
    """Why nobody works on a run that could be worked on; "" while somebody does.

    `held` are the runs of which a worker holds a slice now. Uploads have none: they are judged
    a stretch at a time.
    """
    if run.endpoint_id is None:
        return ""
    if run.state not in (Run.State.QUEUED, Run.State.RUNNING) or run.pk in held:
        return ""
    if now - max(filter(None, (run.created_at, run.started_at, passed.last))) < PATIENCE:
        return ""
    if run.is_local:
        return (
            "The command that drives this run is not running any more. Cancel the run, "
            "and start a new one with the same command."
        )
    if held:
        return "It waits for its turn: workers are busy with other runs."
    return (
        "No worker: nobody has taken work for this run in the last 30 seconds. It keeps its "
        "place and goes on by itself as soon as a worker runs; nothing is lost or charged."
    )


def held_runs(now: datetime) -> frozenset[int]:
    """Runs of which a worker holds a slice; there are never more than workers."""
    leased = Slice.objects.filter(state=Slice.State.LEASED, lease_until__gt=now)
    return frozenset(leased.values_list("run_id", flat=True).order_by().distinct())


def queued_before(run: Run) -> int:
    """How many runs stand before this one in the queue."""
    queued = Run.objects.filter(state=Run.State.QUEUED, is_local=False)
    return queued.filter(created_at__lt=run.created_at).count()


def _last_trouble(run: Run, passed: Traffic) -> tuple[datetime | None, str]:
    """When an active run's newest request failed, and why; nothing if none has lately."""
    if not (run.is_active and passed.troubles and run.endpoint_id):
        return None, ""
    failed = run.replies.exclude(trouble="").order_by("-sent_at", "-pk")
    return failed.values_list("sent_at", "explanation").first() or (None, "")


def _row(category: Category, n: int, counted: dict[str, int]) -> Row:
    tally = Tally(
        n=n,
        correct=counted.get(Verdict.Outcome.CORRECT, 0),
        wrong=counted.get(Verdict.Outcome.WRONG, 0),
        unscored=counted.get(Verdict.Outcome.UNSCORED, 0),
    )
    return Row(category, tally, counted.get("malformed", 0))


def _tallies(runs: list[Run]) -> dict[int, Tally]:
    counted: dict[int, dict[str, int]] = {run.pk: {} for run in runs}
    found = (
        Verdict.objects.filter(scoring__run__in=runs, scoring__is_current=True)
        .exclude(outcome=Verdict.Outcome.EXCLUDED)
        .values_list(F("scoring__run"), "outcome")
        .annotate(Count("pk"))
        .order_by()
    )
    for run, outcome, cases in found:
        counted[run][outcome] = cases
    return {run.pk: Tally(n=run.n, **counted[run.pk]) for run in runs}


def _sum(n: int, tallies: list[Tally]) -> Tally:
    return Tally(
        n=n,
        correct=sum(tally.correct for tally in tallies),
        wrong=sum(tally.wrong for tally in tallies),
        unscored=sum(tally.unscored for tally in tallies),
    )


def _traffic(row: dict[str, Any]) -> Traffic:
    names = (
        "sent",
        "retries",
        "troubles",
        "answered",
        "reported",
        "recent",
        "first_recent",
        "last",
        "median",
        "p95",
    )
    return Traffic(
        **{name: row[name] for name in names},
        tokens_in=row["sum_in"] or 0,
        tokens_out=row["sum_out"] or 0,
    )
