"""All tools, by name: those of the first two levels, and those of the third."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evaluation.benchmarks.apibank.tools import (
    accounts,
    daily,
    health,
    home,
    knowledge,
    meetings,
    online,
    planning,
    schedule,
)
from evaluation.benchmarks.apibank.tools.base import Tool

DIALOGUE_TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.name: tool
        for module in (accounts, daily, health, home, knowledge, meetings, online, schedule)
        for tool in module.TOOLS
    }
)
PLANNING_TOOLS: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in planning.TOOLS})


def tools_of(level: int) -> Mapping[str, Tool]:
    """The tools there are at a level, 1 to 3."""
    return PLANNING_TOOLS if level == 3 else DIALOGUE_TOOLS
