"""Several calls from one question: “for Rome, Paris and Oslo” asks for three."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from evaluation.reference.filling import Filled, Filler, written
from evaluation.reference.fitting import fits_number, nearness
from evaluation.reference.mentions import Mention
from evaluation.reference.schema import Parameter, Tool

MAX_CALLS = 12
STATE = re.compile(r"[A-Z]{2}")
JOINT = re.compile(
    r"(?:,\s*[A-Z]{2})?[\s'\"`]*(,|and|or|&|,\s*and|as well as|,\s*or"
    r"|,?\s*and (the|a|also|for|in|of))[\s'\"`]*"
)
REPEATED = 2.5  # points from which a further number belongs to the same parameter


@dataclass(frozen=True, slots=True)
class Row:
    """Values of one parameter, one for each call. Joined ones stand side by side in the text."""

    values: list[Any]
    is_joined: bool


def spread(filler: Filler, tool: Tool, filled: Filled) -> list[dict[str, Any]]:
    """The arguments of each call: one set, or several where a parameter has several values."""
    used = {(mention.start, mention.end) for mention in filled.sources.values()}
    rows = dict(_rows(filler, tool, filled, used))
    if not rows:
        return [filled.arguments]
    lengths = {len(row.values) for row in rows.values()}
    if len(lengths) == 1:
        rows |= _choices(filler, tool, filled, lengths.pop())
        return _calls(filled.arguments, rows, list(zip(*_values(rows), strict=True)))
    if all(row.is_joined for row in rows.values()):
        return _calls(filled.arguments, rows, list(product(*_values(rows))))
    return [filled.arguments]


def _values(rows: dict[str, Row]) -> list[list[Any]]:
    return [row.values for row in rows.values()]


def _calls(
    arguments: dict[str, Any], rows: dict[str, Row], values: list[tuple[Any, ...]]
) -> list[dict[str, Any]]:
    calls = [{**arguments, **dict(zip(rows, one, strict=True))} for one in values]
    return calls if len(calls) <= MAX_CALLS else [arguments]


def _rows(
    filler: Filler, tool: Tool, filled: Filled, used: set[tuple[int, int]]
) -> Iterator[tuple[str, Row]]:
    owners = _owners(filler, tool, filled, used)
    for parameter in tool.parameters:
        mention = filled.sources.get(parameter.name)
        lists = filler.mentions.lists
        if parameter.type == "array" and len(lists) > 1 and _is_only_array(tool, parameter):
            yield parameter.name, Row([one.value for one in lists], is_joined=True)
        if mention is None or parameter.type in ("array", "object"):
            continue
        joined = _side_by_side(filler, mention, used)
        apart = owners.get(parameter.name, [])
        if len(joined) > 1:
            yield parameter.name, Row([written(parameter, one) for one in joined], True)
        elif apart:
            row = sorted([mention, *apart], key=lambda one: one.start)
            yield parameter.name, Row([written(parameter, one) for one in row], False)


def _is_only_array(tool: Tool, parameter: Parameter) -> bool:
    return [one.name for one in tool.parameters if one.type == "array"] == [parameter.name]


def _owners(
    filler: Filler, tool: Tool, filled: Filled, used: set[tuple[int, int]]
) -> dict[str, list[Mention]]:
    """Numbers nobody took yet, each with the parameter it fits best."""
    numeric = [
        one
        for one in tool.parameters
        if one.name in filled.sources and filled.sources[one.name].kind == "number"
    ]
    owned: dict[str, list[Mention]] = {}
    for mention in filler.mentions.numbers if numeric else ():
        if (mention.start, mention.end) in used:
            continue
        best = max(numeric, key=lambda one: fits_number(one, mention, filler.place))
        if _repeats(filler, best, mention):
            owned.setdefault(best.name, []).append(mention)
    return owned


def _choices(filler: Filler, tool: Tool, filled: Filled, length: int) -> dict[str, Row]:
    """Parameters with a closed set of values, of which the question names one for each call."""
    rows = {}
    for parameter in tool.parameters:
        named = filler.named_in_order(parameter.enum) if parameter.enum else []
        if parameter.name in filled.arguments and len(named) == length:
            rows[parameter.name] = Row(named, is_joined=True)
    return rows


def _side_by_side(filler: Filler, first: Mention, used: set[tuple[int, int]]) -> list[Mention]:
    """Mentions of one kind that stand together with the first, in the order of the text."""
    pool = filler.mentions.numbers if first.kind == "number" else filler.mentions.texts
    free = [
        one
        for one in pool
        if one.kind == first.kind
        and ((one.start, one.end) not in used or one == first)
        and not STATE.fullmatch(str(one.value))
    ]
    return _joined(filler, free, free.index(first)) if first in free else [first]


def _joined(filler: Filler, free: list[Mention], position: int) -> list[Mention]:
    row = [free[position]]
    for one in free[position + 1 :]:
        if not _are_joined(filler, row[-1], one):
            break
        row.append(one)
    for one in reversed(free[:position]):
        if not _are_joined(filler, one, row[0]):
            break
        row.insert(0, one)
    between = filler.question[row[0].end : row[-1].start]
    # Two with a mere comma between them are one thing: “Denver, Colorado”.
    is_list = len(row) > 2 or re.search(r"\b(and|or)\b|&", between)
    return row if is_list else [free[position]]


def _are_joined(filler: Filler, left: Mention, right: Mention) -> bool:
    return JOINT.fullmatch(filler.question[left.end : right.start]) is not None


def _repeats(filler: Filler, parameter: Parameter, mention: Mention) -> bool:
    points = fits_number(parameter, mention, filler.place)
    return points >= REPEATED and nearness(parameter, mention, filler.place) > 1.0
