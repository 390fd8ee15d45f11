"""Drives one case's play: its questions to the endpoint, its calls to the sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from evaluation.benchmarks.suite import Suite
from evaluation.client.web import SearchUnavailable
from evaluation.engine.play import Act, Ask, Fetch, Keep, Play, Recall, Recalled, Reply, Step
from evaluation.engine.types import JSON, Setup
from evaluation.runner.asking import Asker, NoCompletion, Unanswered
from evaluation.runner.browsing import Browser
from evaluation.runner.reading import CaseWork
from evaluation.sandbox.pool import SandboxPool, Session


class NoDriver(Exception):
    """A play yields a step that nothing here can carry out."""


@dataclass(slots=True)
class Stage:
    """Where one case is played: who is asked, and the world its calls act in."""

    suite: Suite
    setup: Setup
    asker: Asker
    sandbox: Callable[[], SandboxPool]
    clock: datetime  # the run's start: a world's time never depends on when it is played
    keep: Callable[[CaseWork, JSON], Awaitable[None]]  # stores where a chain's next case starts
    browser: Browser
    start: JSON = None  # the snapshot the case before it in its chain kept
    kept: JSON = None  # the snapshot this case kept
    finish_reason: str = ""
    _session: Session | None = field(default=None, init=False)

    async def play(self, work: CaseWork) -> JSON:
        """The case's official result value; raises what asking and the sandbox raise."""
        play = self.suite.play(work.data, self.setup)
        try:
            return await self._drive(play, work)
        except NoCompletion:
            if not work.is_prerequisite:
                raise
            await self.keep_world(work)  # what the model has brought about so far is what counts
            return None
        finally:
            play.close()
            if self._session is not None:
                await self._session.close()

    async def _drive(self, play: Play, work: CaseWork) -> JSON:
        try:
            step = next(play)
            while True:
                step = play.send(await self._carry_out(step, work))
        except StopIteration as end:
            return end.value

    async def _carry_out(self, step: Step, work: CaseWork) -> Reply:
        if isinstance(step, Ask):
            completion = await self.asker.answer(work, step.question)
            self.finish_reason = completion.finish_reason
            return completion.answer
        if isinstance(step, Act):
            return await (await self._world_of(work)).act(step.calls)
        if isinstance(step, Fetch):
            try:
                return await self.browser.fetch(step)
            except SearchUnavailable as trouble:
                raise Unanswered(str(trouble)) from trouble
        if isinstance(step, Recall):
            return Recalled(self.start)
        if isinstance(step, Keep):
            await self.keep_world(work)
            return ()
        raise NoDriver(f"{type(step).__name__} in {work.data.id}")

    async def keep_world(self, work: CaseWork) -> None:
        """Store the world as it is now under this case."""
        self.kept = await (await self._world_of(work)).snapshot()
        await self.keep(work, self.kept)

    async def _world_of(self, work: CaseWork) -> Session:
        if self._session is not None:
            return self._session
        world = self.suite.world(work.data, self.setup)
        if world is None:
            raise NoDriver(f"{work.data.id} acts, but has no world")
        world = replace(world, start=self.start)
        self._session = await self.sandbox().open(world, self.clock)
        return self._session
