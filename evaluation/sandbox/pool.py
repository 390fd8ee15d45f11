"""A few sandbox children shared by everything a worker does at once."""

from __future__ import annotations

import asyncio
import itertools
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Self

from evaluation.engine.play import World
from evaluation.engine.types import JSON, CaseData, Judgement, Setup
from evaluation.engine.worlds import MAX_STOPPED
from evaluation.sandbox import frames
from evaluation.sandbox.process import WALL_PER_CALL, ChildDied, ChildProcess, SandboxBroken

MAX_DEATHS = MAX_STOPPED + 2  # more than its calls can cause: then it is us
UNSENDABLE = (RecursionError, frames.FrameTooLarge)
TOGETHER = 25  # results judged in one message

Job = tuple[CaseData, JSON, Setup]


class Session:
    """One world, open for the calls of one play. Made by `SandboxPool.open`.

    The world lives in a child. When that child dies, in whatever call, the world is built again
    in a new one from the calls so far; a call that killed its child is not repeated but
    answered with an error, so the same calls always get the same replies.
    """

    def __init__(self, child: ChildProcess, world: World, clock: datetime, name: str) -> None:
        self._child = child
        self._world = world
        self._clock = clock
        self._name = name
        self._generation = -1  # of the child in which the world was built
        self._history: list[str] = []
        self._stopped: set[int] = set()
        child.load += 1

    async def act(self, calls: Sequence[str]) -> tuple[str, ...]:
        """One reply text for each call, in order. Raises SandboxBroken."""
        if not calls:
            return ()
        async with self._child.lock:
            await self._child.start()
            replies = await self._act_here(list(calls))
        self._history += calls
        return tuple(replies)

    async def _act_here(self, calls: list[str]) -> list[str]:
        if self._generation == self._child.generation:
            try:
                message = {"do": "act", "session": self._name, "calls": calls}
                replies: list[str] = await self._child.ask(message)
            except ChildDied as death:
                self._blame(death)
            else:
                return replies
        return await self._build(calls)

    async def snapshot(self) -> JSON:
        """What a later world needs to start where this one is. Raises SandboxBroken."""
        async with self._child.lock:
            await self._child.start()
            if self._generation != self._child.generation:
                await self._build([])
            return await self._child.ask({"do": "snapshot", "session": self._name})

    async def close(self) -> None:
        """Forget the world. Raises nothing."""
        self._child.load -= 1
        async with self._child.lock:
            if self._child.is_running and self._generation == self._child.generation:
                with suppress(ChildDied):
                    await self._child.ask({"do": "close", "session": self._name})

    async def _build(self, calls: list[str]) -> list[str]:
        """Build the world in a living child, repeat the calls so far and go on with these."""
        for _ in range(MAX_DEATHS):
            message = {
                "do": "open",
                "session": self._name,
                "factory": self._world.factory,
                "config": dict(self._world.config),
                "start": self._world.start,
                "clock": self._clock.isoformat(),
                "history": self._history,
                "calls": calls,
                "stopped": sorted(self._stopped),
            }
            try:
                replies: list[str] = await self._child.ask(message)
            except ChildDied as death:
                self._blame(death)
            else:
                self._generation = self._child.generation
                return replies
        raise SandboxBroken("the sandbox child keeps dying")

    def _blame(self, death: ChildDied) -> None:
        if death.number >= 0:
            self._stopped.add(death.number)


class SandboxPool:
    """`size` sandbox children, started when first needed.

    A session stays with one child; a case is always judged by the same child, which remembers
    what does not depend on the model.
    """

    def __init__(self, size: int = 2, wall: float = WALL_PER_CALL) -> None:
        self._children = tuple(ChildProcess(wall) for _ in range(size))
        self._names = itertools.count()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.close()

    async def open(self, world: World, clock: datetime) -> Session:
        """A session in a fresh world whose clock stands at `clock`."""
        child = min(self._children, key=lambda one: one.load)
        return Session(child, world, clock, str(next(self._names)))

    async def judge(self, suite: str, case: CaseData, result: JSON, setup: Setup) -> Judgement:
        """The verdict of `Suite.judge`, reached in a child. Raises SandboxBroken."""
        try:
            return await self._judge_alone(suite, case, result, setup)
        except UNSENDABLE:  # nested or long beyond anything a model can mean: no result at all
            return await self._judge_alone(suite, case, None, setup)

    async def _judge_alone(
        self, suite: str, case: CaseData, result: JSON, setup: Setup
    ) -> Judgement:
        child = self._child_of(case)
        stopped: set[int] = set()
        for _ in range(MAX_DEATHS):
            message = {
                "do": "judge",
                "suite": suite,
                "jobs": [frames.job_as_json(case, result, setup)],
                "stopped": sorted(stopped),
            }
            try:
                async with child.lock:
                    (judgement,) = await child.ask(message)
            except ChildDied as death:
                stopped |= {death.number} if death.number >= 0 else set()
            else:
                return frames.judgement_from_json(judgement)
        raise SandboxBroken("the sandbox child keeps dying")

    async def tell(self, teller: str, case: CaseData, result: JSON, setup: Setup) -> JSON:
        """What `teller`, a dotted path to a function of ours, says of a result.

        Raises SandboxBroken, RecursionError, FrameTooLarge.
        """
        child = self._child_of(case)
        message = {
            "do": "tell",
            "teller": teller,
            "job": frames.job_as_json(case, result, setup),
            "stopped": [],
        }
        for _ in range(MAX_DEATHS):
            try:
                async with child.lock:
                    return await child.ask(message)
            except ChildDied as death:
                if death.number >= 0:
                    message["stopped"] = sorted({*message["stopped"], death.number})
        raise SandboxBroken("the sandbox child keeps dying")

    async def judge_all(self, suite: str, jobs: Sequence[Job]) -> list[Judgement]:
        """The verdicts on many results, in their order, reached side by side.

        Much faster than one by one. Raises SandboxBroken.
        """
        verdicts: dict[int, Judgement] = {}

        async def work(child: ChildProcess, places: Sequence[int]) -> None:
            for start in range(0, len(places), TOGETHER):
                some = places[start : start + TOGETHER]
                found = await self._judge_together(child, suite, [jobs[place] for place in some])
                verdicts.update(zip(some, found, strict=True))

        await asyncio.gather(
            *(
                work(child, [at for at, job in enumerate(jobs) if self._child_of(job[0]) is child])
                for child in self._children
            )
        )
        return [verdicts[place] for place in range(len(jobs))]

    async def _judge_together(
        self, child: ChildProcess, suite: str, jobs: Sequence[Job]
    ) -> list[Judgement]:
        written = [frames.job_as_json(*job) for job in jobs]
        try:
            async with child.lock:
                found = await child.ask({"do": "judge", "suite": suite, "jobs": written})
        except (
            ChildDied,
            *UNSENDABLE,
        ):  # one of them; alone, each is told which of its calls it was
            return [await self.judge(suite, *job) for job in jobs]
        return [frames.judgement_from_json(judgement) for judgement in found]

    def _child_of(self, case: CaseData) -> ChildProcess:
        return self._children[zlib.crc32(case.id.encode()) % len(self._children)]

    async def status(self) -> Iterable[str]:
        """A sentence for each wall: which are up and which this system does not permit."""
        async with self._children[0].lock:
            sentences: list[str] = await self._children[0].ask({"do": "status"})
        return sentences

    async def close(self) -> None:
        """End every child. Open sessions are lost."""
        for child in self._children:
            await child.close()
