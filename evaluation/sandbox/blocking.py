"""The sandbox for code without an event loop: commands, the doctor, tests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from evaluation.engine.play import World
from evaluation.engine.types import JSON, CaseData, Judgement, Setup
from evaluation.sandbox import probe
from evaluation.sandbox.pool import Job, SandboxPool

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HELD = "Tried, and refused:"  # how the sentence begins that a doctor wants to read
PROBE = World("evaluation.sandbox.probe:build", {})


class Sandbox:
    """A pool with blocking methods; use it as a context manager.

    It owns an event loop, so it must not be used where one is already running.
    """

    def __init__(self, size: int | None = None) -> None:
        self._runner = asyncio.Runner()
        self._pool = SandboxPool(size or min(os.cpu_count() or 1, 8))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._runner.run(self._pool.close())
        self._runner.close()

    def judge(self, suite: str, case: CaseData, result: JSON, setup: Setup) -> Judgement:
        """The verdict on one result. Raises SandboxBroken."""
        return self._runner.run(self._pool.judge(suite, case, result, setup))

    def judge_all(self, suite: str, jobs: Sequence[Job]) -> list[Judgement]:
        """The verdicts on many results in order, reached side by side. Raises SandboxBroken."""
        return self._runner.run(self._pool.judge_all(suite, jobs))

    def tell(self, teller: str, case: CaseData, result: JSON, setup: Setup) -> JSON:
        """What a function of ours says of a result. Raises SandboxBroken, ValueError."""
        return self._runner.run(self._pool.tell(teller, case, result, setup))

    def status(self) -> list[str]:
        """A sentence for each wall of the sandbox."""

        async def ask() -> list[str]:
            return list(await self._pool.status())

        return self._runner.run(ask())

    def act(self, world: World, calls: Sequence[str], clock: datetime = EPOCH) -> tuple[str, ...]:
        """The replies to some calls in a fresh world. Raises SandboxBroken."""

        async def in_session() -> tuple[str, ...]:
            session = await self._pool.open(world, clock)
            try:
                return await session.act(calls)
            finally:
                await session.close()

        return self._runner.run(in_session())


def status() -> list[str]:
    """Which walls a sandbox child has on this system, in sentences, for `manage.py doctor`.

    The last sentence says what happened when a child tried to get out.
    """
    with Sandbox(size=1) as sandbox:
        sentences = sandbox.status()
        attempts = tuple(probe.ATTEMPTS)
        outcomes = zip(attempts, sandbox.act(PROBE, attempts), strict=True)
    possible = [attempt for attempt, outcome in outcomes if outcome != probe.REFUSED]
    if possible:
        return [*sentences, f"The walls do not hold: a child can {', '.join(possible)}."]
    return [*sentences, f"{HELD} {', '.join(attempts)}."]


def holds(sentences: Sequence[str]) -> bool:
    """Whether `status` found that a child could not get out."""
    return sentences[-1].startswith(HELD)
