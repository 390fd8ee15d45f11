"""Which columns a view of a board has. Pure: a tree in, columns and tabs out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
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


FACTS = {  # what a row can tell beside its figures
    "cost": Column("cost", "Cost", "US$, whole run"),
    "latency": Column("latency", "Latency", "mean, a request"),
    "case_latency": Column("case_latency", "Latency of a case", "mean"),
    "n": Column("n", "n", "asked, coverage"),
    "date": Column("date", "Date", "figures of"),
    "licence": Column("licence", "Licence", "weights"),
}
ALWAYS = ("n",)  # facts shown unless the reader drops them; cost and latency: if any is known


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
    members: tuple[Tab, ...]  # second row of tabs: what the group shown is made of
    facts: tuple[Column, ...] = ()  # columns that are no figures
    note: str = ""  # what a reader must know about this view

    @property
    def keys(self) -> tuple[str, ...]:
        """Every column shown, by key."""
        return tuple(column.key for column in (*self.columns, *self.facts))


def view_of(board: Board, key: str, chosen: Collection[str] = ()) -> View:
    """The view named `key`; Overall when there is none of that name.

    `chosen` are the keys of the columns a reader wants; without any, the view has its own. The
    column it is ranked by stays whatever was chosen.
    """
    node = board.node(key) or board.tree
    key = OVERALL if node is board.tree else node.name
    path = _path(board.tree, node) or [node]
    branch = next((one for one in reversed(path) if one in list(_branches(board.tree))), None)
    here = branch or node
    tabs = [Tab(OVERALL, "Overall", key == OVERALL)]
    tabs += [
        Tab(one.name, one.title, one is here) for one in (*_branches(board.tree), *board.extras)
    ]
    members = tuple(Tab(one.name, one.title, one is node) for one in _below(branch))
    columns, facts = _kept(board, key, node, chosen)
    return View(
        key=key,
        title="Overall" if key == OVERALL else node.title,
        columns=columns,
        tabs=tuple(tabs),
        members=members,
        facts=facts,
        note=_note(board, node),
    )


def _kept(
    board: Board, key: str, node: Node, chosen: Collection[str]
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Columns of figures and of facts: those chosen, or the view's own."""
    own = tuple(_columns(board, node))
    if not chosen:
        return own, tuple(FACTS[name] for name in _own_facts(board))
    main = board.main(key)
    wanted = {main, *chosen}
    own_keys = {column.key for column in own}
    added = (one for one in every_column(board) if one.key in wanted and one.key not in own_keys)
    figures = (*(one for one in own if one.key in wanted), *added)
    return figures, tuple(fact for name, fact in FACTS.items() if name in wanted)


def _own_facts(board: Board) -> Iterator[str]:
    if any(row.cost is not None for row in board.rows):
        yield "cost"
    if any(row.latency is not None for row in board.rows):
        yield "latency"
    yield from ALWAYS


def every_column(board: Board) -> list[Column]:
    """Every figure this board has, from Overall down to single categories."""
    found = _overall(board)
    nodes = (node for name, node in board.nodes.items() if node is not board.tree)
    extras = {extra.name for extra in board.extras}
    ordered = sorted(nodes, key=lambda node: node.name in extras)
    return found + [Column(node.name, node.title, _size(board, node)) for node in ordered]


def choosable(board: Board) -> Sequence[tuple[str, list[Column]]]:
    """The same in groups, for a menu; the facts last."""
    columns = {column.key: column for column in every_column(board)}
    overall = [columns[key] for key in (OVERALL, RUNNABLE) if key in columns]
    tops = [node for node in board.tree.members if isinstance(node, Group)]
    single = [node for node in (*board.tree.members, *board.extras) if node not in tops]
    groups = [(top.title, [columns[node.name] for node in (top, *_below(top))]) for top in tops]
    beside = [columns[node.name] for node in single]
    menu = [("Overall", overall), *groups, ("Beside", beside), ("Facts", list(FACTS.values()))]
    return [(title, listed) for title, listed in menu if listed]


def column_keys(board: Board) -> list[str]:
    """Everything a reader may ask to see."""
    return [*(column.key for column in every_column(board)), *FACTS]


def _below(node: Node | None) -> Iterator[Node]:
    """Every group and category under a node, from the top down."""
    for member in node.members if isinstance(node, Group) else ():
        yield member
        yield from _below(member)


def _size(board: Board, node: Node) -> str:
    if isinstance(node, Category):
        n = board.sizes.get(node.name, node.cases)
        return _small(n) or f"{n:,} cases"
    return f"{len(leaf_weights(node))} categories"


def _small(n: int) -> str:
    """What must stand over the figures of a category with few cases; empty for others."""
    return f"{n} cases, 1 is {100 / n:.3g}" if 0 < n < SMALL else ""


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
        yield Column(node.name, node.title, _size(board, node))
        for above in reversed(_path(board.tree, node)[1:-1]):
            yield Column(above.name, above.title, "group")
        yield Column(OVERALL, "Overall", "official")
        return
    if node is board.tree:
        yield from _overall(board)
    else:
        yield Column(node.name, node.title, f"{len(leaf_weights(node))} categories")
    yield from _member_columns(board, node)


def _overall(board: Board) -> list[Column]:
    """Overall and what this board can run of it, the one that ranks first: phones show one."""
    both = [Column(OVERALL, "Overall", "official")]
    if not board.runs_everything:
        both.append(Column(RUNNABLE, "Runnable", _left_out(board)))
    return sorted(both, key=lambda column: column.key != board.main(OVERALL))


def _member_columns(board: Board, group: Group) -> Iterator[Column]:
    weights = zip(group.members, member_weights(group), strict=True)
    for member, weight in weights:
        if _is_only_groups(member):
            shares = zip(member.members, member_weights(member), strict=True)
            for inner, share in shares:
                yield Column(inner.name, inner.title, _percent(weight * share), member.title)
        else:
            n = board.sizes.get(member.name, member.cases) if isinstance(member, Category) else 0
            yield Column(member.name, member.title, _small(n) or _percent(weight))


def _is_only_groups(node: Node) -> TypeGuard[Group]:
    return isinstance(node, Group) and all(isinstance(one, Group) for one in node.members)


def _branches(tree: Group) -> Iterator[Node]:
    """The tree's members; after one that holds only groups come these."""
    for member in tree.members:
        yield member
        if _is_only_groups(member):
            yield from member.members


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
