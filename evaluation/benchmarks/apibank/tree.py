"""The categories: three levels, each by the domain of the tool that is due."""

from __future__ import annotations

import re

from evaluation.benchmarks.categories import Category, Group, Mean

LEVELS = {1: "Call", 2: "Retrieve+Call", 3: "Plan+Retrieve+Call"}
PUBLISHED_CALLS = {1: 389, 2: 119, 3: 245}  # each once; those with an erratum leave the count

# Calls that count, by level and domain.
COUNTS: dict[int, dict[str, int]] = {
    1: {
        "Account management": 115,
        "Schedule": 60,
        "Health management": 103,
        "Finance": 41,
        "Information query and processing": 39,
        "Smart home": 3,
        "Others": 15,
    },
    2: {
        "Tool search": 40,
        "Account management": 29,
        "Schedule": 20,
        "Health management": 14,
        "Finance": 3,
        "Information query and processing": 4,
        "Others": 4,
    },
    3: {
        "Tool search": 114,
        "People and accounts": 46,
        "Work and money": 26,
        "Travel and weather": 40,
        "Leisure": 15,
        "Information query and processing": 4,
    },
}

# What the recorded calls themselves reach: right ones, and all that count, by profile and level.
CEILINGS: dict[str, dict[int, tuple[int, int]]] = {
    "repaired": {1: (376, 376), 2: (114, 114), 3: (245, 245)},
    "upstream": {1: (329, 389), 2: (64, 119), 3: (121, 245)},
}


def slug(domain: str) -> str:
    return re.sub(r"[^a-z]+", "_", domain.lower())


def name_of(level: int, domain: str) -> str:
    return f"level_{level}_{slug(domain)}"


def _level(level: int) -> Group:
    leaves = tuple(
        Category(name_of(level, domain), f"Level {level}: {domain}", n, in_sandbox=True)
        for domain, n in COUNTS[level].items()
    )
    title = f"Level {level}: {LEVELS[level]}"
    return Group(f"level_{level}", title, leaves, mean=Mean.BY_CASES)


TREE = Group("overall", "All calls", tuple(_level(level) for level in LEVELS), mean=Mean.BY_CASES)
FREE = Category("level_3_free", "Level 3: tasks solved freely", 50, in_sandbox=True, is_extra=True)
EXTRAS = (FREE,)
CATEGORIES = {leaf.name: leaf for leaf in (*TREE.leaves(), *EXTRAS)}
