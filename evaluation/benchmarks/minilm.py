"""The sentence encoder all-MiniLM-L6-v2, computed from its weights. Sandbox only.

A vector memory embeds texts with this model, and so does one way of searching for tools.
The usual library brings a deep learning framework along; one small BERT forward pass needs numpy
alone: so the sandbox child keeps its limits, and nothing is downloaded. Wang et al. (2020),
"MiniLM".
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from evaluation.benchmarks import weights

MAX_TOKENS = 256  # longer texts are cut off there, the two marks at the ends included
HEADS, LAYERS = 12, 6
EPSILON = 1e-12
MAX_KNOWN = 2000  # embeddings remembered by one process

Array = Any  # numpy's own annotation is not available where numpy is not installed


class Encoder:
    """Embeds texts as unit vectors of 384 numbers; remembers those embedded before."""

    def __init__(self, folder: Path) -> None:
        self.weights = _read_weights(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.known: dict[str, Array] = {}

    def get_sentence_embedding_dimension(self) -> int:
        return int(self.weights["embeddings.LayerNorm.bias"].shape[0])

    def encode(self, texts: Sequence[str], normalize_embeddings: bool = True) -> Array:
        """One row for each text, float32. Vectors are always of length 1."""
        return np.stack([self._embedding(text) for text in texts])

    def _embedding(self, text: str) -> Array:
        if text not in self.known:
            if len(self.known) >= MAX_KNOWN:
                self.known.clear()
            self.known[text] = self._computed(self.tokenizer.encode(text).ids)
        return self.known[text]

    def _computed(self, tokens: Sequence[int]) -> Array:
        state = self._embedded(tokens)
        for layer in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}.")
        mean = state.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _embedded(self, tokens: Sequence[int]) -> Array:
        words = self.weights["embeddings.word_embeddings.weight"][list(tokens)]
        places = self.weights["embeddings.position_embeddings.weight"][: len(tokens)]
        kind = self.weights["embeddings.token_type_embeddings.weight"][0]
        return self._normed(words + places + kind, "embeddings.LayerNorm.")

    def _layer(self, state: Array, name: str) -> Array:
        attended = self._dense(self._attention(state, name), f"{name}attention.output.dense.")
        state = self._normed(state + attended, f"{name}attention.output.LayerNorm.")
        inner = _gelu(self._dense(state, f"{name}intermediate.dense."))
        outer = self._dense(inner, f"{name}output.dense.")
        return self._normed(state + outer, f"{name}output.LayerNorm.")

    def _attention(self, state: Array, name: str) -> Array:
        count, width = state.shape
        query, key, value = (
            self._dense(state, f"{name}attention.self.{part}.")
            .reshape(count, HEADS, width // HEADS)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32((width // HEADS) ** 0.5)
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = powers / powers.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(1, 0, 2).reshape(count, width)

    def _dense(self, state: Array, name: str) -> Array:
        return state @ self.weights[f"{name}weight"].T + self.weights[f"{name}bias"]

    def _normed(self, state: Array, name: str) -> Array:
        mean = state.mean(axis=-1, keepdims=True)
        spread = np.sqrt(state.var(axis=-1, keepdims=True) + np.float32(EPSILON))
        scaled = (state - mean) / spread
        return scaled * self.weights[f"{name}weight"] + self.weights[f"{name}bias"]


@cache
def encoder() -> Encoder:
    """The one encoder of this process. Raises LookupError where its weights are missing."""
    found = importlib.util.find_spec(weights.PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise LookupError(f"{weights.PACKAGE} is not installed")
    return Encoder(Path(next(iter(found.submodule_search_locations))) / "model")


def _gelu(values: Array) -> Array:
    """x·Φ(x), with erf to 1.5e-7 by Abramowitz & Stegun (1964), 7.1.26."""
    scaled = np.abs(values) / np.float32(2**0.5)
    step = 1 / (1 + np.float32(0.3275911) * scaled)
    series = np.zeros_like(step)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * step
    erf = np.sign(values) * (1 - series * np.exp(-scaled * scaled))
    return values * (1 + erf) / 2


def _read_weights(path: Path) -> Mapping[str, Array]:
    """The float32 tensors of a safetensors file: a length, a JSON header, the numbers."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content, np.float32, int(np.prod(entry["shape"])), start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }
