"""One worker's turn at one slice: every case asked, stored and judged, or the turn ended well."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import InterfaceError, OperationalError
from django.utils import timezone

from evaluation.benchmarks import suite as find_suite
from evaluation.client.web import WebReader
from evaluation.engine.types import JSON, Judgement
from evaluation.models import Reply, Run, Verdict
from evaluation.runner import judging, leases, storing, transitions
from evaluation.runner.asking import Asker, NoCompletion, OutOfStep, Unanswered
from evaluation.runner.browsing import REPLAY, Browser
from evaluation.runner.configuration import Configuration
from evaluation.runner.course import GRACE, Cause, Course, CutOff, Ending
from evaluation.runner.database import Database
from evaluation.runner.leases import Lease, LeaseLost
from evaluation.runner.plays import Stage
from evaluation.runner.reading import CaseWork, SliceWork, Unit
from evaluation.runner.storing import RunOver
from evaluation.sandbox.pool import SandboxPool

LONGEST_TURN = 300.0  # seconds after which no new request starts
BEAT = min(5.0, leases.RENEW_EVERY / 2)  # seconds between looks at the run's state
TICK = 0.25  # seconds between looks at clock, lease and shutdown
AHEAD = 2  # cases begun per request in flight, so that storing never leaves a slot empty

NOT_OURS = (LeaseLost, RunOver, OperationalError, InterfaceError)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a turn uses of its process."""

    database: Database
    sandbox: Callable[[], SandboxPool]
    web: Callable[[], WebReader]
    is_stopping: Callable[[], bool]  # the process has been told to end
    on_verdict: Callable[[CaseWork, Verdict], None] = lambda work, verdict: None
    longest_turn: float = LONGEST_TURN


class Shift:
    """Works through a slice under its lease."""

    def __init__(
        self,
        around: Surroundings,
        lease: Lease,
        work: SliceWork,
        how: Configuration,
        course: Course,
        asker: Asker,
    ) -> None:
        self._around = around
        self._lease = lease
        self._work = work
        self._how = how
        self._course = course
        self._asker = asker
        self._suite = find_suite(how.suite)
        self._sandboxed = frozenset(
            leaf.name
            for leaf in (*self._suite.tree.leaves(), *self._suite.extras)
            if leaf.in_sandbox
        )
        self._is_probing = lease.is_probe

    async def run(self) -> Ending | None:
        """Settle every case; None, or why some are left. The slice is closed or given back."""
        async with self._watched():
            if self._is_probing:
                await self._probe()
            await self._settle_all()
        ending = self._course.ending
        await self._leave(ending)
        return ending

    async def _settle_all(self) -> None:
        units = iter(self._work.units)
        count = min(len(self._work.units), self._lease.slots * AHEAD)
        walkers = [asyncio.create_task(self._walk(units)) for _ in range(count)]
        ended = asyncio.create_task(self._course.ended.wait())
        everyone = asyncio.create_task(_finish(walkers))
        waited_for: tuple[asyncio.Task[Any], ...] = (everyone, ended)
        await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if self._course.ending is not None and walkers:
            await asyncio.wait(walkers, timeout=self._course.ending.grace)
        for walker in walkers:
            walker.cancel()
        await asyncio.gather(everyone, ended, return_exceptions=True)

    async def _walk(self, units: Iterator[Unit]) -> None:
        for unit in units:
            if self._course.ended.is_set():
                return
            if unit.prerequisites:
                await self._guard(unit.next_up()[0], self._settle_chain(unit))
            else:
                await self._guard(unit.cases[0], self._settle(unit.cases[0], None))

    async def _guard(self, work: CaseWork, settling: Awaitable[None]) -> None:
        """Await a case's settling; whatever goes wrong ends the turn, never the worker."""
        try:
            await settling
        except CutOff:
            return
        except NOT_OURS as error:
            log.info("Run %s, slice %s is given up: %r", *self._names(), error)
            self._course.end(Ending(Cause.LOST))
        except Exception as error:
            log.exception("Run %s, slice %s: case %s broke us", *self._names(), work.data.id)
            reason = our_fault(work.data.id, error)
            self._course.end(Ending(Cause.FAIL, reason, is_our_fault=True))

    def _names(self) -> tuple[int, int]:
        return self._lease.run_id, self._lease.slice_id

    async def _settle(self, work: CaseWork, start: JSON) -> None:
        try:
            row = await self._verdict(work, start)
        except Unanswered as trouble:
            row = judging.unscored(self._work.scoring_id, work, str(trouble))
        except OutOfStep:
            await self._begin_anew(work)
            await self._settle(work, start)
            return
        await self._store_verdict(work, row)

    async def _store_verdict(self, work: CaseWork, row: Verdict) -> None:
        await self._store(row)
        self._around.on_verdict(work, row)

    async def _settle_chain(self, unit: Unit) -> None:
        """Play what prepares a chain in order, then its cases, each from the same snapshot."""
        start: JSON = None
        try:
            for work in unit.prerequisites:
                start = await self._prepare(unit, work, start)
        except Unanswered as trouble:
            reason = f"A case this one builds on could not be played. {trouble}"
            for work in unit.cases:
                row = judging.unscored(self._work.scoring_id, work, reason)
                await self._store_verdict(work, row)
            return
        await asyncio.gather(
            *(self._guard(work, self._settle(work, start)) for work in unit.cases)
        )

    async def _prepare(self, unit: Unit, work: CaseWork, start: JSON) -> JSON:
        """Play a prerequisite unless an earlier turn has; the snapshot it leaves."""
        if work.pk in unit.worlds:
            return unit.worlds[work.pk]
        stage = self._stage(start)
        try:
            await stage.play(work)
        except OutOfStep:
            await self._begin_anew(work)
            return await self._prepare(unit, work, start)
        unit.worlds[work.pk] = stage.kept
        return stage.kept

    async def _begin_anew(self, work: CaseWork) -> None:
        await self._around.database.run(storing.begin_anew, self._lease, work.pk)
        work.accepted.clear()

    async def _keep_world(self, work: CaseWork, snapshot: JSON) -> None:
        await self._around.database.run(storing.keep_world, self._lease, work.pk, snapshot)

    def _stage(self, start: JSON) -> Stage:
        return Stage(
            self._suite,
            self._how.setup,
            self._asker,
            self._around.sandbox,
            self._work.started_at or timezone.now(),
            self._keep_world,
            self._browser(),
            start,
        )

    def _browser(self) -> Browser:
        return Browser(
            self._around.database,
            self._around.web,
            self._work.run_id,
            self._work.started_at or timezone.now(),
            is_replay=self._how.setup.options.get("web") == REPLAY,
        )

    async def _verdict(self, work: CaseWork, start: JSON) -> Verdict:
        stage = self._stage(start)
        try:
            result = await stage.play(work)
        except NoCompletion as end:
            judgement = await self._judge(work, judging.official_error(end))
            return judging.without_completion(self._work.scoring_id, work, judgement, end)
        judgement = await self._judge(work, result)
        return judging.verdict(self._work.scoring_id, work, judgement, stage.finish_reason)

    async def _judge(self, work: CaseWork, result: JSON) -> Judgement:
        if work.data.category not in self._sandboxed:
            return self._suite.judge(work.data, result, self._how.setup)
        sandbox = self._around.sandbox()
        return await sandbox.judge(self._suite.slug, work.data, result, self._how.setup)

    async def store_reply(self, row: Reply) -> None:
        await self._store(row)

    async def _store(self, row: Reply | Verdict) -> None:
        self._lease.failures_in_row = self._course.failures_in_row
        state = await self._around.database.store(self._lease, row)
        self._heed(state)

    def _heed(self, state: str) -> None:
        """Notice when somebody else has changed the run's state."""
        if state not in Run.ACTIVE:
            self._course.end(Ending(Cause.LOST))
        elif state != Run.State.RUNNING and not self._is_probing:
            self._course.end(Ending(Cause.RELEASE, grace=GRACE))

    async def _probe(self) -> None:
        """Ask one question once; the run goes on only when the endpoint answers it."""
        usual, self._asker.most_attempts = self._asker.most_attempts, 1
        # The least asked first: a question that the endpoint rejects for itself is not put again
        # and again while others would be answered.
        for work, start in sorted(
            (unit.next_up() for unit in self._work.units), key=lambda pair: pair[0].sent
        ):
            sent = work.sent
            await self._try(work, start)
            if work.sent > sent:  # else its replies were all there: it asked nobody
                break
        if self._asker.settled:
            run = await self._around.database.run(Run.objects.get, pk=self._lease.run_id)
            await self._around.database.run(transitions.go_on, run)
            self._course.failures_in_row = 0
            self._work.forget_tries()
        else:
            self._course.end(Ending(Cause.RELEASE))
        self._asker.most_attempts = usual
        self._is_probing = False

    async def _try(self, work: CaseWork, start: JSON) -> None:
        """Leave no verdict when the probe fails: the case has not had its five attempts."""

        async def play() -> None:
            with suppress(Unanswered, NoCompletion, OutOfStep):
                await self._stage(start).play(work)

        await self._guard(work, play())

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        """Keep the lease and an eye on everything that must end the turn."""
        tasks = [asyncio.create_task(self._beat()), asyncio.create_task(self._tick())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            try:
                self._heed(await self._around.database.run(leases.look_after, self._lease))
            except NOT_OURS:
                self._course.end(Ending(Cause.LOST))
                return

    async def _tick(self) -> None:
        began = monotonic()
        while True:
            await asyncio.sleep(TICK)
            if self._lease.is_stale:
                self._course.end(Ending(Cause.LOST))
            elif self._around.is_stopping():
                self._course.end(Ending(Cause.RELEASE, grace=GRACE))
            elif monotonic() - began > self._around.longest_turn:
                self._course.end(Ending(Cause.RELEASE, grace=self._how.target.timeout))

    async def _leave(self, ending: Ending | None) -> None:
        database = self._around.database
        if ending is None:
            try:
                await database.run(storing.finish_slice, self._lease)
            except NOT_OURS:
                ending = Ending(Cause.LOST)
            else:
                return
        if ending.cause in (Cause.PAUSE, Cause.FAIL):
            run = await database.run(Run.objects.get, pk=self._lease.run_id)
            await database.run(_end_early, run, ending)
        await database.run(storing.release_slice, self._lease, ending.wait)


def _end_early(run: Run, ending: Ending) -> None:
    if ending.cause is Cause.PAUSE:
        transitions.pause(run, ending.reason)
    else:
        transitions.fail(run, ending.reason, is_our_fault=ending.is_our_fault)


async def _finish(walkers: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.gather(*walkers, return_exceptions=True)


def our_fault(case_id: str, error: BaseException) -> str:
    return (
        f"Our own mistake while working on case {case_id} ({type(error).__name__}): nothing is "
        "scored and nothing is charged. The operators find the details in the worker's log."
    )
