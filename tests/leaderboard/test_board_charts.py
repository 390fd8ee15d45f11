"""Axes of a board's plots."""

from __future__ import annotations

from math import log10

from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.board_charts import log_axis

POSITIVE = st.floats(0.0001, 1_000_000)


@given(st.lists(POSITIVE, min_size=1, max_size=20))
@example([0.119, 0.122])
@example([1.0])
def test_a_logarithmic_axis_has_two_ticks_to_read_by(values: list[float]) -> None:
    axis = log_axis(values)

    start, end = axis.get("range", (log10(min(values)), log10(max(values))))
    assert start <= log10(min(values)) <= log10(max(values)) <= end
    assert sum(start <= log10(tick) <= end for tick in axis["tickvals"]) >= 2
