"""A call that hangs or balloons costs its case an error reply, and nobody anything else."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from evaluation.engine.play import World
from evaluation.sandbox.blocking import PROBE
from evaluation.sandbox.pool import SandboxPool
from evaluation.sandbox.process import SandboxBroken
from tests.suites import real_suite

T = TypeVar("T")
CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
FACTORY = "evaluation.benchmarks.bfcl_v4.worlds:build"
CALCULATOR = World(FACTORY, {"classes": ["MathAPI"], "initial": {}, "long_context": False})
TICKETS = World(FACTORY, {"classes": ["TicketAPI"], "initial": {}, "long_context": False})
HANGS = "round_number(number=5, decimal_places=-1000000000)"
STOPPED = (
    "Error during execution: the call was stopped because it took too long or too much memory"
)


@pytest.fixture(autouse=True)
def _benchmark() -> None:
    real_suite()


def run(work: Coroutine[None, None, T]) -> T:
    return asyncio.run(work)


def test_a_call_that_hangs_gets_an_error_reply_and_the_next_one_its_answer() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1, wall=0.5) as pool:
            session = await pool.open(CALCULATOR, CLOCK)
            return await session.act(["add(a=1, b=2)", HANGS, "add(a=2, b=2)"])

    replies = run(play())

    assert replies == ('{"result": 3}', STOPPED, '{"result": 4}')


def test_power_with_a_billion_in_the_exponent_is_refused_at_once() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1) as pool:
            session = await pool.open(CALCULATOR, CLOCK)
            return await session.act(["power(10, 10**9)", "power(base=10, exponent=1000000000)"])

    replies = run(play())

    assert set(replies) == {"Error during execution: the power has too many digits"}


def test_a_call_that_takes_all_memory_gets_an_error_reply() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1, wall=0.5) as pool:
            session = await pool.open(CALCULATOR, CLOCK)
            calls = ["square_root(number=2, precision=1000000000)", "add(a=1, b=2)"]
            return await session.act(calls)

    balloon, sum_ = run(play())

    assert balloon.startswith("Error during execution: ")
    assert sum_ == '{"result": 3}'


def test_after_three_stopped_calls_a_case_gets_no_more_tries() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1, wall=0.5) as pool:
            session = await pool.open(CALCULATOR, CLOCK)
            return await session.act([HANGS, HANGS, HANGS, "add(a=1, b=2)"])

    replies = run(play())

    assert replies == (STOPPED,) * 4


def test_a_hanging_call_leaves_the_world_of_another_session_as_it_was() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1, wall=0.5) as pool:
            bystander = await pool.open(TICKETS, CLOCK)
            await bystander.act(["ticket_login(username='ada', password='p')"])
            culprit = await pool.open(CALCULATOR, CLOCK)
            await culprit.act([HANGS])
            return await bystander.act(["create_ticket(title='a', description='b', priority=1)"])

    (reply,) = run(play())

    assert '"created_by": "ada"' in reply


def test_the_same_calls_get_the_same_replies_when_they_are_played_again() -> None:
    calls = ["add(a=1, b=2)", HANGS, "add(a=2, b=2)"]

    async def play() -> list[tuple[str, ...]]:
        async with SandboxPool(1, wall=0.5) as pool:
            first, again = [await pool.open(CALCULATOR, CLOCK) for _ in range(2)]
            return [
                await first.act(calls),
                await again.act(calls[:2]) + await again.act(calls[2:]),
            ]

    first, again = run(play())

    assert first == again


def test_a_cancelled_caller_does_not_leave_its_answer_to_the_next() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1) as pool:
            session = await pool.open(CALCULATOR, CLOCK)
            impatient = asyncio.create_task(session.act([HANGS]))
            await asyncio.sleep(0)  # let it start
            await asyncio.wait((impatient,), timeout=0.2)
            impatient.cancel()
            await asyncio.wait((impatient,))
            return await session.act(["add(a=1, b=2)"])

    replies = run(play())

    assert replies == ('{"result": 3}',)


def test_an_error_of_ours_is_no_reply() -> None:
    async def play() -> None:
        async with SandboxPool(1) as pool:
            session = await pool.open(World("os:system", {}), CLOCK)
            await session.act(["true"])

    with pytest.raises(SandboxBroken, match="no world of ours"):
        run(play())


def test_closing_a_session_frees_its_child() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(2) as pool:
            for _ in range(3):
                session = await pool.open(PROBE, CLOCK)
                await session.act(["open a socket"])
                await session.close()
            return await (await pool.open(PROBE, CLOCK)).act(["open a socket"])

    assert run(play()) == ("refused",)
