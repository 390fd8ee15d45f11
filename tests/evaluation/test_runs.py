"""A run from its schedule to its end, with a well-behaved endpoint."""

from __future__ import annotations

import hashlib
import json

from evaluation.models import CategoryScore, Reply, Run, RunEvent
from evaluation.runner.process import WorkerProcess
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, completion, error

State = Run.State


def test_a_run_ends_finished_with_every_case_judged_once(worker: WorkerProcess) -> None:
    with FakeEndpoint(completion("I am done.")) as endpoint:
        run = runs.scheduled(endpoint.base_url)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.FINISHED
    assert len(endpoint.requests) == 5
    assert runs.outcomes(run) == {
        "simple_python_0": "wrong",
        "simple_python_1": "wrong",
        "simple_python_2": "wrong",
        "irrelevance_0": "correct",
        "irrelevance_1": "correct",
    }


def test_the_scores_of_a_finished_run_are_the_counts_of_its_verdicts(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(completion("I am done.")) as endpoint:
        run = runs.scheduled(endpoint.base_url)

        runs.work_through(run, worker, endpoint)

    scores = CategoryScore.objects.filter(scoring__run=run).order_by("category__position")
    assert [
        (score.category.name, score.n, score.correct, score.wrong, score.accuracy)
        for score in scores
    ] == [("simple_python", 3, 0, 3, 0.0), ("irrelevance", 2, 2, 0, 1.0)]


def test_replies_are_kept_as_received_and_counted(worker: WorkerProcess) -> None:
    import zlib

    reply = completion("I am done.")
    with FakeEndpoint(reply) as endpoint:
        run = runs.scheduled(endpoint.base_url)

        runs.work_through(run, worker, endpoint)

    stored = Reply.objects.filter(run=run)
    assert {zlib.decompress(bytes(row.body)) for row in stored} == {reply.body}
    assert all(row.accepted and row.attempt == 1 for row in stored)
    assert {row.request_sha256 for row in stored} == {
        hashlib.sha256(request.body).hexdigest() for request in endpoint.requests
    }
    assert (run.requests_sent, run.accepted_replies, run.retries) == (5, 5, 0)


def test_no_text_of_an_endpoint_can_break_the_database(worker: WorkerProcess) -> None:
    hostile = "\0 \ud800 %s {} '; DROP TABLE"
    reply = completion(hostile, calls={hostile: hostile}, finish_reason=hostile)
    with FakeEndpoint(error(418, hostile), reply) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 3}, in_flight=1)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.INCOMPLETE
    assert sorted(runs.outcomes(run).values()) == ["unscored", "wrong", "wrong"]


def test_every_step_of_a_run_leaves_an_event(worker: WorkerProcess) -> None:
    with FakeEndpoint(completion("I am done.")) as endpoint:
        run = runs.scheduled(endpoint.base_url)

        runs.work_through(run, worker, endpoint)

    events = RunEvent.objects.filter(run=run).values_list("from_state", "to_state")
    assert list(events) == [("", "queued"), ("queued", "running"), ("running", "finished")]


def test_no_more_requests_are_in_flight_than_the_endpoint_wants(worker: WorkerProcess) -> None:
    with FakeEndpoint(completion("I am done.")) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 20}, in_flight=3)

        runs.work_through(run, worker, endpoint)

    assert endpoint.most_in_flight <= 3


def test_the_frozen_configuration_is_hashed_and_names_everything_that_matters(
    transactional_db: None,
) -> None:
    run = runs.scheduled("http://127.0.0.1:9/v1", parameters={"top_p": 0.5})

    frozen = json.loads(run.configuration)
    assert run.configuration_sha256 == hashlib.sha256(run.configuration.encode()).hexdigest()
    assert frozen["categories"] == ["simple_python", "irrelevance"]
    assert frozen["parameters"] == {"top_p": 0.5}
    assert {"benchmark_digest", "scorer_version", "mode", "underscore", "timeout"} <= set(frozen)


def test_slices_hold_at_most_four_cases_per_request_in_flight(transactional_db: None) -> None:
    run = runs.scheduled("http://127.0.0.1:9/v1", {"simple_python": 21}, in_flight=2)

    assert [len(one.cases) for one in runs.slices(run)] == [8, 8, 5]


def test_every_beginning_of_a_run_holds_a_fair_share_of_each_category(
    transactional_db: None,
) -> None:
    from evaluation.models import Case

    run = runs.scheduled(
        "http://127.0.0.1:9/v1", {"simple_python": 40, "irrelevance": 10}, in_flight=5
    )

    names = dict(Case.objects.values_list("pk", "category__name"))
    counts = [[names[pk] for pk in one.cases].count("irrelevance") for one in runs.slices(run)[:2]]
    assert counts == [4, 4]
