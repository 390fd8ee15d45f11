"""Several calls from one question: “for Rome, Paris and Oslo” asks for three."""

from __future__ import annotations

import re
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


def spread(filler: Filler, tool: Tool, filled: Filled) -> list[dict[str, Any]]:
    """The arguments of each call: one set, or several where a parameter has several values."""
    used = {(mention.start, mention.end) for mention in filled.sources.values()}
    series: dict[str, list[Any]] = {}
    for parameter in tool.parameters:
        mention = filled.sources.get(parameter.name)
        if mention is None or parameter.type in ("array", "object"):
            continue
        row = _row(filler, parameter, mention, used)
        if len(row) > 1:
            series[parameter.name] = [written(parameter, one) for one in row]
    if not series:
        return [filled.arguments]
    return _combined(filled.arguments, series)


def _combined(arguments: dict[str, Any], series: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Values side by side where the rows are equally long, else every combination."""
    lengths = {len(row) for row in series.values()}
    rows = zip(*series.values(), strict=True) if len(lengths) == 1 else product(*series.values())
    calls = [{**arguments, **dict(zip(series, row, strict=True))} for row in rows]
    return calls if len(calls) <= MAX_CALLS else [arguments]


def _row(
    filler: Filler, parameter: Parameter, first: Mention, used: set[tuple[int, int]]
) -> list[Mention]:
    """Mentions of one kind that belong to a parameter together, in the order of the text."""
    pool = filler.mentions.numbers if first.kind == "number" else filler.mentions.texts
    free = [
        one
        for one in pool
        if one.kind == first.kind
        and ((one.start, one.end) not in used or one == first)
        and not STATE.fullmatch(str(one.value))
    ]
    position = free.index(first) if first in free else -1
    if position < 0:
        return [first]
    row = _joined(filler, free, position)
    if len(row) == 1 and first.kind == "number":
        row = [one for one in free if one == first or _repeats(filler, parameter, one)]
    return row


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
