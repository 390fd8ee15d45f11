"""One worker's turn at a run: slice after slice asked, stored and judged, or ended well."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, TypeVar

from evaluation.models import Run
from evaluation.runner import continuing, leases, storing, transitions
from evaluation.runner.continuing import NextSlice
from evaluation.runner.course import GRACE, Cause, Ending
from evaluation.runner.reading import Unit
from evaluation.runner.settling import NOT_OURS, Settler, Turn

BEAT = min(5.0, leases.RENEW_EVERY / 2)  # seconds between looks at the run's state
TICK = 0.25  # seconds between looks at clock, lease and shutdown
AHEAD = 2  # units begun per request in flight, so that storing never leaves a slot empty

T = TypeVar("T")


class Shift:
    """Works through a slice under its lease, and through the next ones while nobody waits."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._settler = Settler(turn)
        self._began = monotonic()
        self._taken_at = {turn.lease.slice_id: self._began}  # of the slices held
        self._room = asyncio.Semaphore(turn.lease.slots * AHEAD)
        self._under_way: set[asyncio.Task[Any]] = set()

    async def run(self, units: Sequence[Unit]) -> Ending | None:
        """Settle every case; None, or why some are left. Slices are closed or given back."""
        async with self._watched():
            if self._turn.lease.is_probe:
                await self._probe(units)
            await self._settle_all(units)
        ending = self._turn.course.ending
        if ending is not None:
            await self._leave(ending)
        return ending

    async def _settle_all(self, units: Sequence[Unit]) -> None:
        if self._turn.course.ended.is_set():
            return
        feeding = asyncio.create_task(self._feed(units))
        ended = asyncio.create_task(self._turn.course.ended.wait())
        waited_for: tuple[asyncio.Task[Any], ...] = (feeding, ended)
        await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        feeding.cancel()
        if self._turn.course.ending is not None and self._under_way:
            await asyncio.wait(self._under_way, timeout=self._turn.course.ending.grace)
        left = [feeding, *self._under_way]
        for task in left:
            task.cancel()
        await asyncio.gather(ended, *left, return_exceptions=True)

    async def _feed(self, units: Sequence[Unit]) -> None:
        """Begin units as room comes free, slice after slice; done when all are closed."""
        slice_id = self._turn.lease.slice_id
        closing: list[asyncio.Task[None]] = []
        while True:
            coming: asyncio.Task[NextSlice | None] | None = None
            begun: list[asyncio.Task[None]] = []
            for at, unit in enumerate(units):
                if coming is None and len(units) - at <= self._turn.lease.slots:
                    coming = self._start(self._next_slice())
                await self._room.acquire()
                begun.append(self._start(self._settle(unit)))
                # Else none would be on its way before the last of hundreds is written.
                await asyncio.sleep(0)
            coming = coming or self._start(self._next_slice())
            closing.append(self._start(self._close(slice_id, begun)))
            following = await coming
            if following is None:
                break
            slice_id, units = following.slice_id, following.units
        await asyncio.gather(*closing)

    def _start(self, doing: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin what must be over before the turn is."""
        task = asyncio.create_task(doing)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _settle(self, unit: Unit) -> None:
        try:
            await self._settler.settle(unit)
        finally:
            self._room.release()

    async def _next_slice(self) -> NextSlice | None:
        """Another slice of the run, when it may be had."""
        if monotonic() - self._began > self._turn.around.goes_on_for:
            return None
        looking = self._turn.around.database.run(continuing.next_slice, self._turn.lease)
        following = await self._settler.guard(looking, "(none yet)")
        if following is not None:
            self._taken_at[following.slice_id] = monotonic()
        return following

    async def _close(self, slice_id: int, begun: Sequence[asyncio.Task[None]]) -> None:
        """Close a slice when its cases are settled; one that was cut off is given back."""
        await asyncio.gather(*begun, return_exceptions=True)
        if self._turn.course.ending is None:
            finishing = self._turn.around.database.run(
                storing.finish_slice, self._turn.lease, slice_id
            )
            await self._settler.guard(finishing, "(none left)")
            self._taken_at.pop(slice_id)

    async def _probe(self, units: Sequence[Unit]) -> None:
        """Ask one question once; the run goes on only when the endpoint answers it."""
        usual, self._turn.asker.most_attempts = self._turn.asker.most_attempts, 1
        # The least asked first: a question that the endpoint rejects for itself is not put again
        # and again while others would be answered.
        next_up = sorted((unit.next_up() for unit in units), key=lambda pair: pair[0].sent)
        for work, start in next_up:
            sent = work.sent
            await self._settler.ask_once(work, start)
            if work.sent > sent:  # else its replies were all there: it asked nobody
                break
        if self._turn.asker.settled:
            run = await self._turn.around.database.run(Run.objects.get, pk=self._turn.lease.run_id)
            await self._turn.around.database.run(transitions.go_on, run)
            self._turn.course.failures_in_row = 0
            for unit in units:
                unit.forget_tries()
        else:
            self._turn.course.end(Ending(Cause.RELEASE))
        self._turn.asker.most_attempts = usual
        self._turn.lease.is_probe = False

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
                state = await self._turn.around.database.run(leases.look_after, self._turn.lease)
            except NOT_OURS:
                self._turn.course.end(Ending(Cause.LOST))
                return
            self._settler.heed(state)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            if self._turn.lease.is_stale:
                self._turn.course.end(Ending(Cause.LOST))
            elif self._turn.around.is_stopping():
                self._turn.course.end(Ending(Cause.RELEASE, grace=GRACE))
            elif monotonic() - self._longest_held() > self._turn.around.longest_turn:
                self._turn.course.end(Ending(Cause.RELEASE, grace=self._turn.how.target.timeout))

    def _longest_held(self) -> float:
        """When the slice was taken that has been held for longest."""
        return min(self._taken_at.values(), default=monotonic())

    async def _leave(self, ending: Ending) -> None:
        database = self._turn.around.database
        if ending.cause in (Cause.PAUSE, Cause.FAIL):
            run = await database.run(Run.objects.get, pk=self._turn.lease.run_id)
            await database.run(_end_early, run, ending)
        await database.run(storing.release, self._turn.lease, ending.wait)


def _end_early(run: Run, ending: Ending) -> None:
    if ending.cause is Cause.PAUSE:
        transitions.pause(run, ending.reason)
    else:
        transitions.fail(run, ending.reason, is_our_fault=ending.is_our_fault)
