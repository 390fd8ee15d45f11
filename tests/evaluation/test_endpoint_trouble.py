"""What a run makes of an endpoint that misbehaves: retried, unscored, paused, failed."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from typing import Any, Self

import pytest
from django.utils import timezone

from evaluation.client import endpoint as client_of_endpoints
from evaluation.client import limits
from evaluation.models import CategoryScore, Reply, Run, Slice, Verdict
from evaluation.runner import queueing, reading
from evaluation.runner import transitions as moves
from evaluation.runner.process import Terms, WorkerProcess
from evaluation.services import publishing, transitions
from tests import make
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, Request, Scripted, completion, error

State = Run.State
DONE = completion("I am done.")
OVERFLOW = error(400, "This model's maximum context length is 16384 tokens.")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-off shortened, its rule kept."""
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.001)


def failing_first(times: int, trouble: Scripted) -> Callable[[Request], Scripted]:
    """An endpoint that fails the first requests, then answers."""
    asked = 0

    def script(request: Request) -> Scripted:
        nonlocal asked
        asked += 1
        return trouble if asked <= times else DONE

    return script


def test_a_passing_failure_is_asked_again_and_counts_as_a_retry(worker: WorkerProcess) -> None:
    with FakeEndpoint(script=failing_first(2, error(503))) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})

        runs.work_through(run, worker, endpoint)

    assert run.state == State.FINISHED
    replies = Reply.objects.filter(run=run).order_by("attempt")
    assert list(replies.values_list("attempt", "status", "accepted")) == [
        (1, 503, False),
        (2, 503, False),
        (3, 200, True),
    ]
    assert (run.retries, Verdict.objects.get().attempts) == (2, 3)


def test_five_failed_attempts_leave_a_case_unscored_and_the_run_incomplete(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(error(503)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})

        runs.work_through(run, worker, endpoint)

    assert len(endpoint.requests) == 5
    assert runs.outcomes(run) == {"irrelevance_0": "unscored"}
    assert run.state == State.INCOMPLETE
    assert "1 of 1 cases could not be scored" in run.reason
    assert CategoryScore.objects.get(scoring__run=run).accuracy is None


def test_twenty_failures_in_a_row_pause_the_run_and_leave_cases_not_run(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(error(503)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 40}, in_flight=10)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.PAUSED
    assert "20 requests in a row failed" in run.reason
    assert len(endpoint.requests) <= 30
    assert runs.outcomes(run) == {}
    assert run.next_probe_at is not None


def test_a_dead_endpoint_has_no_figure(worker: WorkerProcess) -> None:
    run = runs.scheduled("http://127.0.0.1:9/v1", {"irrelevance": 30}, in_flight=10)

    worker.work(runs.slices(run)[0].pk, Terms(also_allowed=frozenset({"127.0.0.1:9"})))

    run.refresh_from_db()
    assert run.state == State.PAUSED
    assert "No connection to the endpoint" in run.reason
    assert CategoryScore.objects.get(scoring__run=run).accuracy is None


def probes(run: Run) -> list[int]:
    """What a sweep a minute later gives."""
    Run.objects.filter(pk=run.pk).update(next_probe_at=timezone.now() - timedelta(seconds=1))
    return queueing.claim_probes()


def test_a_paused_run_goes_on_when_a_probe_is_answered(worker: WorkerProcess) -> None:
    with FakeEndpoint(script=failing_first(20, error(503))) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 30}, in_flight=1)
        runs.work_through(run, worker, endpoint)
        assert run.state == State.PAUSED
        already = len(runs.outcomes(run))

        for hint in probes(run):
            worker.work(hint, runs.terms(endpoint))
        runs.work_through(run, worker, endpoint)

    assert run.state == State.INCOMPLETE
    assert 0 < already <= 4
    assert list(runs.outcomes(run).values()).count("correct") == 30 - already


def test_an_unanswered_probe_costs_one_request_and_leaves_the_run_paused(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(error(503)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 30}, in_flight=10)
        runs.work_through(run, worker, endpoint)
        before = len(endpoint.requests)

        for hint in probes(run):
            worker.work(hint, runs.terms(endpoint))

    run.refresh_from_db()
    assert len(endpoint.requests) == before + 1
    assert run.state == State.PAUSED
    assert run.next_probe_at is not None
    assert run.next_probe_at > timezone.now()


def test_a_stray_message_is_no_probe(worker: WorkerProcess) -> None:
    with FakeEndpoint(error(503)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 30}, in_flight=10)
        runs.work_through(run, worker, endpoint)
        before = len(endpoint.requests)
        probe = probes(run)[0]

        for _ in range(3):
            worker.work(probe, runs.terms(endpoint))

    assert len(endpoint.requests) == before + 1


def test_a_pause_of_a_day_ends_the_run_incomplete(worker: WorkerProcess) -> None:
    with FakeEndpoint(error(503)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 30}, in_flight=10)
        runs.work_through(run, worker, endpoint)
        Run.objects.filter(pk=run.pk).update(paused_at=timezone.now() - timedelta(hours=25))

        queueing.sweep()

    run.refresh_from_db()
    assert run.state == State.INCOMPLETE
    assert "30 of 30 cases were not asked" in run.reason


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        pytest.param(error(401), "key", id="wrong-key"),
        pytest.param(error(404), "base URL", id="wrong-address"),
        pytest.param(
            Scripted(404, {"content-type": "text/html"}, b"<html>404</html>"),
            "base URL",
            id="web-page",
        ),
        pytest.param(error(400, "model_not_found: m"), "model name", id="wrong-model"),
        pytest.param(error(400, "Unsupported parameter: 'temperature'"), "unset", id="setting"),
    ],
)
def test_a_wrong_setting_stops_the_run_early_and_says_what_to_change(
    worker: WorkerProcess, trouble: Scripted, says: str
) -> None:
    with FakeEndpoint(trouble) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 40}, in_flight=2)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.FAILED
    assert says in run.reason
    assert len(endpoint.requests) <= 2
    assert runs.outcomes(run) == {}


def test_a_lock_out_after_an_answer_pauses_the_run(worker: WorkerProcess) -> None:
    def script(request: Request) -> Scripted:
        return DONE if len(endpoint.requests) <= 3 else error(401)

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 20}, in_flight=1)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.PAUSED
    assert len(runs.outcomes(run)) == 3


def test_a_probe_that_is_turned_away_leaves_a_locked_out_run_paused(
    worker: WorkerProcess,
) -> None:
    def script(request: Request) -> Scripted:
        return DONE if len(endpoint.requests) <= 3 else error(401)

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 20}, in_flight=1)
        runs.work_through(run, worker, endpoint)

        for hint in probes(run):
            worker.work(hint, runs.terms(endpoint))

    run.refresh_from_db()
    assert len(endpoint.requests) == 5
    assert run.state == State.PAUSED


def test_being_turned_away_while_others_are_answered_pauses_the_run(
    worker: WorkerProcess,
) -> None:
    def script(request: Request) -> Scripted:
        return Scripted(403, delay=0.3) if len(endpoint.requests) == 1 else DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 4}, in_flight=4)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.PAUSED


def test_a_probe_asks_past_cases_whose_replies_are_all_there(worker: WorkerProcess) -> None:
    with FakeEndpoint(script=failing_first(20, error(503))) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 10}, in_flight=10)
        runs.work_through(run, worker, endpoint)
        assert run.state == State.PAUSED
        reply = Reply.objects.filter(run=run, case__position=0).latest("attempt")
        reply.pk, reply.attempt, reply.trouble = None, reply.attempt + 1, ""
        reply.accepted, reply.body = True, zlib.compress(DONE.body)
        reply.save()

        for hint in probes(run):
            worker.work(hint, runs.terms(endpoint))

    run.refresh_from_db()
    assert run.state == State.FINISHED


def test_a_question_that_is_always_rejected_keeps_no_run_paused(worker: WorkerProcess) -> None:
    def script(request: Request) -> Scripted:
        first = endpoint.requests[0].body
        if len(endpoint.requests) == 1:
            return error(402)
        return error(422, "Not this one.") if request.body == first else DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 3}, in_flight=1)
        runs.work_through(run, worker, endpoint)
        assert run.state == State.PAUSED

        for hint in probes(run):
            worker.work(hint, runs.terms(endpoint))

    run.refresh_from_db()
    assert run.state == State.INCOMPLETE
    assert list(runs.outcomes(run).values()).count("correct") == 2


def test_attempts_before_a_pause_do_not_count_after_the_probe(worker: WorkerProcess) -> None:
    busy, spent = error(503), error(402)
    with FakeEndpoint(*[busy] * 6, spent, DONE, busy, busy, DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 2}, in_flight=1)
        runs.work_through(run, worker, endpoint)
        assert run.state == State.PAUSED

        for hint in probes(run):
            worker.work(hint, runs.terms(endpoint))

    run.refresh_from_db()
    assert run.state == State.FINISHED


def test_an_exhausted_quota_pauses_at_once_and_keeps_what_is_done(worker: WorkerProcess) -> None:
    def script(request: Request) -> Scripted:
        return DONE if len(endpoint.requests) <= 3 else error(429, "insufficient_quota")

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 20}, in_flight=1)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.PAUSED
    assert len(endpoint.requests) == 4
    assert len(runs.outcomes(run)) == 3


def test_a_question_too_long_for_the_model_is_wrong_and_not_asked_again(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(OVERFLOW) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 2})

        runs.work_through(run, worker, endpoint)

    assert run.state == State.FINISHED
    assert len(endpoint.requests) == 2
    verdict = Verdict.objects.filter(scoring__run=run)[0]
    assert (verdict.outcome, verdict.fault) == ("wrong", "context_overflow")
    assert verdict.error_type == "ast_decoder:decoder_failed"


def test_a_server_that_breaks_over_its_context_is_asked_again(worker: WorkerProcess) -> None:
    """Servers say so, too, when what other requests hold of their memory leaves no room."""
    trouble = error(500, "Context size has been exceeded.")
    with FakeEndpoint(script=failing_first(2, trouble)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})

        runs.work_through(run, worker, endpoint)

    assert len(endpoint.requests) == 3
    assert set(runs.outcomes(run).values()) == {"correct"}


def test_an_incomplete_run_says_what_the_last_failure_was(worker: WorkerProcess) -> None:
    with FakeEndpoint(error(503, "No GPU left today.")) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})

        runs.work_through(run, worker, endpoint)

    assert run.state == State.INCOMPLETE
    assert "No GPU left today." in run.reason


def test_where_no_call_is_due_a_question_without_completion_earns_nothing(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(OVERFLOW) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})

        runs.work_through(run, worker, endpoint)

    assert runs.outcomes(run) == {"irrelevance_0": "unscored"}


def test_a_long_wait_is_spent_in_the_queue(worker: WorkerProcess) -> None:
    with FakeEndpoint(error(429, headers={"retry-after": "90"})) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 4}, in_flight=1)

        runs.work_through(run, worker, endpoint)

    row = Slice.objects.get(run=run)
    assert run.state == State.RUNNING
    assert row.state == Slice.State.WAITING
    assert row.not_before is not None
    assert row.not_before > timezone.now() + timedelta(seconds=60)


def test_a_wait_that_one_slice_is_told_holds_for_the_whole_run(worker: WorkerProcess) -> None:
    with FakeEndpoint(error(429, headers={"retry-after": "90"})) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 12}, in_flight=1)

        runs.work_through(run, worker, endpoint)

    assert run.slices.count() == 3
    assert len(endpoint.requests) == 1


def test_only_unscored_cases_are_asked_again(worker: WorkerProcess) -> None:
    broken: dict[str, Any] = {"is": True}

    def script(request: Request) -> Scripted:
        is_second = b"hypotenuse" in request.body or b"triangle" in request.body
        return error(503) if broken["is"] and is_second else DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 6}, in_flight=1)
        runs.work_through(run, worker, endpoint)
        unscored = [name for name, value in runs.outcomes(run).items() if value == "unscored"]
        before = len(endpoint.requests)
        broken["is"] = False

        was_reopened = transitions.ask_again(run)
        runs.work_through(run, worker, endpoint)

    assert unscored
    assert was_reopened
    assert run.state == State.FINISHED
    assert len(endpoint.requests) == before + len(unscored)
    assert Verdict.objects.filter(scoring__run=run).count() == 6
    assert max(Reply.objects.filter(run=run).values_list("attempt", flat=True)) == 6


def test_cancelling_a_run_that_was_opened_again_takes_nothing_from_it(
    worker: WorkerProcess,
) -> None:
    def script(request: Request) -> Scripted:
        return error(503) if request.body == endpoint.requests[0].body else DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 3}, in_flight=1)
        runs.work_through(run, worker, endpoint)
        transitions.ask_again(run)

        was_cancelled = transitions.cancel(run, "Cancelled on request.")

    assert was_cancelled
    assert run.state == State.INCOMPLETE
    assert run.reason.startswith("Cancelled on request.")
    assert sorted(runs.outcomes(run).values()) == ["correct", "correct"]
    publishing.publish(run)
    assert Run.objects.get(pk=run.pk).published_at is not None


def test_replies_are_dated_by_the_databases_clock_whatever_the_workers_says(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(datetime):
        @classmethod
        def now(cls, zone: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(time.time() - 3600, zone)

    for module in (client_of_endpoints, reading):
        monkeypatch.setattr(module, "datetime", Slow)
    with FakeEndpoint(DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})

        runs.work_through(run, worker, endpoint)

    assert abs(Reply.objects.get().sent_at - timezone.now()) < timedelta(minutes=5)


@pytest.mark.django_db
def test_a_run_that_has_just_gone_on_is_not_given_up() -> None:
    run = make.run(state=State.RUNNING)

    was_ended = moves.give_up(run, "The endpoint did not answer for 24 hours.")

    assert not was_ended
    assert Run.objects.get(pk=run.pk).state == State.RUNNING
