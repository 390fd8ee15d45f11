"""Judging stored replies: uploads, and runs whose scorer or accepted answers have changed.

A scoring under way is judged chunk by chunk, each a stretch of one category. A chunk may be judged
twice, by two processes, or be lost: what it stores is stored once, and the scoring becomes the
run's current one in the transaction that finds it whole.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluation import freshness
from evaluation.benchmarks import suite as find_suite
from evaluation.engine.types import JSON, CaseData, Judgement, Setup
from evaluation.models import Case, Reply, Run, RunEvent, Scoring, Verdict
from evaluation.runner import judging, row_copies, scores, storing, transitions
from evaluation.runner.asking import NoCompletion
from evaluation.runner.reading import CaseWork
from evaluation.runner.rebuilding import Rebuilder, StoredCase, Unfinished
from evaluation.runner.stretches import Stretch, stretch
from evaluation.sandbox.blocking import Sandbox

SIZE = 400  # positions of a category that are judged at a time
STALLED_AFTER = timedelta(seconds=60)  # without progress: its chunks are hinted at again
AT_ONCE = 4  # scorings that workers are told of at a time, the oldest first

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, order=True)
class Chunk:
    """A stretch of one category in one scoring."""

    category_id: int
    number: int
    scoring_id: int

    @property
    def positions(self) -> range:
        return range(self.number * SIZE, (self.number + 1) * SIZE)


class Bench:
    """Judges chunks, and keeps between them what does not depend on the run."""

    def __init__(self, sandbox_size: int = 1) -> None:
        self._sandbox_size = sandbox_size
        self._sandbox: Sandbox | None = None
        self._resources = ExitStack()

    def close(self) -> None:
        self._resources.close()
        self._sandbox = None

    def judge(self, chunk: Chunk) -> None:
        """Judge what is left of a chunk; whoever judges the last one closes the scoring."""
        scoring = Scoring.objects.select_related("run__entry").filter(pk=chunk.scoring_id).first()
        if scoring is None or scoring.due is None:
            return
        here = stretch(
            chunk.category_id,
            scoring.answers_version,
            scoring.profile,
            chunk.positions,
            last_correction(chunk.category_id),
        )
        rows = self._verdicts(scoring, here)
        with transaction.atomic():  # the scoring's row last: another chunk's judge may want it too
            row_copies.store(rows)
            Scoring.objects.filter(pk=scoring.pk).update(hinted_at=timezone.now())

    def _verdicts(self, scoring: Scoring, here: Stretch) -> list[Verdict]:
        rebuilder = Rebuilder(scoring.run, scoring.profile)
        jobs = [
            _Job(stored, data, *_result(rebuilder, stored, data))
            for stored in rebuilder.stored(_left_of(scoring, here.cases), with_figures=False)
            if (data := here.cases[stored.case_id]) is not None
        ]
        whole = [job for job in jobs if not job.is_unfinished]
        judgements = self._judge(rebuilder, here.in_sandbox, whole)
        rows = map(partial(_row, scoring.pk), whole, judgements)
        return [*rows, *(_unreadable(scoring.pk, job) for job in jobs if job.is_unfinished)]

    def _judge(
        self, rebuilder: Rebuilder, in_sandbox: bool, jobs: Sequence[_Job]
    ) -> list[Judgement]:
        suite, setup = rebuilder.suite, rebuilder.setup
        if not in_sandbox:
            return [suite.judge(job.data, job.result, setup) for job in jobs]
        if self._sandbox is None:
            self._sandbox = self._resources.enter_context(Sandbox(self._sandbox_size))
        boxed: list[tuple[CaseData, JSON, Setup]] = [(job.data, job.result, setup) for job in jobs]
        return self._sandbox.judge_all(suite.slug, boxed)


@dataclass(frozen=True, slots=True)
class _Job:
    stored: StoredCase
    data: CaseData
    result: JSON
    end: NoCompletion | Unfinished | None

    @property
    def is_unfinished(self) -> bool:
        return isinstance(self.end, Unfinished)

    @property
    def work(self) -> CaseWork:
        return CaseWork(self.stored.case_id, self.data, sent=self.stored.sent)


def _result(
    rebuilder: Rebuilder, stored: StoredCase, data: CaseData
) -> tuple[JSON, NoCompletion | Unfinished | None]:
    try:
        return rebuilder.result(stored, data), None
    except NoCompletion as end:
        return judging.official_error(end), end
    except Unfinished as unfinished:
        return None, unfinished


def _row(scoring_id: int, job: _Job, judgement: Judgement) -> Verdict:
    if isinstance(job.end, NoCompletion):
        return judging.without_completion(scoring_id, job.work, judgement, job.end)
    return judging.verdict(scoring_id, job.work, judgement, job.stored.finish_reason)


def _unreadable(scoring_id: int, job: _Job) -> Verdict:
    return judging.unscored(
        scoring_id, job.work, f"What is stored of it cannot be judged any more: {job.end}"
    )


def last_correction(category_id: int) -> int:
    """Names the state of a category's corrections: cached cases may be out of date."""
    newest = Case.objects.filter(category=category_id, errata__isnull=False)
    return newest.order_by("-errata").values_list("errata", flat=True).first() or 0


def _left_of(scoring: Scoring, cases: Collection[int]) -> list[int]:
    """`_left`, of a few cases: two index scans, however much the tables hold and whatever the
    database's planner knows of them. Of an upload, cases without a reply are among them too.
    """
    verdicts = Verdict.objects.filter(case__in=cases).order_by()
    if scoring.is_current:
        judged = verdicts.filter(scoring=scoring).values_list("case_id", flat=True)
        return [*set(cases).difference(judged)]
    of_run = verdicts.filter(scoring__in=_scorings_of(scoring.run_id))
    judged_in: dict[bool, set[int]] = {True: set(), False: set()}
    for scoring_id, case_id in of_run.values_list("scoring_id", "case_id"):
        judged_in[scoring_id == scoring.pk].add(case_id)
    return [*judged_in[False] - judged_in[True]]


def _scorings_of(run_id: int) -> list[int]:
    return list(Scoring.objects.filter(run=run_id).order_by().values_list("pk", flat=True))


def chunks_left(scoring: Scoring) -> list[Chunk]:
    """Every chunk of a scoring under way that has a case left to judge."""
    places = _left(scoring).order_by().values_list("category_id", "position")
    found = {(category, position // SIZE) for category, position in places}
    return [Chunk(category, number, scoring.pk) for category, number in sorted(found)]


def _left(scoring: Scoring) -> QuerySet[Case]:
    """Cases still without a verdict: of an upload those it holds, else those settled before."""
    verdicts = Verdict.objects.filter(case=OuterRef("pk"))
    if scoring.is_current:
        due = Reply.objects.filter(run=scoring.run_id, case=OuterRef("pk"), accepted=True)
        settled = Exists(due)
    else:
        # In whichever scoring: one profile may exclude what another judges.
        settled = Exists(verdicts.filter(scoring__run=scoring.run_id))
    judged = Exists(verdicts.filter(scoring=scoring))
    return Case.objects.filter(settled, ~judged, category__runs=scoring.run_id)


def under_way() -> Q:
    return Q(due__isnull=False)


def claim_chunks() -> Iterator[Chunk]:
    """Chunks to hint at now: those of the oldest scorings in which nothing moves."""
    oldest = Scoring.objects.filter(under_way()).order_by("pk")[:AT_ONCE]
    now = timezone.now()
    for scoring in oldest:
        stalled = Q(hinted_at=None) | Q(hinted_at__lte=now - STALLED_AFTER)
        if Scoring.objects.filter(stalled, pk=scoring.pk).update(hinted_at=now):
            left = chunks_left(scoring)
            if not left and not close_if_whole(scoring.pk):
                log.error("Scoring %s has nothing left to judge and is not whole", scoring.pk)
            yield from left


def close_if_whole(scoring_id: int) -> bool:
    """Make a scoring the current one of its run once every verdict is there."""
    with transaction.atomic():
        run_id = Scoring.objects.values_list("run_id", flat=True).filter(pk=scoring_id).first()
        if run_id is None:
            return False
        run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
        scoring = Scoring.objects.select_for_update().get(pk=scoring_id)
        if scoring.due is None:
            return True
        if scoring.verdicts.count() < scoring.due:
            return False
        scores.refresh_scores(scoring.pk)
        scoring.due = None
        if not _is_beside(run, scoring):
            Scoring.objects.filter(run=run, is_current=True).exclude(pk=scoring.pk).update(
                is_current=False
            )
            scoring.is_current = True
        scoring.save(update_fields=["due", "is_current"])
        _tell(run, scoring)
    return True


def _is_beside(run: Run, scoring: Scoring) -> bool:
    """Whether it judges in a profile that is shown beside the usual one, never in its place."""
    return scoring.profile in find_suite(run.entry.benchmark.suite).profiles[1:]


def _tell(run: Run, scoring: Scoring) -> None:
    """An upload ends with its first judging; of any later one the run's log speaks."""
    if run.is_active:
        transitions.start(run)
        storing.end_run(run)
        return
    reason = (
        f"Judged again: scorer {scoring.scorer_version}, answers {scoring.answers_version}, "
        f"profile {scoring.profile}. Earlier verdicts are kept."
    )
    RunEvent.objects.create(run=run, from_state=run.state, to_state=run.state, reason=reason)
    freshness.announce()


def give_up(scoring_id: int, reason: str) -> None:
    """End a judging that our own mistake keeps from ending."""
    with transaction.atomic():
        scoring = Scoring.objects.select_related("run").filter(pk=scoring_id).first()
        if scoring is None or scoring.due is None:
            return
        if scoring.is_current:
            transitions.fail(scoring.run, reason, is_our_fault=True)
            Scoring.objects.filter(pk=scoring_id).update(due=None)
        else:
            scoring.delete()


_bench: Bench | None = None


def here() -> Bench:
    """This process's own."""
    global _bench  # noqa: PLW0603  one per process is the point
    if _bench is None:
        _bench = Bench()
    return _bench


def leave() -> None:
    """Close this process's own, if it has one."""
    global _bench  # noqa: PLW0603
    if _bench is not None:
        _bench.close()
    _bench = None
