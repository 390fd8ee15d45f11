"""One unit of a slice to its verdicts: its cases played, judged and stored under the lease."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from django.db import InterfaceError, OperationalError
from django.utils import timezone

from evaluation.benchmarks import suite as find_suite
from evaluation.client.web import WebReader
from evaluation.engine.types import JSON, Judgement
from evaluation.models import Reply, Run, Verdict
from evaluation.runner import judging, storing
from evaluation.runner.asking import Asker, NoCompletion, OutOfStep, Unanswered
from evaluation.runner.browsing import REPLAY, Browser
from evaluation.runner.configuration import Configuration
from evaluation.runner.course import GRACE, Cause, Course, CutOff, Ending
from evaluation.runner.database import Database
from evaluation.runner.leases import Lease, LeaseLost
from evaluation.runner.plays import Stage
from evaluation.runner.reading import CaseWork, RunWork, Unit
from evaluation.runner.storing import RunOver
from evaluation.sandbox.pool import SandboxPool

LONGEST_TURN = 300.0  # seconds with one slice, after which no new request starts
GOES_ON_FOR = 60.0  # seconds after which a turn takes no further slice

NOT_OURS = (LeaseLost, RunOver, OperationalError, InterfaceError)
T = TypeVar("T")
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
    goes_on_for: float = GOES_ON_FOR


@dataclass(frozen=True, slots=True)
class Turn:
    """One worker's time with a run: whose it is, by what it goes, and how it fares."""

    around: Surroundings
    lease: Lease
    work: RunWork
    how: Configuration
    course: Course
    asker: Asker


class Settler:
    """Settles the cases of one run; what ends the asking is told to its course."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._suite = find_suite(turn.how.suite)
        self._sandboxed = frozenset(
            leaf.name
            for leaf in (*self._suite.tree.leaves(), *self._suite.extras)
            if leaf.in_sandbox
        )
        turn.asker.store = self._store

    async def settle(self, unit: Unit) -> None:
        """Every case of the unit gets its verdict, unless the asking ends."""
        if unit.prerequisites:
            await self.guard(self._settle_chain(unit), unit.next_up()[0].data.id)
        else:
            await self.guard(self._settle(unit.cases[0], None), unit.cases[0].data.id)

    async def guard(self, doing: Awaitable[T], case_id: str) -> T | None:
        """Await what is done for a case; whatever goes wrong ends the turn, never the worker."""
        try:
            return await doing
        except CutOff:
            return None
        except NOT_OURS as error:
            log.info("Run %s, slice %s is given up: %r", *self._names(), error)
            self._turn.course.end(Ending(Cause.LOST))
        except Exception as error:
            log.exception("Run %s, slice %s: case %s broke us", *self._names(), case_id)
            self._turn.course.end(Ending(Cause.FAIL, our_fault(case_id, error), is_our_fault=True))
        return None

    def _names(self) -> tuple[int, int]:
        return self._turn.lease.run_id, self._turn.lease.slice_id

    async def _settle(self, work: CaseWork, start: JSON) -> None:
        try:
            row = await self._verdict(work, start)
        except Unanswered as trouble:
            row = judging.unscored(self._turn.work.scoring_id, work, str(trouble))
        except OutOfStep:
            await self._begin_anew(work)
            await self._settle(work, start)
            return
        await self._store_verdict(work, row)

    async def _store_verdict(self, work: CaseWork, row: Verdict) -> None:
        await self._store(row)
        self._turn.around.on_verdict(work, row)

    async def _settle_chain(self, unit: Unit) -> None:
        """Play what prepares a chain in order, then its cases, each from the same snapshot."""
        start: JSON = None
        try:
            for work in unit.prerequisites:
                start = await self._prepare(unit, work, start)
        except Unanswered as trouble:
            reason = f"A case this one builds on could not be played. {trouble}"
            for work in unit.cases:
                row = judging.unscored(self._turn.work.scoring_id, work, reason)
                await self._store_verdict(work, row)
            return
        await asyncio.gather(
            *(self.guard(self._settle(work, start), work.data.id) for work in unit.cases)
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
        await self._turn.around.database.run(storing.begin_anew, self._turn.lease, work.pk)
        work.accepted.clear()

    async def _keep_world(self, work: CaseWork, snapshot: JSON) -> None:
        await self._turn.around.database.run(
            storing.keep_world, self._turn.lease, work.pk, snapshot
        )

    def _stage(self, start: JSON) -> Stage:
        return Stage(
            self._suite,
            self._turn.how.setup,
            self._turn.asker,
            self._turn.around.sandbox,
            self._turn.work.started_at or timezone.now(),
            self._keep_world,
            self._browser(),
            start,
        )

    def _browser(self) -> Browser:
        return Browser(
            self._turn.around.database,
            self._turn.around.web,
            self._turn.work.run_id,
            self._turn.work.started_at or timezone.now(),
            is_replay=self._turn.how.setup.options.get("web") == REPLAY,
        )

    async def _verdict(self, work: CaseWork, start: JSON) -> Verdict:
        stage = self._stage(start)
        try:
            result = await stage.play(work)
        except NoCompletion as end:
            judgement = await self._judge(work, judging.official_error(end))
            return judging.without_completion(self._turn.work.scoring_id, work, judgement, end)
        judgement = await self._judge(work, result)
        return judging.verdict(self._turn.work.scoring_id, work, judgement, stage.finish_reason)

    async def _judge(self, work: CaseWork, result: JSON) -> Judgement:
        if work.data.category not in self._sandboxed:
            return self._suite.judge(work.data, result, self._turn.how.setup)
        sandbox = self._turn.around.sandbox()
        return await sandbox.judge(self._suite.slug, work.data, result, self._turn.how.setup)

    async def _store(self, row: Reply | Verdict) -> None:
        self._turn.lease.failures_in_row = self._turn.course.failures_in_row
        state = await self._turn.around.database.store(self._turn.lease, row)
        self.heed(state)

    def heed(self, state: str) -> None:
        """Notice when somebody else has changed the run's state."""
        if state not in Run.ACTIVE:
            self._turn.course.end(Ending(Cause.LOST))
        elif state != Run.State.RUNNING and not self._turn.lease.is_probe:
            self._turn.course.end(Ending(Cause.RELEASE, grace=GRACE))

    async def ask_once(self, work: CaseWork, start: JSON) -> None:
        """Leave no verdict when a probe fails: the case has not had its five attempts."""

        async def play() -> None:
            with suppress(Unanswered, NoCompletion, OutOfStep):
                await self._stage(start).play(work)

        await self.guard(play(), work.data.id)


def our_fault(case_id: str, error: BaseException) -> str:
    return (
        f"Our own mistake while working on case {case_id} ({type(error).__name__}): nothing is "
        "scored and nothing is charged. The operators find the details in the worker's log."
    )
