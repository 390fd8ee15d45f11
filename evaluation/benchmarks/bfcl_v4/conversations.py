"""The cases of several turns or several steps: multi-turn, memory, web search.

They are read as shipped; what a question gains on its way to a model is added in `multi_turn`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from evaluation.benchmarks.bfcl_v4 import package
from evaluation.benchmarks.suite import BenchmarkBroken, Chain
from evaluation.engine.types import JSON, CaseData

MULTI_TURN = (
    "multi_turn_base",
    "multi_turn_miss_func",
    "multi_turn_miss_param",
    "multi_turn_long_context",
)
MEMORY = ("memory_kv", "memory_vector", "memory_rec_sum")
WEB_SEARCH = ("web_search_base", "web_search_no_snippet")
CATEGORIES = (*MULTI_TURN, *MEMORY, *WEB_SEARCH)
# Memory and web search have one file each, shared by their variants.
SHARED_FILES = {"memory": MEMORY, "web_search": WEB_SEARCH}
PREREQUISITE = "prerequisite"  # the key that marks a question as one of a chain


@cache
def cases(category: str) -> tuple[CaseData, ...]:
    """Every case of one category in dataset order, joined with its answer line by line.

    Raises:
        KeyError: No such category here.
        BenchmarkMissing, BenchmarkBroken: The data is not installed or not what it should be.
    """
    if category not in CATEGORIES:
        raise KeyError(category)
    shared = _shared_word(category)
    questions = _lines(f"data/BFCL_v4_{shared}.json")
    answers = _lines(f"data/possible_answer/BFCL_v4_{shared}.json")
    if len(questions) != len(answers):
        raise BenchmarkBroken(f"{category}: {len(questions)} questions, {len(answers)} answers")
    return tuple(
        _case(question, category, answer["ground_truth"])
        for question, answer in zip(questions, answers, strict=True)
    )


def chains(category: str) -> tuple[Chain, ...]:
    """The scenarios of a memory category: conversations in order, and the questions after them."""
    if category not in MEMORY:
        return ()
    scenarios: list[str] = package.constants("constants/category_mapping.py")[
        "MEMORY_SCENARIO_NAME"
    ]
    found = (_chain(category, scenario) for scenario in scenarios)
    return tuple(sorted(found, key=lambda chain: _number(chain.prerequisites[0].id)))


@cache
def function_docs(class_name: str) -> tuple[JSON, ...]:
    """The descriptions of one simulated class's functions. Shared: not to be changed."""
    files = package.constants("constants/executable_backend_config.py")[
        "MULTI_TURN_FUNC_DOC_FILE_MAPPING"
    ]
    return tuple(_lines(f"data/multi_turn_func_doc/{files[class_name]}"))


def functions_of(question: Mapping[str, JSON]) -> tuple[list[JSON], dict[int, list[JSON]]]:
    """What a case offers from the start, and what it holds back until which turn (from 0)."""
    offered = [doc for name in question["involved_classes"] for doc in function_docs(name)]
    held_back: dict[int, list[JSON]] = {}
    for turn, names in question.get("missed_function", {}).items():
        held_back[int(turn)] = [doc for name in names for doc in _taken(offered, name)]
    return offered, held_back


def _number(case_id: str) -> int:
    """The number of a memory case over all scenarios: 15 in `memory_kv_prereq_15-finance-0`."""
    return int(case_id.rpartition("_")[2].partition("-")[0])


def _taken(offered: list[JSON], name: str) -> list[JSON]:
    """Take the first function of this name away from `offered`; nothing if there is none."""
    for position, doc in enumerate(offered):
        if doc["name"] == name:
            return [offered.pop(position)]
    return []


def _chain(category: str, scenario: str) -> Chain:
    conversations = _lines(f"data/memory_prereq_conversation/memory_{scenario}.json")
    prerequisites = tuple(
        _case({**line, "scenario": scenario, PREREQUISITE: True}, category, None)
        for line in conversations
    )
    dependents = tuple(
        case.id for case in cases(category) if case.question["scenario"] == scenario
    )
    return Chain(scenario, prerequisites, dependents)


def _case(line: Mapping[str, JSON], category: str, answer: JSON) -> CaseData:
    question = {key: value for key, value in line.items() if key != "id"}
    if category in MEMORY:
        question["involved_classes"] = [f"MemoryAPI_{category.removeprefix('memory_')}"]
    case_id: str = line["id"].replace(_shared_word(category), category)
    return CaseData(case_id, category, question, answer)


def _shared_word(category: str) -> str:
    return next((word for word, names in SHARED_FILES.items() if category in names), category)


def _lines(relative: str) -> Sequence[Any]:
    try:
        text = (package.root() / relative).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines() if line]
    except (OSError, ValueError) as error:
        raise BenchmarkBroken(f"{relative} cannot be read: {error}") from error
