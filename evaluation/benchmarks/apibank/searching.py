"""Which way ToolSearcher finds tools: the lexical index, or a sentence encoder if one is wished.

The operator's choice is frozen with a run when it is scheduled; a run is played and judged by
what was frozen, whatever the machine is set to meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from evaluation.benchmarks import weights
from evaluation.benchmarks.apibank.toolsearch import Embedding
from evaluation.benchmarks.suite import BenchmarkMissing
from evaluation.engine.text import plain
from evaluation.engine.types import JSON

VARIABLE = "CALLBOARD_TOOL_SEARCH"
OPTION = "tool_search"
LEXICAL, EMBEDDING = "lexical", "all-MiniLM-L6-v2"
WAYS = (LEXICAL, EMBEDDING)


def chosen() -> str:
    """What the environment asks for. Raises BenchmarkMissing: unknown, or not installed."""
    way = os.environ.get(VARIABLE, "").strip() or LEXICAL
    if way not in WAYS:
        raise BenchmarkMissing(f"{VARIABLE} is {way!r}: set it to {' or '.join(WAYS)}.")
    if way == EMBEDDING and not weights.are_installed():
        raise BenchmarkMissing(
            f"{VARIABLE}={EMBEDDING} needs an embedding model that is not installed; "
            f"run: {weights.INSTALL}"
        )
    return way


def embedding(options: Mapping[str, JSON]) -> Embedding | None:
    """The encoder that a run was frozen with; None: the lexical index."""
    return _encoded if options.get(OPTION) == EMBEDDING else None


def _encoded(texts: Sequence[str]) -> Sequence[Sequence[float]]:
    # Late: the weights are read only where a search is due, and only if they are wanted.
    from evaluation.benchmarks.minilm import encoder

    rows: Sequence[Sequence[float]] = encoder().encode([plain(text) for text in texts]).tolist()
    return rows
