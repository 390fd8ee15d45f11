"""Stored replies are judged again without asking; old scorings stay."""

from __future__ import annotations

from evaluation.models import Case, Erratum, Scoring, Verdict
from evaluation.runner.process import WorkerProcess
from evaluation.services import scoring
from tests.evaluation import runs
from tests.fakes import FakeEndpoint


def test_a_corrected_answer_changes_the_verdict_and_keeps_the_old_scoring(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(script=runs.calls_first_tool) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 2})
        runs.work_through(run, worker, endpoint)
        asked = len(endpoint.requests)
        case = Case.objects.get(name="simple_python_0")
        Erratum.objects.create(
            case=case,
            answers_version=2,
            answer='[{"calculate_triangle_area": {"base": ["", 10], "height": ["", 5]}}]',
            reason="Both have defaults.",
        )

        again = scoring.rescore(run, answers_version=2)

    old, new = Scoring.objects.filter(run=run).order_by("pk")
    assert len(endpoint.requests) == asked
    assert (old.is_current, new.is_current, new) == (False, True, again)
    assert [row.outcome for row in old.verdicts.order_by("case")] == ["wrong", "wrong"]
    assert new.verdicts.count() == 2
    assert new.category_scores.get().n == 2


def test_judging_again_under_the_same_versions_changes_nothing(worker: WorkerProcess) -> None:
    with FakeEndpoint(script=runs.calls_first_tool) as endpoint:
        run = runs.scheduled(endpoint.base_url)
        runs.work_through(run, worker, endpoint)

    scoring.rescore(run)

    assert Scoring.objects.filter(run=run).count() == 1


def test_another_profile_gives_the_same_verdicts_from_the_same_replies(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(script=runs.calls_first_tool) as endpoint:
        run = runs.scheduled(endpoint.base_url)
        runs.work_through(run, worker, endpoint)
        before = runs.outcomes(run)

        again = scoring.rescore(run, profile="upstream")

    rows = Verdict.objects.filter(scoring=again).values_list("case__name", "outcome")
    assert dict(rows) == before
