"""Judging a run's stored replies again: nobody is asked, and old scorings stay citable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from multiprocessing import get_context

from django.db import connections, transaction

from evaluation import tasks
from evaluation.benchmarks import suite as find_suite
from evaluation.models import CategoryScore, Run, Scoring, Verdict
from evaluation.runner import rejudging
from evaluation.runner.rejudging import Bench, Chunk
from evaluation.runner.stretches import corrections
from evaluation.services import scheduling

Say = Callable[[int, int], None]  # chunks judged, chunks in all


class CannotRescore(Exception):
    """This run's replies cannot be judged again now; the message says why."""


def rescore(run: Run, *, answers_version: int | None = None, profile: str = "") -> Scoring:
    """Judge a run's replies here and now under today's scorer; its current scoring then.

    Begun again after an interruption, it continues. The old scoring stays current until the new
    one is whole. Raises CannotRescore.
    """
    scoring = begin(run, answers_version=answers_version, profile=profile)
    judge_here([scoring])
    scoring.refresh_from_db()
    return scoring


def enqueue(run: Run, *, answers_version: int | None = None, profile: str = "") -> Scoring:
    """The same by the workers, in the background. Raises CannotRescore."""
    with transaction.atomic():
        scoring = begin(run, answers_version=answers_version, profile=profile)
        transaction.on_commit(tasks.hint_judging)
    return scoring


@transaction.atomic
def begin(run: Run, *, answers_version: int | None = None, profile: str = "") -> Scoring:
    """The scoring of these versions, opened if there is none; nothing is judged yet.

    Args:
        run: One that has ended.
        answers_version: Of the accepted answers; by default the newest of its benchmark.
        profile: Of the scorer; by default that of the current scoring.

    Raises:
        CannotRescore: The run has not ended, or holds nothing to judge.
    """
    Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    before = run.scorings.filter(is_current=True).first()
    benchmark = run.entry.benchmark
    if run.is_active or before is None or before.due is not None:
        raise CannotRescore(f"Run {run.pk} has not ended: it can be judged again afterwards.")
    scoring, is_new = Scoring.objects.get_or_create(
        run=run,
        scorer_version=find_suite(benchmark.suite).scorer_version,
        answers_version=answers_version or scheduling.answers_version(benchmark),
        profile=profile or before.profile,
        defaults={"is_current": False, "due": 0},
    )
    if is_new:
        _open(scoring, before)
    return scoring


def _open(scoring: Scoring, before: Scoring) -> None:
    """What needs no judging: sizes, and the cases that stay unscored."""
    excluded: set[int] = set()
    rows = []
    for row in before.category_scores.all():
        errata = corrections(row.category_id, scoring.answers_version)
        out = {case for case, (_, is_excluded) in errata.items() if is_excluded}
        excluded |= out
        back = corrections(row.category_id, before.answers_version)
        out_before = {case for case, (_, is_excluded) in back.items() if is_excluded}
        n = row.n - len(out - out_before)
        rows.append(
            CategoryScore(
                scoring=scoring, category_id=row.category_id, n=n, correct=0, wrong=0, unscored=0
            )
        )
    CategoryScore.objects.bulk_create(rows)
    kept = before.verdicts.exclude(case__in=excluded)
    Verdict.objects.bulk_create(
        Verdict(
            scoring=scoring,
            case_id=row.case_id,
            outcome=row.outcome,
            message=row.message,
            attempts=row.attempts,
        )
        for row in kept.filter(outcome=Verdict.Outcome.UNSCORED)
    )
    Scoring.objects.filter(pk=scoring.pk).update(due=kept.count())
    scoring.refresh_from_db()


def judge_here(
    scorings: Iterable[Scoring], *, jobs: int = 1, say: Say = lambda done, of: None
) -> None:
    """Judge what is left of some scorings, in this process or in several of this machine.

    Every process takes the same cases of every run, so that each case is prepared once.
    """
    scorings = list(scorings)
    chunks = [chunk for scoring in scorings for chunk in rejudging.chunks_left(scoring)]
    if jobs > 1 and len(chunks) > 1:
        _judge_in_processes(chunks, jobs, say)
    else:
        _judge_all(sorted(chunks), say)
    for scoring in scorings:
        rejudging.close_if_whole(scoring.pk)


def _judge_all(chunks: Collection[Chunk], say: Say) -> None:
    bench = Bench()
    try:
        for number, chunk in enumerate(chunks, start=1):
            bench.judge(chunk)
            say(number, len(chunks))
    finally:
        bench.close()


def _judge_in_processes(chunks: Collection[Chunk], jobs: int, say: Say) -> None:
    """Each process by itself: sandboxed verdicts and database writes then overlap."""
    connections.close_all()
    context = get_context("spawn")
    shares = _shares(chunks, jobs)
    with context.Pool(len(shares), initializer=_set_up) as pool:
        done = 0
        # A share is one process's whole work, cut small enough to tell how far it is.
        for finished in pool.imap_unordered(_judge_share, shares, chunksize=1):
            done += finished
            say(done, len(chunks))


def _shares(chunks: Collection[Chunk], jobs: int) -> list[list[Chunk]]:
    """Chunks of the same cases stay together; shares of about the same work."""
    boxes: dict[tuple[int, int], list[Chunk]] = {}
    for chunk in sorted(chunks):
        boxes.setdefault((chunk.category_id, chunk.number), []).append(chunk)
    shares: list[list[Chunk]] = [[] for _ in range(jobs)]
    for box in sorted(boxes.values(), key=len, reverse=True):
        min(shares, key=len).extend(box)
    return [share for share in shares if share]


def _set_up() -> None:
    import django

    django.setup()


def _judge_share(share: list[Chunk]) -> int:
    _judge_all(share, lambda done, of: None)
    return len(share)


def all_runs() -> Iterable[Run]:
    """Every ended run with something judged, oldest first."""
    return (
        Run.objects.terminal()
        .filter(scorings__is_current=True, scorings__due=None, scorings__verdicts__isnull=False)
        .select_related("entry__benchmark")
        .order_by("pk")
        .distinct()
    )


__all__ = ["CannotRescore", "all_runs", "begin", "enqueue", "judge_here", "rescore"]
