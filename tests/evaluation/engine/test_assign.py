"""Pairing without order is greedy, as officially."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.assign import first_without_partner


@pytest.mark.parametrize(
    ("wanted", "made", "lonely"),
    [
        pytest.param([1, 2], [2, 1], None, id="any-order"),
        pytest.param([1, 1], [1, 2], 1, id="each-partner-once"),
        pytest.param([0, 1], [1, 2], 1, id="an-earlier-item-takes-what-a-later-one-needed"),
        pytest.param([], [1], None, id="nothing-wanted"),
    ],
)
def test_pairing(wanted: list[int], made: list[int], lonely: int | None) -> None:
    def fits(item: int, want: int) -> bool:
        return want in (0, item)  # zero takes anything

    assert first_without_partner(wanted, made, fits) == lonely


@st.composite
def tables(draw: st.DrawFn) -> list[list[bool]]:
    """For every wanted item, whether each item made fits it."""
    made = draw(st.integers(0, 5))
    return draw(st.lists(st.lists(st.booleans(), min_size=made, max_size=made), max_size=5))


def partners(table: list[list[bool]]) -> list[int]:
    """The rule in one sentence: an item's partner is the first that fits and that no earlier
    item has. Ends before the first item without one.
    """
    found: list[int] = []
    for row in table:
        free = [place for place, fits in enumerate(row) if fits and place not in found]
        if not free:
            break
        found.append(free[0])
    return found


@given(tables())
def test_every_item_takes_the_first_free_one_that_fits_in_the_order_wanted(
    table: list[list[bool]],
) -> None:
    made = range(len(table[0]) if table else 0)
    asked: list[tuple[int, int]] = []

    def fits(item: int, want: int) -> bool:
        asked.append((want, item))
        return table[want][item]

    lonely = first_without_partner(range(len(table)), made, fits)

    taken = partners(table)
    assert lonely == (None if len(taken) == len(table) else len(taken))
    assert asked == sorted(asked), "answers are looked at in order, each from the first free call"
    assert not any(item in taken[:want] for want, item in asked)
