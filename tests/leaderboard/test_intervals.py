"""Intervals and comparisons of figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import intervals, paired

SHARES = st.floats(0, 1)
SIZES = st.integers(1, 10_000)


@pytest.mark.parametrize(
    ("share", "n", "low", "high"),
    [
        pytest.param(0.875, 16, 0.640, 0.965, id="live-parallel"),
        pytest.param(0.9475, 400, 0.921, 0.965, id="simple-python"),
        pytest.param(0.0, 10, 0.0, 0.278, id="none-right"),
        pytest.param(1.0, 10, 0.722, 1.0, id="all-right"),
    ],
)
def test_the_wilson_interval_is_the_known_one(
    share: float, n: int, low: float, high: float
) -> None:
    found = intervals.wilson(share, n)

    assert found == pytest.approx((low, high), abs=5e-4)


@given(SHARES, SIZES)
def test_an_interval_holds_its_figure_and_stays_a_fraction(share: float, n: int) -> None:
    low, high = intervals.wilson(share, n)

    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1


@pytest.mark.parametrize(("share", "n"), [(0.5, 0), (1.5, 10), (-0.1, 10)])
def test_what_is_no_accuracy_has_no_interval(share: float, n: int) -> None:
    with pytest.raises(ValueError, match="not an accuracy"):
        intervals.wilson(share, n)


def test_a_perfect_score_is_not_taken_for_certainty() -> None:
    assert intervals.variance(1.0, 16) > 0


def test_the_variance_of_an_average_weighs_by_the_square() -> None:
    found = intervals.variance_of_average({"a": 0.5, "b": 0.5}, {"a": 0.04, "b": 0.02})

    assert found == pytest.approx(0.015)


def test_figures_far_apart_can_be_told_apart() -> None:
    values, variances = [0.9, 0.5, 0.1], [1e-4] * 3

    spans = [found.span(3) for found in paired.compare(values, variances)]

    assert spans == [(1, 1), (2, 2), (3, 3)]


def test_figures_close_together_share_a_range() -> None:
    values, variances = [0.9, 0.51, 0.50, 0.1], [1e-4] * 4

    spans = [found.span(4) for found in paired.compare(values, variances)]

    assert spans == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_more_comparisons_ask_for_stronger_evidence() -> None:
    difference, variance = 0.025, 5e-5  # z = 2.5: significant alone, not among fifty

    alone = paired.compare([0.5, 0.5 - difference], [variance] * 2)
    among = paired.compare([0.5, *[0.5 - difference] * 50], [variance] * 51)

    assert (alone[0].worse, among[0].worse) == (1, 0)


def test_a_figure_of_unknown_variance_can_be_told_apart_from_none() -> None:
    found = paired.compare([0.9, 0.1], [float("inf"), 1e-6])

    assert [one.span(2) for one in found] == [(1, 2), (1, 2)]


@given(st.lists(st.tuples(SHARES, st.integers(1, 2000)), min_size=1, max_size=30))
def test_every_rank_lies_in_its_range(entries: list[tuple[float, int]]) -> None:
    ordered = sorted(entries, reverse=True)
    values = [share for share, _ in ordered]
    variances = [intervals.variance(share, n) for share, n in ordered]

    spans = [found.span(len(values)) for found in paired.compare(values, variances)]

    for index, (first, last) in enumerate(spans):
        strictly_better = sum(value > values[index] for value in values)
        strictly_worse = sum(value < values[index] for value in values)
        assert first <= strictly_better + 1
        assert last >= len(values) - strictly_worse


def test_ties_are_differences_under_a_billionth() -> None:
    assert intervals.tie_groups([0.5, 0.5 - 1e-12, 0.5 - 1e-8, 0.1]) == [0, 0, 1, 2]
