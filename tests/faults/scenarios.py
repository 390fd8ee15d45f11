"""What is broken, how often, and what must be true of the run afterwards."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.faults.house import ENDS_WITHIN, IN_FLIGHT, House, wait_until

CATEGORIES = ("simple_python", "irrelevance", "multiple", "live_irrelevance")
SHORT = ("irrelevance",)
TOO_MANY = 0.05  # share of requests beyond one per case, besides those in flight at kills

Verdicts = dict[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line of the table."""

    fault: str
    times: int
    lost: int
    doubled: int
    wrong: int
    extra: int  # requests beyond one per case and those in flight at kills
    seconds: float
    state: str

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.wrong or self.extra)


class Ground:
    """A benchmark, an endpoint row, and the verdicts of an undisturbed run to compare with."""

    def __init__(self, house: House, categories: tuple[str, ...]) -> None:
        from django.core.management import call_command

        from evaluation.benchmarks import suite
        from evaluation.services import benchmarks

        call_command("migrate", interactive=False, verbosity=0)
        self.house = house
        self.categories = categories
        self.benchmark, _ = benchmarks.load(suite("bfcl-v4"))
        self.expected: Verdicts = {}

    def schedule(self) -> int:
        from evaluation.models import Endpoint, ModelCard
        from evaluation.services import cards, scheduling

        card = ModelCard.objects.first() or cards.make_card("Faults", organisation="Tests")
        endpoint = Endpoint.objects.create(
            card=card,
            base_url=f"http://127.0.0.1:{self.house.port}/v1",
            remote_model="faults",
            mode="fc",
            in_flight=IN_FLIGHT,
        )
        run = scheduling.schedule(
            endpoint, benchmark=self.benchmark, categories=list(self.categories)
        )
        return run.pk


def verdicts(run_id: int) -> Verdicts:
    from evaluation.models import Verdict

    rows = Verdict.objects.filter(scoring__run=run_id)
    return {name: (o, e) for name, o, e in rows.values_list("case__name", "outcome", "error_type")}


def progress(run_id: int) -> int:
    from evaluation.models import Verdict

    return Verdict.objects.filter(scoring__run=run_id).count()


def state(run_id: int) -> str:
    from evaluation.models import Run

    return str(Run.objects.values_list("state", flat=True).get(pk=run_id))


def has_ended(run_id: int) -> bool:
    return state(run_id) not in ("queued", "running", "paused")


def perform(ground: Ground, fault: str, disturb: Callable[[House, int], int]) -> Outcome:
    """Run once with the fault, wait for the end, and audit."""
    house = ground.house
    asked, lost_in_flight, began = house.asked, house.lost_in_flight, time.monotonic()
    run_id = ground.schedule()
    times = disturb(house, run_id)
    wait_until(lambda: has_ended(run_id), ENDS_WITHIN, f"the run ends by itself ({fault})")
    return _audit(
        ground,
        run_id,
        fault,
        times,
        house.asked - asked - (house.lost_in_flight - lost_in_flight),
        time.monotonic() - began,
    )


def _audit(
    ground: Ground, run_id: int, fault: str, times: int, asked: int, seconds: float
) -> Outcome:
    from django.db.models import Count

    from evaluation.models import CategoryScore, Reply, Run, Verdict

    found = verdicts(run_id)
    run = Run.objects.get(pk=run_id)
    accepted = Reply.objects.filter(run=run_id, accepted=True)
    twice = accepted.values("case", "turn", "step").annotate(n=Count("pk")).filter(n__gt=1)
    rows = Verdict.objects.filter(scoring__run=run_id).count()
    counted = sum(
        (score.correct or 0) + (score.wrong or 0) + (score.unscored or 0)
        for score in CategoryScore.objects.filter(scoring__run=run_id)
    )
    wrong = [name for name, value in found.items() if ground.expected.get(name, value) != value]
    return Outcome(
        fault=fault,
        times=times,
        lost=(run.n - len(found)) + abs(rows - counted),
        doubled=twice.count() + rows - len(found),
        wrong=len(wrong),
        extra=max(0, round(asked - run.n * (1 + TOO_MANY))),
        seconds=seconds,
        state=run.state,
    )


def await_progress(run_id: int, by: int = 1) -> None:
    """Until some more cases are judged, or the run has ended."""
    until = progress(run_id) + by
    wait_until(lambda: progress(run_id) >= until or has_ended(run_id), 120, "progress")


def nothing(house: House, run_id: int) -> int:
    return 0


def kills(times: int) -> Callable[[House, int], int]:
    """kill -9 of the worker at random moments, each after some progress since the last."""

    def disturb(house: House, run_id: int) -> int:
        chance = random.Random(20260323)
        for done in range(times):
            await_progress(run_id)
            if has_ended(run_id):
                return done
            time.sleep(chance.uniform(0.0, 0.4))
            house.kill_worker()
        return times

    return disturb


def when_under_way(*acts: Callable[[House, int], object]) -> Callable[[House, int], int]:
    """Do these one after another, each once the run has moved on."""

    def disturb(house: House, run_id: int) -> int:
        for done, act in enumerate(acts):
            await_progress(run_id)
            if has_ended(run_id):
                return done
            act(house, run_id)
        return len(acts)

    return disturb


def dead_for_a_while(house: House, run_id: int) -> None:
    house.kill_endpoint()
    time.sleep(6)
    house.start_endpoint()


def being(mode: str, seconds: float) -> Callable[[House, int], None]:
    def act(house: House, run_id: int) -> None:
        house.be(mode)
        time.sleep(seconds)
        house.be("well")

    return act


def every_task_twice(house: House, run_id: int) -> int:
    """Send two more hints for every slice, again and again, while the run lasts."""
    from evaluation.models import Slice
    from evaluation.tasks import work_slice

    sent = 0
    while not has_ended(run_id):
        for pk in Slice.objects.filter(run=run_id).values_list("pk", flat=True):
            for _ in range(2):
                work_slice.delay(pk)
                sent += 1
        time.sleep(1.0)
    return sent


def two_workers_on_one_slice(house: House, run_id: int) -> int:
    """Let the lease run out under a living worker, so that another takes the slice."""
    from datetime import timedelta

    from django.utils import timezone

    from evaluation.models import Slice
    from evaluation.tasks import work_slice

    times = 0
    while not has_ended(run_id) and times < 10:
        held = Slice.objects.filter(run=run_id, state="leased").first()
        if held is None:
            time.sleep(0.02)
            continue
        # Those under way, and those begun until the first write tells that the lease is gone.
        house.lost_in_flight += house.count()["answering"] + IN_FLIGHT
        past = timezone.now() - timedelta(seconds=1)
        if Slice.objects.filter(pk=held.pk, state="leased").update(lease_until=past):
            work_slice.delay(held.pk)
            times += 1
        await_progress(run_id, by=20)
    return times


def broker(act: str) -> Callable[[House, int], None]:
    def disturb(house: House, run_id: int) -> None:
        if act == "flushed":
            house.flush_broker()
        else:
            house.kill_broker(empty=act == "restarted empty")

    return disturb


SCENARIOS: dict[str, Callable[[House, int], int]] = {
    "worker killed -9": kills(20),
    "worker told to end": when_under_way(*[lambda house, run: house.end_worker()] * 3),
    "broker killed -9": when_under_way(*[broker("killed")] * 3),
    "broker flushed": when_under_way(*[broker("flushed")] * 3),
    "broker restarted empty": when_under_way(broker("restarted empty")),
    "PostgreSQL killed -9": when_under_way(*[lambda house, run: house.kill_database()] * 3),
    "endpoint dead for 6 s": when_under_way(dead_for_a_while),
    "endpoint flapping": when_under_way(being("flapping", 5.0)),
    "endpoint slow": when_under_way(being("slow", 6.0)),
    "every task sent thrice": every_task_twice,
    "two workers on a slice": two_workers_on_one_slice,
}
IN_SHORT: dict[str, Callable[[House, int], int]] = {
    "worker killed -9": kills(2),
    "broker flushed": when_under_way(broker("flushed")),
    "PostgreSQL killed -9": when_under_way(lambda house, run: house.kill_database()),
    "two workers on a slice": two_workers_on_one_slice,
}
