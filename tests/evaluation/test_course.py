"""How fast a slice is asked: whoever waits for a slot hears what the endpoint says meanwhile."""

from __future__ import annotations

import asyncio
from time import monotonic

from evaluation.client.errors import Trouble, TroubleKind
from evaluation.runner.course import MOST_FAILURES, Course

BUSY = Trouble(TroubleKind.TRANSIENT, "Too many requests.", retry_after=0.2, status=429)


def test_requests_that_queue_for_a_slot_keep_the_wait_the_endpoint_asks_for() -> None:
    async def second_after_busy() -> float:
        course = Course(in_flight=1, failures_in_row=0)

        async def queue_up() -> float:
            async with course.slot():
                return monotonic()

        async with course.slot():
            queued = asyncio.create_task(queue_up())
            await asyncio.sleep(0)
            course.note(BUSY, monotonic())
            told = monotonic()
        return await queued - told

    waited = asyncio.run(second_after_busy())

    assert waited >= 0.19


def test_a_conversation_that_breaks_a_server_neither_ends_nor_adds_to_failures_in_row() -> None:
    course = Course(in_flight=1, failures_in_row=MOST_FAILURES - 1)
    broken = Trouble(TroubleKind.MALFORMED_HISTORY, "It fails on this conversation.", status=500)

    course.note(broken, monotonic())

    assert course.failures_in_row == MOST_FAILURES - 1
    assert course.ending is None
