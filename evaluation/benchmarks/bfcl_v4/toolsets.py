"""The functions that multi-turn, memory and web search cases offer: those of simulated classes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from evaluation.benchmarks.bfcl_v4 import package
from evaluation.benchmarks.suite import BenchmarkBroken
from evaluation.engine.types import JSON, CaseData

MEMORY = "memory_"  # memory categories are named after the memory they use


def classes_of(case: CaseData) -> list[str]:
    """The simulated classes of a case. Memory cases share one file, so theirs is named here."""
    if case.category.startswith(MEMORY):
        return [f"MemoryAPI_{case.category.removeprefix(MEMORY)}"]
    classes: list[str] = case.question["involved_classes"]
    return classes


def functions_of(case: CaseData) -> tuple[list[JSON], dict[int, list[JSON]]]:
    """What a case offers from the start, and what it holds back until which turn (from 0)."""
    offered = [doc for name in classes_of(case) for doc in function_docs(name)]
    held_back: dict[int, list[JSON]] = {}
    for turn, names in case.question.get("missed_function", {}).items():
        held_back[int(turn)] = [doc for name in names for doc in _taken(offered, name)]
    return offered, held_back


@cache
def function_docs(class_name: str) -> tuple[JSON, ...]:
    """The descriptions of one simulated class's functions. Shared: not to be changed."""
    files = package.constants("constants/executable_backend_config.py")[
        "MULTI_TURN_FUNC_DOC_FILE_MAPPING"
    ]
    return tuple(read_lines(f"data/multi_turn_func_doc/{files[class_name]}"))


def read_lines(relative: str) -> Sequence[Any]:
    """A file of the package with a JSON value in each line. Raises BenchmarkBroken."""
    try:
        text = (package.root() / relative).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]
    except (OSError, ValueError) as error:
        raise BenchmarkBroken(f"{relative} cannot be read: {error}") from error


def _taken(offered: list[JSON], name: str) -> list[JSON]:
    """Take the first function of this name away from `offered`; nothing if there is none."""
    for position, doc in enumerate(offered):
        if doc["name"] == name:
            return [offered.pop(position)]
    return []
