"""Judging a run's stored replies again: nobody is asked, and old scorings stay citable."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from evaluation.benchmarks import suite as find_suite
from evaluation.benchmarks.suite import Suite
from evaluation.engine.types import JSON, Judgement
from evaluation.models import CategoryScore, Run, Scoring, Slice, Verdict
from evaluation.runner import configuration, judging, reading, recalling, scores
from evaluation.runner.asking import NoCompletion
from evaluation.runner.configuration import Configuration
from evaluation.runner.reading import CaseWork
from evaluation.runner.recalling import NothingStored
from evaluation.sandbox.blocking import Sandbox
from evaluation.services import publishing

BATCH = 500  # cases judged and stored at a time


def rescore(run: Run, *, answers_version: int = 1, profile: str = "default") -> Scoring:
    """Judge a run's replies under today's scorer and the given answers; then show that scoring.

    Begun again after an interruption, it continues: a case is judged once per scoring. The old
    scoring stays current until the new one is whole.
    """
    frozen = configuration.read(run.configuration)
    how = replace(frozen, setup=replace(frozen.setup, profile=profile))
    suite = find_suite(how.suite)
    before = Scoring.objects.get(run=run, is_current=True)
    scoring, _ = Scoring.objects.get_or_create(
        run=run,
        scorer_version=suite.scorer_version,
        answers_version=answers_version,
        profile=profile,
        defaults={"is_current": False},
    )
    if scoring != before:
        _copy_sizes(before, scoring)
        with Sandbox() as sandbox:
            judge = _Judge(suite, how, scoring, before, sandbox)
            for start in range(0, len(pks := _left(run, scoring)), BATCH):
                judge.judge_cases(run, pks[start : start + BATCH])
        _make_current(run, before, scoring)
    return scoring


def _copy_sizes(before: Scoring, scoring: Scoring) -> None:
    CategoryScore.objects.bulk_create(
        [
            CategoryScore(
                scoring=scoring,
                category_id=row.category_id,
                n=row.n,
                correct=0,
                wrong=0,
                unscored=0,
            )
            for row in before.category_scores.all()
        ],
        ignore_conflicts=True,
    )


def _left(run: Run, scoring: Scoring) -> list[int]:
    slices = Slice.objects.filter(run=run).values_list("cases", flat=True)
    asked = [pk for cases in slices for pk in cases]
    done = set(scoring.verdicts.values_list("case_id", flat=True))
    return [pk for pk in dict.fromkeys(asked) if pk not in done]


@transaction.atomic
def _make_current(run: Run, before: Scoring, scoring: Scoring) -> None:
    scores.refresh_scores(scoring.pk)
    Scoring.objects.filter(pk=before.pk).update(is_current=False)
    Scoring.objects.filter(pk=scoring.pk).update(is_current=True)
    publishing.refold(run.entry_id)


class _Judge:
    """Verdicts of one scoring, from what is stored."""

    def __init__(
        self,
        suite: Suite,
        how: Configuration,
        scoring: Scoring,
        before: Scoring,
        sandbox: Sandbox,
    ) -> None:
        self._suite = suite
        self._how = how
        self._scoring = scoring
        self._before = before
        self._sandbox = sandbox
        leaves = (*suite.tree.leaves(), *suite.extras)
        self._sandboxed = frozenset(leaf.name for leaf in leaves if leaf.in_sandbox)

    def judge_cases(self, run: Run, pks: list[int]) -> None:
        works = reading.cases_of(run, pks, self._scoring.answers_version)
        judged = [work for work in works.values() if not work.is_prerequisite]
        rows = [row for work in judged if (row := self._verdict(work)) is not None]
        Verdict.objects.bulk_create(rows, ignore_conflicts=True)

    def _verdict(self, work: CaseWork) -> Verdict | None:
        """None where the case was not run; unscored stays unscored."""
        try:
            result, reason = recalling.result(self._suite, work, self._how)
        except NothingStored:
            old = self._before.verdicts.filter(case=work.pk).first()
            return judging.unscored(self._scoring.pk, work, old.message) if old else None
        except NoCompletion as end:
            judgement = self._judge(work, judging.official_error(end))
            return judging.without_completion(self._scoring.pk, work, judgement, end)
        return judging.verdict(self._scoring.pk, work, self._judge(work, result), reason)

    def _judge(self, work: CaseWork, result: JSON) -> Judgement:
        if work.data.category in self._sandboxed:
            return self._sandbox.judge(self._suite.slug, work.data, result, self._how.setup)
        return self._suite.judge(work.data, result, self._how.setup)
