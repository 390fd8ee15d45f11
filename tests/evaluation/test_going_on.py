"""A worker goes on with a run's next slice at once, and never at the cost of other runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from evaluation.client import limits
from evaluation.models import Run, Slice, Verdict
from evaluation.runner import leases, queueing, storing
from evaluation.runner.continuing import next_slice
from evaluation.runner.leases import Lease, LeaseLost
from evaluation.runner.process import WorkerProcess
from evaluation.services import scheduling, transitions
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, Request, Scripted, completion, error

DONE = completion("I am done.")
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def run(transactional_db: None) -> Run:
    """Three slices of four cases."""
    return runs.scheduled(NOWHERE, {"irrelevance": 12}, in_flight=1)


def taken(run: Run, number: int = 0) -> Lease:
    lease = leases.take(runs.slices(run)[number].pk, uuid4())
    assert lease is not None
    return lease


def states(run: Run) -> list[str]:
    return [str(one.state) for one in runs.slices(run)]


def once(act: Callable[[Run], object]) -> Callable[[Request], Scripted]:
    """A model that is done at once, and somebody who acts while its first answer is under way."""
    acted: list[bool] = []

    def script(request: Request) -> Scripted:
        if not acted:
            acted.append(True)
            runs.elsewhere(act)
        return DONE

    return script


def test_one_message_is_enough_for_a_run_that_nobody_waits_behind(worker: WorkerProcess) -> None:
    with FakeEndpoint(DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 12}, in_flight=1)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert (len(endpoint.requests), len(runs.outcomes(run))) == (12, 12)
    assert states(run) == ["done"] * 3


def test_from_slice_to_slice_no_more_requests_are_in_flight(worker: WorkerProcess) -> None:
    with FakeEndpoint(replace(DONE, delay=0.02)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 40}, in_flight=2)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    assert len(endpoint.requests) == 40
    assert endpoint.most_in_flight == 2


def test_a_run_of_somebody_else_is_next_after_one_slice(worker: WorkerProcess) -> None:
    def another(run: Run) -> None:
        runs.schedule_on(run.entry.benchmark, share_key="user:2")

    with FakeEndpoint(script=once(another)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 40}, in_flight=1)
        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    assert states(run).count("done") == 1
    assert len(endpoint.requests) == 4


def test_a_second_run_at_the_same_endpoint_has_its_turn_too(worker: WorkerProcess) -> None:
    def another(run: Run) -> None:
        assert run.endpoint is not None
        scheduling.schedule(run.endpoint, benchmark=run.entry.benchmark)

    with FakeEndpoint(script=once(another)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 40}, in_flight=1)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    assert states(run).count("done") == 1


def test_runs_of_two_owners_take_turns_to_the_end(worker: WorkerProcess) -> None:
    with FakeEndpoint(DONE) as first, FakeEndpoint(DONE) as second:
        one = runs.scheduled(first.base_url, {"irrelevance": 16}, in_flight=1)
        two = runs.schedule_on(
            one.entry.benchmark, base_url=second.base_url, share_key="user:2", in_flight=1
        )
        order = []

        line = deque(runs.slices(run)[0].pk for run in (one, two))  # the broker's
        while line:
            hint = line.popleft()
            order.append(Slice.objects.get(pk=hint).run_id)
            worker.work(hint, runs.terms(first, second))
            line += queueing.claim_hints()

    assert order == [one.pk, two.pk] * 4


def test_a_paused_run_that_waits_for_its_probe_is_somebody(run: Run) -> None:
    lease = taken(run)
    other = runs.schedule_on(run.entry.benchmark)
    transitions.pause(other, "Silent.")
    Slice.objects.filter(run=other).update(enqueued_at=timezone.now())

    assert queueing.somebody_waits(lease)


@pytest.mark.parametrize("state", [Run.State.CANCELLED, Run.State.PAUSED])
def test_a_run_that_nobody_may_work_on_is_nobody(run: Run, state: str) -> None:
    lease = taken(run)
    other = runs.schedule_on(run.entry.benchmark)
    if state == Run.State.CANCELLED:
        transitions.cancel(other)
    else:
        transitions.pause(other, "Asked for.", by_owner=True)
    Slice.objects.filter(run=other).update(enqueued_at=None)

    assert not queueing.somebody_waits(lease)


def test_a_run_whose_endpoint_another_worker_asks_does_not_wait_for_this_one(run: Run) -> None:
    lease = taken(run)
    taken(runs.schedule_on(run.entry.benchmark))

    assert not queueing.somebody_waits(lease)


def test_after_a_while_the_worker_looks_at_its_other_messages(worker: WorkerProcess) -> None:
    with FakeEndpoint(DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 12}, in_flight=1)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint, goes_on_for=-1.0))

    assert states(run) == ["done", "waiting", "waiting"]


@pytest.mark.parametrize("why", [{"longest_turn": 0.0}, {"is_stopping": lambda: True}])
def test_a_turn_that_must_end_gives_back_what_is_held_and_loses_no_answer(
    worker: WorkerProcess, why: dict[str, Any]
) -> None:
    with FakeEndpoint(replace(DONE, delay=0.1)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 12}, in_flight=1)
        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint, **why))
        asked = len(endpoint.requests)
        given_back = states(run)

        runs.work_through(run, worker, endpoint)

    assert 0 < asked < 12
    assert "leased" not in given_back
    assert run.state == Run.State.FINISHED
    assert len(endpoint.requests) == 12


def test_what_is_held_is_lost_as_a_whole(run: Run) -> None:
    lease = taken(run)
    second = leases.extend(lease)
    past = timezone.now() - timedelta(seconds=1)
    Slice.objects.filter(pk=lease.slice_id).update(lease_until=past)

    for write in (leases.renew, lambda lease: storing.store(lease, [])):
        with pytest.raises(LeaseLost):
            write(lease)
    with pytest.raises(LeaseLost):
        storing.finish_slice(lease, second or 0)


def test_nobody_else_gets_a_slice_while_two_are_held(run: Run) -> None:
    lease = taken(run)
    leases.extend(lease)

    others = [leases.take(one.pk, uuid4()) for one in runs.slices(run)]

    assert others == [None] * 3


def test_asking_for_a_next_slice_again_after_a_doubtful_commit_gives_the_same(run: Run) -> None:
    lease = taken(run)
    first_time = leases.extend(lease)
    lease.held.discard(first_time or 0)  # as if the answer had been lost

    again = leases.extend(lease)

    assert again == first_time
    assert states(run) == ["leased", "leased", "waiting"]


def test_closing_again_after_a_doubtful_commit_loses_nothing(run: Run) -> None:
    lease = taken(run)
    leases.extend(lease)
    storing.finish_slice(lease, lease.slice_id)
    lease.held.add(lease.slice_id)  # as if the answer had been lost

    storing.finish_slice(lease, lease.slice_id)

    assert states(run) == ["done", "leased", "waiting"]
    assert storing.store(lease, []) == Run.State.RUNNING


def test_everything_held_is_given_back(run: Run) -> None:
    lease = taken(run)
    leases.extend(lease)

    storing.release(lease, wait=60.0)

    assert states(run) == ["waiting"] * 3
    assert not Slice.objects.filter(run=run, not_before=None).exists()


def test_a_slice_that_lost_its_worker_is_worked_on_alone(run: Run) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Slice.objects.filter(pk=taken(run).slice_id).update(lease_until=past)
    leases.reap()

    lease = taken(run)

    assert next_slice(lease) is None
    storing.store(lease, [])  # progress
    assert next_slice(lease) is not None


def test_a_slice_that_lost_its_worker_is_not_taken_beside_another(run: Run) -> None:
    second = runs.slices(run)[1]
    Slice.objects.filter(pk=second.pk).update(expiries=1)

    assert leases.extend(taken(run)) == runs.slices(run)[2].pk


def test_a_run_that_is_paused_or_cancelled_is_not_gone_on_with(run: Run) -> None:
    lease = taken(run)
    transitions.pause(run, "Asked for.", by_owner=True)

    assert next_slice(lease) is None


def test_cancelling_gives_back_all_that_is_held(worker: WorkerProcess) -> None:
    def script(request: Request) -> Scripted:
        if len(endpoint.requests) == 7:
            runs.elsewhere(transitions.cancel)
        return DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 40}, in_flight=1)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    assert not Slice.objects.filter(state=Slice.State.LEASED).exists()
    assert Verdict.objects.filter(scoring__run=run).count() <= 9


def test_twenty_failures_over_the_end_of_a_slice_pause_the_run(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.001)
    with FakeEndpoint(error(503)) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 40}, in_flight=1)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    run.refresh_from_db()
    assert run.state == Run.State.PAUSED
    assert len(endpoint.requests) == 20
    assert not Slice.objects.filter(state=Slice.State.LEASED).exists()
