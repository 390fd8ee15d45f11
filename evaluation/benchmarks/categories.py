"""The category tree of a benchmark, as data: what counts where, and for how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum


class Mean(StrEnum):
    """How a group averages its members."""

    PLAIN = "plain"  # every member counts the same
    BY_CASES = "by cases"  # every member counts by its number of cases
    WEIGHTED = "weighted"  # by the members' own `weight`


@dataclass(frozen=True, slots=True)
class Category:
    """A leaf of the tree: a set of cases judged the same way.

    `cases` is the number the benchmark publishes (checked on loading). `unavailable` says in one
    sentence why this board cannot run the category, empty when it can. `modes` are those in which
    it can be asked. `in_sandbox` is true when `Suite.judge` may run only in the sandbox child.
    """

    name: str
    title: str
    cases: int
    modes: tuple[str, ...] = ("fc", "prompt")
    unavailable: str = ""
    weight: float = 1.0
    in_sandbox: bool = False
    is_extra: bool = False  # reported beside the benchmark; off by default, never in an average


@dataclass(frozen=True, slots=True)
class Group:
    """An inner node: the mean of its members, which are categories or groups."""

    name: str
    title: str
    members: tuple[Node, ...]
    mean: Mean = Mean.PLAIN
    weight: float = 1.0

    def leaves(self) -> Iterator[Category]:
        for member in self.members:
            if isinstance(member, Group):
                yield from member.leaves()
            else:
                yield member


Node = Category | Group


def without(node: Node, excluded: Mapping[str, int]) -> Node | None:
    """A node without so many cases of each category; None when none is left below it."""
    if isinstance(node, Category):
        left = node.cases - excluded.get(node.name, 0)
        return replace(node, cases=left) if left > 0 else None
    kept = [found for member in node.members if (found := without(member, excluded)) is not None]
    return replace(node, members=tuple(kept)) if kept else None
