"""The categories: three levels, each by the domain of the tool that is due."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from evaluation.benchmarks.categories import Category, Group, Mean
from evaluation.benchmarks.suite import Ceilings, Share

LEVELS = {1: "Call", 2: "Retrieve+Call", 3: "Plan+Retrieve+Call"}

# Recorded calls, each once, by level and domain.
COUNTS: dict[int, dict[str, int]] = {
    1: {
        "Account management": 115,
        "Schedule": 60,
        "Health management": 103,
        "Finance": 41,
        "Information query and processing": 39,
        "Smart home": 16,
        "Others": 15,
    },
    2: {
        "Tool search": 45,
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

# Of these, calls that nobody can be judged on, by profile: they leave the count there.
EXCLUDED: dict[str, dict[int, dict[str, int]]] = {
    "repaired": {1: {"Smart home": 13}, 2: {"Tool search": 5}},
    "upstream": {
        1: {"Information query and processing": 9},
        2: {"Tool search": 45},
        3: {"Tool search": 114},
    },
}
# Of the calls that stay, recorded ones that the profile itself calls wrong.
REJECTED: dict[str, dict[int, dict[str, int]]] = {
    "repaired": {},
    "upstream": {
        1: {"Account management": 7, "Schedule": 11, "Health management": 20, "Smart home": 13},
        2: {"Schedule": 7, "Health management": 3},
        3: {"Work and money": 5, "Leisure": 5},
    },
}


def slug(domain: str) -> str:
    return re.sub(r"[^a-z]+", "_", domain.lower())


def name_of(level: int, domain: str) -> str:
    return f"level_{level}_{slug(domain)}"


def _level(level: int, unavailable: str = "") -> Group:
    leaves = tuple(
        Category(
            name_of(level, domain),
            f"Level {level}: {domain}",
            n,
            unavailable=unavailable,
            in_sandbox=True,
        )
        for domain, n in COUNTS[level].items()
    )
    title = f"Level {level}: {LEVELS[level]}"
    return Group(f"level_{level}", title, leaves, mean=Mean.BY_CASES)


def _tree(no_tasks: str = "") -> Group:
    levels = tuple(_level(level, no_tasks if level == 3 else "") for level in LEVELS)
    return Group("overall", "All calls", levels, mean=Mean.BY_CASES)


TREE = _tree()
FREE = Category("level_3_free", "Level 3: tasks solved freely", 50, in_sandbox=True)
# Answers in words: measured, neither right nor wrong, and asked for on demand only.
ANSWERS = {
    level: Category(
        f"level_{level}_answers",
        f"Level {level}: answers in words",
        n,
        in_sandbox=True,
        is_extra=True,
    )
    for level, n in ((1, 375), (2, 103), (3, 50))
}
EXTRAS = (FREE, *ANSWERS.values())
OF_TASKS = (FREE, ANSWERS[3])  # what cannot be asked without the tasks of level 3
CATEGORIES = {leaf.name: leaf for leaf in (*TREE.leaves(), *EXTRAS)}


def offered(no_tasks: str) -> tuple[Group, tuple[Category, ...]]:
    """The tree and what stands beside it; why there are no tasks of level 3, if there are none."""
    if not no_tasks:
        return TREE, EXTRAS
    extras = (replace(one, unavailable=no_tasks if one in OF_TASKS else "") for one in EXTRAS)
    return _tree(no_tasks), tuple(extras)


def _shares(profile: str) -> Iterator[tuple[str, Share]]:
    """What the recorded calls reach: right ones and all that count, by category, level, tree."""
    all_right = all_count = 0
    for level, counts in COUNTS.items():
        level_right = level_count = 0
        for domain, n in counts.items():
            count = n - EXCLUDED[profile].get(level, {}).get(domain, 0)
            right = count - REJECTED[profile].get(level, {}).get(domain, 0)
            yield name_of(level, domain), (right, count)
            level_right, level_count = level_right + right, level_count + count
        yield f"level_{level}", (level_right, level_count)
        all_right, all_count = all_right + level_right, all_count + level_count
    yield TREE.name, (all_right, all_count)
    if profile == "repaired":  # the published evaluation knows no free tasks
        yield FREE.name, (FREE.cases, FREE.cases)


CEILINGS: Ceilings = {profile: dict(_shares(profile)) for profile in EXCLUDED}

# Searches, reported apart from the calls they lead to. The counts are of the recorded keywords.
_SEARCH = (
    "Recall of ToolSearcher: the share of searches that find the tool which the recorded search "
    "found. From the recorded keywords alone the lexical index finds {} of {}, the sentence "
    "encoder {}; a run’s configuration says which of them it had."
)
NOTES: Mapping[str, str] = MappingProxyType(
    {
        "level_2_tool_search": _SEARCH.format(32, 45, 39),
        "level_3_tool_search": _SEARCH.format(114, 114, 114),
    }
)
