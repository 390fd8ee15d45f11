"""Memory: scenarios as chains, snapshots as values, the benchmark's own memories at work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4.bm25 import BM25Plus
from evaluation.benchmarks.suite import Suite
from evaluation.engine.play import World
from evaluation.engine.types import CaseData, Mode, Setup
from evaluation.sandbox.pool import SandboxPool
from tests.parity.playing import Stage
from tests.suites import real_suite

CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
FC = Setup(Mode.FC, underscore=True)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return real_suite()


def question(suite: Suite, category: str) -> CaseData:
    return suite.cases(category)[0]


def played(world: World | None, calls: Sequence[str]) -> tuple[tuple[str, ...], Any]:
    """Replies to some calls in a world, and its snapshot afterwards."""
    assert world is not None

    async def play() -> tuple[tuple[str, ...], Any]:
        async with SandboxPool(1) as pool:
            session = await pool.open(world, CLOCK)
            return await session.act(calls), await session.snapshot()

    return asyncio.run(play())


def test_a_memory_category_is_five_chains_of_thirty_seven_conversations(suite: Suite) -> None:
    chains = suite.chains("memory_kv")

    assert [chain.name for chain in chains] == [
        "customer", "healthcare", "finance", "student", "notetaker"
    ]  # fmt: skip
    assert [len(chain.prerequisites) for chain in chains] == [10, 5, 7, 10, 5]
    assert sum(len(chain.dependents) for chain in chains) == 155


def test_every_question_depends_on_one_chain(suite: Suite) -> None:
    chains = suite.chains("memory_rec_sum")

    dependents = [case_id for chain in chains for case_id in chain.dependents]

    assert sorted(dependents) == sorted(case.id for case in suite.cases("memory_rec_sum"))


def test_categories_without_memory_have_no_chains(suite: Suite) -> None:
    assert not suite.chains("multi_turn_base")
    assert not suite.chains("web_search_base")


def test_a_conversation_before_the_questions_ends_by_keeping_its_memory(suite: Suite) -> None:
    first = suite.chains("memory_kv")[0].prerequisites[0]
    asked, prerequisite = Stage(), Stage()

    asked.play(suite, question(suite, "memory_kv"), FC)
    result = prerequisite.play(suite, first, FC)

    assert (asked.kept, prerequisite.kept) == (0, 1)
    assert len(result) == len(first.question["question"])


@pytest.mark.parametrize(
    ("category", "snapshot", "shown"),
    [
        ("memory_kv", None, "There is no content in the core memory at this point."),
        ("memory_kv", {"core_memory": {"name": "Ada"}}, '{\n    "name": "Ada"\n}'),
        ("memory_rec_sum", None, "There is no content in the memory at this point."),
        ("memory_rec_sum", {"memory": "Her name is Ada."}, "Her name is Ada."),
        (
            "memory_vector",
            {"core_memory": {"next_id": 1, "store": {"0": "A"}}},
            '{\n    "0": "A"\n}',
        ),
        ("memory_vector", None, "{}"),
    ],
)
@pytest.mark.parametrize("mode", list(Mode))
def test_the_system_prompt_shows_the_memory(
    suite: Suite, category: str, snapshot: Any, shown: str, mode: Mode
) -> None:
    stage = Stage(snapshot=snapshot)

    stage.play(suite, question(suite, category), Setup(mode))

    first = stage.questions[0].messages[0]
    assert first["role"] == "system"
    assert f"previous interactions:\n{shown}" in first["content"]


def test_the_key_value_memory_goes_on_from_a_snapshot(suite: Suite) -> None:
    world = suite.world(question(suite, "memory_kv"), FC)
    assert world is not None

    _, snapshot = played(
        world, ["core_memory_add(key='name', value='Ada')", "archival_memory_add('city', 'Bern')"]
    )
    replies, after = played(
        replace(world, start=snapshot),
        ["core_memory_retrieve(key='name')", "archival_memory_remove(key='city')"],
    )

    assert snapshot == {"core_memory": {"name": "Ada"}, "archival_memory": {"city": "Bern"}}
    assert replies == ('{"value": "Ada"}', '{"status": "Key removed."}')
    assert after == {"core_memory": {"name": "Ada"}, "archival_memory": {}}


def test_the_summary_memory_goes_on_from_a_snapshot(suite: Suite) -> None:
    world = suite.world(question(suite, "memory_rec_sum"), FC)
    assert world is not None

    replies, snapshot = played(
        replace(world, start={"memory": "Ada"}), ["memory_append(text=' in Bern')"]
    )

    assert replies == ('{"status": "Memory appended."}',)
    assert snapshot == {"memory": "Ada in Bern"}


def test_two_questions_from_one_snapshot_do_not_meet(suite: Suite) -> None:
    world = suite.world(question(suite, "memory_rec_sum"), FC)
    assert world is not None
    start = replace(world, start={"memory": "Ada"})

    async def play() -> tuple[str, ...]:
        async with SandboxPool(1) as pool:
            first, second = [await pool.open(start, CLOCK) for _ in range(2)]
            await first.act(["memory_clear()"])
            return await second.act(["memory_retrieve()"])

    assert asyncio.run(play()) == ('{"memory_content": "Ada"}',)


def test_keys_are_searched_by_words(suite: Suite) -> None:
    calls = [
        "core_memory_add(key='favourite_city', value='Bern')",
        "core_memory_add(key='name', value='Ada')",
        "core_memory_key_search(query='which city')",
        "archival_memory_key_search(query='empty')",
    ]

    replies, _ = played(suite.world(question(suite, "memory_kv"), FC), calls)

    assert [key for _, key in json.loads(replies[2])["ranked_results"]] == [
        "favourite_city", "name"
    ]  # fmt: skip
    assert replies[3] == "Error during execution: division by zero"


def test_scores_are_those_of_the_library_the_benchmark_uses() -> None:
    ranking = BM25Plus([["a", "b"], ["b"], ["c", "c", "a"]])

    scores = ranking.get_scores(["a", "b", "unknown"])

    assert scores == [2.772588722239781, 2.2806778199069164, 1.9521287942300498]


def test_a_memory_that_would_explode_is_refused(suite: Suite) -> None:
    world = suite.world(question(suite, "memory_rec_sum"), FC)
    filled = {"memory": "a" * 10_000}
    calls = [
        f"memory_replace(old_text='a', new_text='{'a' * 9_000}')",
        "memory_replace(old_text='aa', new_text='b')",
        "memory_replace('zz', 'y')",
        "memory_replace()",
    ]

    replies, snapshot = played(world and replace(world, start=filled), calls)

    assert replies[:2] == (
        "Error during execution: the memory would become too long",
        '{"status": "Memory updated."}',
    )
    assert "not found in memory" in replies[2]
    assert "MemoryAPI_rec_sum.memory_replace() missing 2 required" in replies[3]
    assert snapshot == {"memory": "b" * 5_000}
