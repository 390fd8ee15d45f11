"""Pairing expected calls with calls made, when their order does not matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Wanted = TypeVar("Wanted")
Made = TypeVar("Made")


def first_without_partner(
    wanted: Sequence[Wanted], made: Sequence[Made], fits: Callable[[Made, Wanted], bool]
) -> int | None:
    """Pair greedily: each wanted item, in order, takes the first free made item that fits it.

    Greedy on purpose and without backtracking: an earlier item may take the partner that a
    later one needed. That is the official rule; an optimal matching would be more lenient.

    Returns:
        The index of the first wanted item that finds no partner, None when all do.
    """
    free = list(range(len(made)))
    for index, item in enumerate(wanted):
        partner = next((place for place in free if fits(made[place], item)), None)
        if partner is None:
            return index
        free.remove(partner)
    return None
