"""The simulated classes at work in the sandbox: fresh for every play, at the run's own time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from evaluation.benchmarks.suite import Suite
from evaluation.engine.play import World
from evaluation.engine.types import Mode, Setup
from evaluation.sandbox.blocking import Sandbox
from evaluation.sandbox.pool import SandboxPool
from tests.suites import real_suite

FACTORY = "evaluation.benchmarks.bfcl_v4.worlds:build"
TRAVELLER = {"user_first_name": "Ada", "user_last_name": "L"}
TRAVEL = World(
    FACTORY, {"classes": ["TravelAPI"], "initial": {"TravelAPI": TRAVELLER}, "long_context": False}
)
VERIFY = (
    "verify_traveler_information(first_name='Ada', last_name='L', "
    "date_of_birth='2008-06-01', passport_number='US123456')"
)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return real_suite()


def replies(world: World, calls: Sequence[str], clock: datetime) -> tuple[str, ...]:
    with Sandbox(size=1) as sandbox:
        return sandbox.act(world, calls, clock)


@pytest.mark.parametrize(
    ("clock", "is_of_age"),
    [
        (datetime(2026, 5, 31, 23, 0, tzinfo=UTC), "false"),
        (datetime(2026, 6, 1, 1, 0, tzinfo=UTC), "true"),
    ],
)
def test_a_worlds_present_is_the_runs_start(suite: Suite, clock: datetime, is_of_age: str) -> None:
    (reply,) = replies(TRAVEL, [VERIFY], clock)

    assert f'"verification_status": {is_of_age}' in reply


def test_worlds_in_one_child_have_each_their_own_time(suite: Suite) -> None:
    async def play() -> list[tuple[str, ...]]:
        async with SandboxPool(1) as pool:
            early = await pool.open(TRAVEL, datetime(2020, 1, 1, tzinfo=UTC))
            late = await pool.open(TRAVEL, datetime(2030, 1, 1, tzinfo=UTC))
            return [await session.act([VERIFY]) for session in (early, late, early)]

    early, late, again = asyncio.run(play())

    assert early == again != late


def test_two_plays_of_one_case_do_not_meet(suite: Suite) -> None:
    case = suite.cases("multi_turn_base")[0]
    world = suite.world(case, Setup(Mode.FC))
    assert world is not None

    async def play() -> tuple[str, ...]:
        async with SandboxPool(1) as pool:
            now = datetime(2026, 1, 1, tzinfo=UTC)
            first, second = [await pool.open(world, now) for _ in range(2)]
            await first.act(["rm(file_name='document')", "mkdir(dir_name='x')"])
            return await second.act(["ls()"])

    assert asyncio.run(play()) == ('{"current_directory_content": ["document", "archive"]}',)


def test_time_zones_of_the_machine_do_not_matter(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = next(
        case
        for case in suite.cases("multi_turn_base")
        if "TradingBot" in case.question["involved_classes"]
    )
    world = suite.world(case, Setup(Mode.FC))
    assert world is not None
    calls = ["trading_login(username='a', password='b')", "fund_account(amount=10)",
             "get_transaction_history()"]  # fmt: skip
    now = datetime(2026, 1, 1, tzinfo=UTC)

    here = replies(world, calls, now)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    there = replies(world, calls, now)

    assert here == there
