"""Memory scenarios: conversations that fill a memory in order, and the questions after them."""

from __future__ import annotations

from evaluation.benchmarks.bfcl_v4 import loader, package
from evaluation.benchmarks.bfcl_v4.toolsets import MEMORY, read_lines
from evaluation.benchmarks.suite import Chain
from evaluation.engine.types import CaseData

PREREQUISITE = "prerequisite"  # the key that marks a question as one of a chain


def chains(category: str) -> tuple[Chain, ...]:
    """One chain for each scenario of a memory category; none for any other category."""
    if not category.startswith(MEMORY):
        return ()
    scenarios = package.constants("constants/category_mapping.py")["MEMORY_SCENARIO_NAME"]
    found = (_chain(category, scenario) for scenario in scenarios)
    return tuple(sorted(found, key=lambda chain: _number(chain.prerequisites[0].id)))


def is_prerequisite(case: CaseData) -> bool:
    return PREREQUISITE in case.question


def _chain(category: str, scenario: str) -> Chain:
    prerequisites = tuple(
        CaseData(
            line["id"].replace("memory", category),
            category,
            {"question": line["question"], "scenario": scenario, PREREQUISITE: True},
        )
        for line in read_lines(f"data/memory_prereq_conversation/memory_{scenario}.json")
    )
    dependents = tuple(
        case.id for case in loader.cases(category) if case.question["scenario"] == scenario
    )
    return Chain(scenario, prerequisites, dependents)


def _number(case_id: str) -> int:
    """The number of a memory case over all scenarios: 15 in `memory_kv_prereq_15-finance-0`."""
    return int(case_id.rpartition("_")[2].partition("-")[0])
