"""Pairing without order is greedy, as officially."""

from __future__ import annotations

import pytest

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
