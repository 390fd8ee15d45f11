"""Recorded real-world responses, each played to a whole run: its verdict and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.client import limits
from evaluation.models import Reply, Run, Scoring, Verdict
from evaluation.runner.process import WorkerProcess
from evaluation.services.benchmarks import as_rows
from tests import make
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, RecordedCase, recorded_case
from tests.suites import real_suite

CASES = (
    *("EP02", "EP03", "EP05", "EP06", "EP07", "EP08", "EP09", "EP12", "EP13", "EP17", "EP19"),
    *("EP21", "EP22", "EP23", "EP25", "EP29", "EP30", "EP32", "EP33", "EP34", "EP36", "EP37"),
    *("EP38", "EP40", "EP41", "EP42", "EP43", "EP45", "EP46"),
)
# What a run of this one case ends as. A single case cannot fail twenty times.
ENDS = {
    "continue": {"finished", "incomplete"},
    "abort_if_persistent": {"incomplete"},
    "pause_and_notify": {"paused"},
    "abort_early": {"failed"},
}
# A case without verdict is one that nobody counts: unscored, or not run when the run has stopped.
OUTCOMES: dict[str, set[str | None]] = {
    "wrong": {"wrong"},
    "unscored": {"unscored", None},
    "evaluate": {"correct", "wrong"},
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.001)


def scheduled(recorded: RecordedCase, base_url: str) -> Run:
    """A run of this case alone."""
    from evaluation.models import Case
    from evaluation.services import scheduling

    benchmark = make.benchmark({recorded.category: 0})
    row = benchmark.categories.get()
    cases = {case.id: case for case in real_suite().cases(recorded.category)}
    Case.objects.bulk_create(as_rows(row, [cases[recorded.case]]))
    endpoint = make.endpoint(base_url=base_url, timeout=2, in_flight=1)
    return scheduling.schedule(endpoint, benchmark=benchmark)


@pytest.mark.parametrize("name", CASES)
def test_a_recorded_response_gets_the_verdict_and_the_run_the_end_it_deserves(
    corpora: Path, worker: WorkerProcess, name: str
) -> None:
    recorded = recorded_case(corpora, name)
    with FakeEndpoint(*recorded.responses) as endpoint:
        run = scheduled(recorded, endpoint.base_url)

        runs.work_through(run, worker, endpoint)

    expected = recorded.expected
    verdict = Verdict.objects.filter(scoring__run=run).first()
    assert run.state in ENDS[expected["run_effect"]], run.reason
    assert (verdict.outcome if verdict else None) in OUTCOMES[expected["case_outcome"]]
    if expected["required_valid"] is not None:
        assert verdict is not None
        assert (verdict.outcome == "correct") is expected["required_valid"]
    if expected["retry"] == "no" and not recorded.category.startswith("multi_turn"):
        assert Reply.objects.filter(run=run).count() == 1


def test_scores_saved_again_after_a_lost_worker_are_the_same_row(worker: WorkerProcess) -> None:
    from evaluation.runner import scores
    from tests.fakes import completion

    with FakeEndpoint(completion("I am done.")) as endpoint:
        run = runs.scheduled(endpoint.base_url)
        runs.work_through(run, worker, endpoint)
    scoring = Scoring.objects.get(run=run)
    before = list(scoring.category_scores.values_list("pk", "correct", "accuracy").order_by("pk"))

    scores.refresh_scores(scoring.pk)

    after = list(scoring.category_scores.values_list("pk", "correct", "accuracy").order_by("pk"))
    assert after == before
