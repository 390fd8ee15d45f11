"""Which columns a view of a board has. Pure: a tree in, columns and tabs out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from evaluation.benchmarks.categories import Category, Group, Node
from leaderboard.boards import OVERALL, RUNNABLE, Board
from leaderboard.ranking import leaf_weights, member_weights

SMALL = 50  # below this many cases one answer is worth more than two points


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures. `over` is the heading it shares with its neighbours."""

    key: str
    title: str
    note: str = ""
    over: str = ""


@dataclass(frozen=True, slots=True)
class Tab:
    """A way to another view; `is_here` is true for the view shown and the group it lies in."""

    key: str
    title: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class View:
    """One table of a board: what it is about, its columns, and the tabs around it."""

    key: str
    title: str
    columns: tuple[Column, ...]
    tabs: tuple[Tab, ...]
    members: tuple[Tab, ...]  # second row of tabs: the categories of the group shown
    note: str = ""  # what a reader must know about this view


def view_of(board: Board, key: str) -> View:
    """The view named `key`; Overall when there is none of that name."""
    node = board.node(key) or board.tree
    key = OVERALL if node is board.tree else node.name
    path = _path(board.tree, node)
    tabs = [Tab(OVERALL, "Overall", key == OVERALL)]
    tabs += [
        Tab(member.name, member.title, member in path)
        for member in (*_branches(board.tree), *board.extras)
    ]
    branch = next((member for member in _branches(board.tree) if member in path), None)
    members = tuple(
        Tab(leaf.name, leaf.title, leaf in path or leaf is node)
        for leaf in (branch.leaves() if isinstance(branch, Group) else ())
    )
    title = "Overall" if key == OVERALL else node.title
    columns = tuple(_columns(board, node))
    return View(key, title, columns, tuple(tabs), members, _note(board, node))


def _note(board: Board, node: Node) -> str:
    """A small category says so, and one that cannot be run here says why."""
    if not isinstance(node, Category):
        return ""
    n = board.sizes.get(node.name, node.cases)
    few = f"Only {n} cases: one answer is {100 / n:.3g} points." if 0 < n < SMALL else ""
    reason = board.unavailable.get(node.name, "")
    missing = f"This board does not run it. {reason}" if reason else ""
    return f"{few} {missing}".strip()


def _columns(board: Board, node: Node) -> Iterator[Column]:
    if isinstance(node, Category):
        yield Column(node.name, node.title, f"{board.sizes.get(node.name, node.cases):,} cases")
        for above in reversed(_path(board.tree, node)[1:-1]):
            yield Column(above.name, above.title, "group")
        yield Column(OVERALL, "Overall", "official")
        return
    if node is board.tree:
        yield Column(OVERALL, "Overall", "official")
        if not board.runs_everything:
            yield Column(RUNNABLE, "Runnable", _left_out(board))
    else:
        yield Column(node.name, node.title, f"{len(leaf_weights(node))} categories")
    yield from _member_columns(node)


def _member_columns(group: Group) -> Iterator[Column]:
    weights = zip(group.members, member_weights(group), strict=True)
    for member, weight in weights:
        if _is_only_groups(member):
            shares = zip(member.members, member_weights(member), strict=True)
            for inner, share in shares:
                yield Column(inner.name, inner.title, _percent(weight * share), member.title)
        else:
            yield Column(member.name, member.title, _percent(weight))


def _is_only_groups(node: Node) -> TypeGuard[Group]:
    return isinstance(node, Group) and all(isinstance(one, Group) for one in node.members)


def _branches(tree: Group) -> Iterator[Node]:
    """The tree's members; one that holds only groups is replaced by these."""
    for member in tree.members:
        if _is_only_groups(member):
            yield from member.members
        else:
            yield member


def _path(root: Node, wanted: Node) -> list[Node]:
    """The nodes from `root` to `wanted`, both included; empty when it is not below."""
    if root is wanted or root == wanted:
        return [root]
    for member in root.members if isinstance(root, Group) else ():
        if below := _path(member, wanted):
            return [root, *below]
    return []


def _left_out(board: Board) -> str:
    count = len(leaf_weights(board.tree))
    return f"{len(board.runnable)} of {count} categories"


def _percent(weight: float) -> str:
    return f"{100 * weight:.3g} %"
