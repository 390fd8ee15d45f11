"""How fast a slice is asked, and what ends the asking early."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from time import monotonic

from evaluation.client.errors import Effect, Trouble

MOST_FAILURES = 20  # attempts without an answer, one after another over all cases
RECENTLY = 60.0  # seconds
LONG_WAIT = 30.0  # seconds; a longer wait is spent in the queue, not in a worker
TOO_MANY_REQUESTS = 429


class Cause(Enum):
    """What becomes of a slice whose asking ended before its cases did."""

    RELEASE = "another turn continues it"
    PAUSE = "the run pauses"
    FAIL = "the run fails"
    LOST = "it is no longer ours"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why asking stops: for people, how long requests under way may take, and the next turn."""

    cause: Cause
    reason: str = ""
    grace: float = 0.0  # seconds for requests under way
    wait: float = 0.0  # seconds before the next turn
    is_our_fault: bool = False


GRACE = 5.0


class CutOff(Exception):
    """The asking has ended; this case stays as it is."""


class Course:
    """Hands out slots for requests, and decides from their fates whether to go on."""

    def __init__(self, in_flight: int, failures_in_row: int) -> None:
        self.failures_in_row = failures_in_row
        self.ending: Ending | None = None
        self.ended = asyncio.Event()
        self._slots = asyncio.Semaphore(in_flight)
        self._opens_at = 0.0  # monotonic; an endpoint that says "later" is left alone till then
        self._closed_at = 0.0
        self._answered_at = float("-inf")

    def end(self, ending: Ending) -> None:
        """Stop asking; the first reason stands, except that a lost lease overrules all."""
        if self.ending is None or ending.cause is Cause.LOST:
            self.ending = ending
        self.ended.set()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Room for one request. Raises CutOff."""
        async with self._slots:
            # Looked at with the slot in hand: those who queued for it heard no "later" either.
            while (wait := self._opens_at - monotonic()) > 0:
                await self.sleep(wait)
            if self.ended.is_set():
                raise CutOff
            yield

    async def sleep(self, seconds: float) -> None:
        """Wait, unless the asking ends. Raises CutOff."""
        try:
            await asyncio.wait_for(self.ended.wait(), seconds)
        except TimeoutError:
            return
        raise CutOff

    def note(self, trouble: Trouble | None, sent_at: float) -> None:
        """Learn from one attempt; `sent_at` on the monotonic clock."""
        if trouble is None or trouble.effect is Effect.WRONG:
            self.failures_in_row = 0
            self._answered_at = monotonic()
            return
        if trouble.effect is Effect.RETRY_THEN_WRONG:
            return  # the conversation may be to blame, or the server: it proves neither
        if not self._is_same_burst(trouble, sent_at):
            self.failures_in_row += 1
        if trouble.retry_after:
            self._hold_back(trouble.retry_after)
        self._judge(trouble)

    def _is_same_burst(self, trouble: Trouble, sent_at: float) -> bool:
        """Requests that were under way when a working endpoint first said "too many"."""
        return (
            trouble.status == TOO_MANY_REQUESTS
            and sent_at < self._closed_at
            and monotonic() - self._answered_at < RECENTLY
        )

    def _hold_back(self, seconds: float) -> None:
        now = monotonic()
        if now >= self._opens_at:
            self._closed_at = now
        self._opens_at = max(self._opens_at, now + seconds)

    def _judge(self, trouble: Trouble) -> None:
        if trouble.effect is Effect.PAUSE:
            self.end(Ending(Cause.PAUSE, trouble.sentence, GRACE))
        elif trouble.effect in (Effect.STOP, Effect.OURS):
            is_ours = trouble.effect is Effect.OURS
            self.end(Ending(Cause.FAIL, trouble.sentence, is_our_fault=is_ours))
        elif self.failures_in_row >= MOST_FAILURES:
            reason = f"{self.failures_in_row} requests in a row failed. {trouble.sentence}"
            self.end(Ending(Cause.PAUSE, reason, GRACE))
        elif (trouble.retry_after or 0.0) > LONG_WAIT:
            wait = float(trouble.retry_after or 0.0)
            self.end(Ending(Cause.RELEASE, trouble.sentence, GRACE, wait))
