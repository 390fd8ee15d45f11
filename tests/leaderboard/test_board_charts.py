"""Axes of a board's plots."""

from __future__ import annotations

from math import log10

from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.board_charts import against, log_axis
from leaderboard.boards import Row
from leaderboard.plots import Point, labels
from leaderboard.ranking import Score, category_figure

POSITIVE = st.floats(0.0001, 1_000_000)


@given(st.lists(POSITIVE, min_size=1, max_size=20))
@example([0.119, 0.122])
@example([1.0])
def test_a_logarithmic_axis_has_two_ticks_to_read_by(values: list[float]) -> None:
    axis = log_axis(values)

    start, end = axis.get("range", (log10(min(values)), log10(max(values))))
    assert start <= log10(min(values)) <= log10(max(values)) <= end
    assert sum(start <= log10(tick) <= end for tick in axis["tickvals"]) >= 2


def a_row(entry: int, name: str, mode: str = "fc") -> Row:
    return Row(entry, "a", name, "Lab", "MIT", "", True, mode, "verified", 1, None, {})


def a_point(row: Row, x: float, value: float) -> Point:
    figure = category_figure("multiple", Score(200, value))
    assert figure is not None
    return Point(row, x, figure, value, is_on_front=True)


def test_a_model_that_stands_there_twice_is_named_by_its_mode() -> None:
    rows = [a_row(1, "Ada"), a_row(2, "Ada", "prompt"), a_row(3, "Bob")]

    assert list(labels(rows).values()) == ["Ada (FC)", "Ada (Prompt)", "Bob"]


def test_names_beside_dots_ask_for_the_width_that_keeps_them_off_the_axis() -> None:
    found = [a_point(a_row(n, "A long name"), 10.0**n, 0.2 * n) for n in (1, 2, 3)]

    names = {one["x"]: one for one in against(found, "cost", "Overall")["layout"]["annotations"]}

    assert names[1]["xanchor"] == "left"
    assert names[1]["yanchor"] == "top"
    assert names[2]["needs"] > names[3]["needs"]
