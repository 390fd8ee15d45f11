"""The vector memory; its tests need what requirements-vector.txt installs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evaluation.benchmarks import weights
from evaluation.benchmarks.bfcl_v4 import vectors
from evaluation.engine.play import World
from evaluation.sandbox.pool import SandboxPool
from tests.suites import real_suite

CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
MEMORY = World("evaluation.benchmarks.bfcl_v4.memory_worlds:build", {"class": "MemoryAPI_vector"})


@pytest.fixture
def _encoder() -> None:
    real_suite()
    if why := vectors.unavailable():
        pytest.skip(why)


def test_without_its_encoder_the_category_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weights, "NEEDED", ("surely_not_installed",))

    why = vectors.unavailable()

    assert why.endswith("-r requirements-vector.txt")


@pytest.mark.usefixtures("_encoder")
def test_embeddings_are_those_of_the_published_model() -> None:
    from evaluation.benchmarks.minilm import encoder

    (row,) = encoder().encode(["This is an example sentence"])

    assert [round(float(number), 5) for number in row[:4]] == [0.06766, 0.0635, 0.04871, 0.07931]


@pytest.mark.usefixtures("_encoder")
def test_the_vector_memory_finds_what_is_alike_after_going_on_from_a_snapshot() -> None:
    async def play() -> tuple[str, ...]:
        async with SandboxPool(1) as pool:
            first = await pool.open(MEMORY, CLOCK)
            await first.act(["core_memory_add('I live in Bern')", "core_memory_add('I am Ada')"])
            again = await pool.open(replace(MEMORY, start=await first.snapshot()), CLOCK)
            return await again.act(
                ["core_memory_retrieve(query='Which city?', top_k=1)", "core_memory_add('new')"]
            )

    found, added = asyncio.run(play())

    assert [entry["text"] for entry in json.loads(found)["result"]] == ["I live in Bern"]
    assert json.loads(added) == {"id": 2}


def test_an_index_with_ids_gives_the_best_rows_first() -> None:
    class Row(list[float]):
        def __matmul__(self, other: list[float]) -> float:
            return sum(a * b for a, b in zip(self, other, strict=True))

    index = vectors.IndexWithIds(vectors.FlatIndex(2))
    index.add_with_ids([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], [4, 5, 6])
    index.remove_ids([5])

    scores, ids = index.search([Row([0.0, 1.0])], 2)

    assert (scores, ids) == ([[0.8, 0.0]], [[6, 4]])
