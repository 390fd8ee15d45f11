"""Whatever happens to workers and messages, a case is judged once and a run ends."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from evaluation.models import Reply, Run, RunEvent, Scoring, Slice, Verdict
from evaluation.runner import leases, queueing, storing
from evaluation.runner.leases import Lease, LeaseLost
from evaluation.runner.process import WorkerProcess
from evaluation.runner.storing import RunOver
from evaluation.services import scheduling, transitions
from tests import make
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, Request, Scripted, completion

State = Run.State
DONE = completion("I am done.")
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def run(transactional_db: None) -> Run:
    return runs.scheduled(NOWHERE, {"irrelevance": 6}, in_flight=1)


def taken(run: Run, number: int = 0) -> Lease:
    lease = leases.take(runs.slices(run)[number].pk, uuid4())
    assert lease is not None
    return lease


def expire(lease: Lease) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Slice.objects.filter(pk=lease.slice_id).update(lease_until=past)


def verdict(run: Run, position: int = 0) -> Verdict:
    scoring = Scoring.objects.get(run=run)
    case = runs.slices(run)[0].cases[position]
    return Verdict(scoring=scoring, case_id=case, outcome="correct")


def test_a_second_message_finds_the_slice_held_and_asks_nothing(
    run: Run, worker: WorkerProcess
) -> None:
    lease = taken(run)

    with FakeEndpoint(DONE) as endpoint:
        ending = worker.work(lease.slice_id, runs.terms(endpoint))

    assert ending is None
    assert endpoint.requests == []
    assert Slice.objects.get(pk=lease.slice_id).lease_token == lease.token


def test_a_message_for_a_slice_that_is_done_asks_nothing(worker: WorkerProcess) -> None:
    with FakeEndpoint(DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 3})
        runs.work_through(run, worker, endpoint)

        worker.work(runs.slices(run)[0].pk, runs.terms(endpoint))

    assert len(endpoint.requests) == 3
    assert Verdict.objects.filter(scoring__run=run).count() == 3


def test_one_slice_of_an_endpoint_is_worked_on_at_a_time(run: Run) -> None:
    taken(run, number=0)

    second = leases.take(runs.slices(run)[1].pk, uuid4())

    assert second is None


def test_taking_again_with_the_same_token_gives_the_same_lease(run: Run) -> None:
    token = uuid4()
    slice_id = runs.slices(run)[0].pk
    leases.take(slice_id, token)

    again = leases.take(slice_id, token)

    assert again is not None
    assert again.token == token
    assert Slice.objects.get(pk=slice_id).expiries == 0


def test_a_worker_that_lost_its_lease_can_write_nothing(run: Run) -> None:
    lost = taken(run)
    expire(lost)
    taken(run)

    with pytest.raises(LeaseLost):
        storing.store(lost, [verdict(run)])

    assert not Verdict.objects.exists()


def test_a_lease_that_ran_out_is_as_good_as_lost_before_anybody_takes_it(run: Run) -> None:
    lease = taken(run)
    expire(lease)

    with pytest.raises(LeaseLost):
        storing.store(lease, [verdict(run)])


def test_storing_twice_after_a_doubtful_commit_changes_nothing(run: Run) -> None:
    lease = taken(run)
    storing.store(lease, [verdict(run)])

    storing.store(lease, [verdict(run)])

    assert Verdict.objects.count() == 1


def test_a_lease_that_ran_out_is_freed_by_the_sweep_and_hinted_at_again(run: Run) -> None:
    lease = taken(run)
    expire(lease)

    hints = queueing.sweep()

    row = Slice.objects.get(pk=lease.slice_id)
    assert hints == [lease.slice_id]
    assert (row.state, row.lease_token, row.expiries) == (Slice.State.WAITING, None, 1)


def test_five_lost_leases_without_progress_fail_the_run_with_a_reason(run: Run) -> None:
    for _ in range(leases.MAX_EXPIRIES):
        expire(taken(run))
        leases.reap()

    run.refresh_from_db()
    assert run.state == State.FAILED
    assert "Our worker was lost 5 times in a row" in run.reason
    assert not Slice.objects.filter(state=Slice.State.LEASED).exists()


def test_lost_leases_with_progress_between_them_do_no_harm(run: Run) -> None:
    for position in range(4):
        expire(taken(run))
        storing.store(taken(run), [verdict(run, position)])
        expire(taken_by_token(run))
        leases.reap()

    run.refresh_from_db()
    assert run.state == State.RUNNING


def taken_by_token(run: Run) -> Lease:
    """The lease somebody holds just now."""
    row = Slice.objects.get(run=run, state=Slice.State.LEASED)
    assert row.lease_token is not None
    return Lease(row.pk, row.run_id, row.lease_token, False, False)


def test_a_run_whose_command_was_killed_ends_after_an_hour_and_a_live_one_does_not(
    transactional_db: None,
) -> None:
    benchmark = make.real_benchmark({"irrelevance": 1})
    killed, alive = (
        scheduling.schedule(make.endpoint(), benchmark=benchmark, is_local=True) for _ in range(2)
    )
    leases.take(alive.slices.get().pk, uuid4(), local=True)
    Run.objects.update(created_at=timezone.now() - timedelta(hours=2))

    queueing.sweep()

    killed.refresh_from_db()
    alive.refresh_from_db()
    assert (killed.state, alive.state) == (State.CANCELLED, State.RUNNING)
    assert "command" in killed.reason


def test_cancelling_wins_over_a_worker_that_finishes_later(run: Run) -> None:
    lease = taken(run)
    was_cancelled = transitions.cancel(run)

    with pytest.raises(RunOver):
        storing.store(lease, [verdict(run)])
    was_finished = transitions.finish(run)
    was_cancelled_again = transitions.cancel(run)

    run.refresh_from_db()
    assert (was_cancelled, was_finished, was_cancelled_again) == (True, False, False)
    assert run.state == State.CANCELLED
    assert RunEvent.objects.filter(run=run, to_state="cancelled").count() == 1


def test_a_run_cancelled_while_it_is_asked_stays_cancelled(worker: WorkerProcess) -> None:
    def script(request: Request) -> Scripted:
        if len(endpoint.requests) == 3:
            runs.elsewhere(transitions.cancel)
        return DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 40}, in_flight=1)

        runs.work_through(run, worker, endpoint)

    assert run.state == State.CANCELLED
    assert len(endpoint.requests) < 12
    assert not Slice.objects.filter(state=Slice.State.LEASED).exists()


def test_a_run_paused_by_its_owner_stops_and_goes_on_from_there(worker: WorkerProcess) -> None:
    def script(request: Request) -> Scripted:
        if len(endpoint.requests) == 3:
            runs.elsewhere(partial(transitions.pause, reason="Asked for.", by_owner=True))
        return DONE

    with FakeEndpoint(script=script) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 20}, in_flight=1)
        runs.work_through(run, worker, endpoint)
        stopped_at = run.state
        assert queueing.sweep() == []
        transitions.resume(run)

        runs.work_through(run, worker, endpoint)

    assert stopped_at == State.PAUSED
    assert run.state == State.FINISHED
    assert len(endpoint.requests) == 20


def test_a_stored_reply_without_verdict_is_judged_without_asking(worker: WorkerProcess) -> None:
    with FakeEndpoint(DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 3})
        runs.work_through(run, worker, endpoint)
        Verdict.objects.all().delete()
        Slice.objects.update(state=Slice.State.WAITING)
        Run.objects.update(state=State.RUNNING, finished_at=None)

        runs.work_through(run, worker, endpoint)

    assert len(endpoint.requests) == 3
    assert set(runs.outcomes(run).values()) == {"correct"}
    assert run.state == State.FINISHED


def test_a_stored_reply_to_another_question_is_set_aside_and_asked_anew(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(DONE) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"irrelevance": 1})
        runs.work_through(run, worker, endpoint)
        Verdict.objects.all().delete()
        Reply.objects.update(request_sha256="0" * 64)
        Slice.objects.update(state=Slice.State.WAITING)
        Run.objects.update(state=State.RUNNING, finished_at=None)

        runs.work_through(run, worker, endpoint)

    assert len(endpoint.requests) == 2
    assert list(Reply.objects.order_by("attempt").values_list("attempt", "accepted")) == [
        (1, False),
        (2, True),
    ]


def test_runs_of_one_share_key_get_only_so_many_hints(transactional_db: None) -> None:
    benchmark = make.real_benchmark({"irrelevance": 2})
    for _ in range(queueing.SHARE_WINDOW + 3):
        runs.schedule_on(benchmark, share_key="user:1")
    runs.schedule_on(benchmark, share_key="user:2")
    Slice.objects.update(enqueued_at=None)

    hints = queueing.claim_hints()

    keys = list(Slice.objects.filter(pk__in=hints).values_list("run__share_key", flat=True))
    assert keys.count("user:1") == queueing.SHARE_WINDOW
    assert keys.count("user:2") == 1


def test_a_run_has_one_hint_out_at_a_time(run: Run) -> None:
    Slice.objects.update(enqueued_at=None)

    first, second = queueing.claim_hints(), queueing.claim_hints()

    assert len(first) == 1
    assert second == []


def test_our_own_mistake_fails_the_run_readably_and_the_worker_lives_on(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.benchmarks.bfcl_v4.suite import BfclV4

    def out_of_memory(*_: object) -> None:
        raise MemoryError

    with FakeEndpoint(DONE) as endpoint:
        broken = runs.scheduled(endpoint.base_url, {"irrelevance": 3})
        with monkeypatch.context() as patch:
            patch.setattr(BfclV4, "judge", out_of_memory)
            runs.work_through(broken, worker, endpoint)
        sound = runs.schedule_on(broken.entry.benchmark, base_url=endpoint.base_url)
        runs.work_through(sound, worker, endpoint)

    assert broken.state == State.FAILED
    assert "Our own mistake" in broken.reason
    assert "MemoryError" in broken.reason
    assert runs.outcomes(broken) == {}
    assert sound.state == State.FINISHED
