"""Judging a run's stored replies again: nobody is asked, and old scorings stay citable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluation import tasks
from evaluation.benchmarks import suite as find_suite
from evaluation.models import Case, CategoryScore, Reply, Run, Scoring, Verdict
from evaluation.runner import rejudging
from evaluation.runner.rejudging import Bench, Chunk
from evaluation.runner.stretches import excluded
from evaluation.services import cores, scheduling

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
    out = _excluded(scoring)
    CategoryScore.objects.bulk_create(
        CategoryScore(scoring=scoring, category_id=category, n=n, correct=0, wrong=0, unscored=0)
        for category, n in _sizes(before, out).items()
    )
    settled = Verdict.objects.filter(scoring__run=scoring.run_id).exclude(case__in=out)
    Verdict.objects.bulk_create(
        Verdict(
            scoring=scoring,
            case_id=row.case_id,
            outcome=Verdict.Outcome.UNSCORED,
            message=row.message,
            attempts=row.attempts,
        )
        for row in _without_answer(settled, before)
    )
    due = settled.values("case").distinct().count()
    Scoring.objects.filter(pk=scoring.pk).update(due=due)
    scoring.refresh_from_db()


def _excluded(scoring: Scoring) -> set[int]:
    """Cases of the run's categories that errata take out of n in this scoring."""
    categories = scoring.run.categories.values_list("pk", flat=True)
    return excluded(list(categories), scoring)


def _sizes(before: Scoring, out: set[int]) -> dict[int, int]:
    """What every category counts without these cases; some were out before, of those asked."""
    back = _excluded(before)
    asked = _asked(before.run)
    if asked is not None:
        out, back = out & asked, back & asked
    sizes = Counter(dict(before.category_scores.values_list("category_id", "n")))
    moved = Case.objects.filter(pk__in=out ^ back).values_list("pk", "category_id")
    for pk, category in moved:
        sizes[category] += 1 if pk in back else -1
    return sizes


def _asked(run: Run) -> set[int] | None:
    """The cases a run asks, where it does not ask whole categories."""
    slices = list(run.slices.values_list("cases", flat=True))
    return {pk for cases in slices for pk in cases} if slices else None


def _without_answer(settled: QuerySet[Verdict], before: Scoring) -> Iterator[Verdict]:
    """Of what was settled, that which has nothing to judge: unscored, or never answered."""
    answered = Exists(Reply.objects.filter(run=before.run, case=OuterRef("case"), accepted=True))
    unscored = Q(scoring=before, outcome=Verdict.Outcome.UNSCORED)
    unanswered = Q(outcome=Verdict.Outcome.EXCLUDED) & ~answered
    rows = settled.filter(unscored | unanswered).order_by("case_id", "-pk")
    yield from rows.distinct("case_id")


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
    """Sandboxed verdicts, decoding and database writes then overlap."""
    done = 0
    shares = [
        [(chunk.category_id, chunk.number, chunk.scoring_id) for chunk in share]
        for share in _shares(chunks, jobs)
    ]
    for finished in cores.each(cores.judge, shares):
        done += finished
        say(done, len(chunks))


def _shares(chunks: Collection[Chunk], jobs: int) -> list[list[Chunk]]:
    """Chunks of the same cases stay together; shares of about the same work."""
    boxes: dict[tuple[int, int], list[Chunk]] = {}
    for chunk in sorted(chunks):
        boxes.setdefault((chunk.category_id, chunk.number), []).append(chunk)
    shares: list[list[Chunk]] = [[] for _ in range(jobs)]
    for number, box in enumerate(boxes.values()):  # neighbours cost about the same
        shares[number % jobs].extend(box)
    return [share for share in shares if share]


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
