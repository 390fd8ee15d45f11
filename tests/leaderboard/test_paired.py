"""Paired tests of entries on the same cases."""

from __future__ import annotations

from itertools import pairwise
from math import comb
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import paired
from leaderboard.intervals import variance


def exact_p(first: int, second: int) -> float:
    total = first + second
    tail = sum(comb(total, k) for k in range(min(first, second) + 1))
    return min(1.0, float(2 * tail / 2**total))


def agreement(*answers: list[int], n: int = 100) -> paired.Agreement:
    return paired.agreement([np.array(one, np.int64) for one in answers], n)


def compared(*answers: list[int], n: int = 100) -> list[tuple[int, int]]:
    """Ranges of entries in one category, given the cases each got right."""
    values = [len(one) / n for one in answers]
    shared = paired.Shared(range(len(answers)), [(1.0, agreement(*answers, n=n))])
    found = paired.compare(values, [variance(value, n) for value in values], shared)
    return [one.span(len(answers)) for one in found]


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_exact(first: int, second: int) -> None:
    only_first = np.array([[0, first], [second, 0]], np.int64)

    strength = paired.mcnemar(only_first)

    p = 2 * (1 - NormalDist().cdf(float(strength[0, 1])))
    assert p == pytest.approx(exact_p(first, second), rel=1e-6, abs=1e-12)
    assert strength[0, 1] == strength[1, 0]


def test_mcnemar_of_many_differing_cases_neither_overflows_nor_underflows() -> None:
    strength = paired.mcnemar(np.array([[0, 4441], [0, 0]], np.int64))

    assert np.isfinite(strength).all()
    assert strength[0, 1] >= 37


def test_agreement_counts_cases_right_in_both() -> None:
    found = agreement([1, 2, 3], [3, 4], [], n=9)

    assert found.right.tolist() == [3, 2, 0]
    assert found.both.tolist() == [[3, 1, 0], [1, 2, 0], [0, 0, 0]]
    assert found.only_first[0, 1] == 2


def test_pairing_tells_apart_what_two_intervals_could_not() -> None:
    better, worse = list(range(60)), list(range(50))  # ten cases more, none fewer

    assert compared(better, worse) == [(1, 1), (2, 2)]
    values = [0.6, 0.5]
    unpaired = paired.compare(values, [variance(value, 100) for value in values])
    assert [one.span(2) for one in unpaired] == [(1, 2), (1, 2)]


def test_as_many_differences_each_way_tell_nothing() -> None:
    assert compared(list(range(50)), list(range(25, 75))) == [(1, 2), (1, 2)]


def test_five_of_five_differing_cases_are_too_few() -> None:
    assert compared(list(range(55)), list(range(50))) == [(1, 2), (1, 2)]  # p = 1/16


def test_holm_asks_more_of_an_entry_that_is_compared_with_many() -> None:
    six_more = [list(range(56)), list(range(50))]  # p = 1/32 alone
    others = [list(range(50)) for _ in range(8)]

    assert compared(*six_more) == [(1, 1), (2, 2)]
    assert compared(*six_more, *others)[0] == (1, 10)


def test_an_average_is_compared_over_the_differences_of_its_categories() -> None:
    first = agreement(list(range(60)), list(range(50)))
    second = agreement(list(range(60)), list(range(50)))
    shared = paired.Shared((0, 1), [(0.5, first), (0.5, second)])
    wide = variance(0.5, 100)

    found = paired.compare([0.6, 0.5], [wide, wide], shared)

    assert [one.span(2) for one in found] == [(1, 1), (2, 2)]


def test_identical_answers_in_all_categories_are_never_told_apart() -> None:
    same = agreement(list(range(50)), list(range(50)))
    shared = paired.Shared((0, 1), [(0.5, same), (0.5, same)])

    found = paired.compare([0.5, 0.5], [0.0, 0.0], shared)

    assert [one.span(2) for one in found] == [(1, 2), (1, 2)]


def test_an_unknown_variance_can_be_told_apart_from_nothing() -> None:
    found = paired.compare([0.9, 0.1, 0.5], [float("inf"), 1e-6, 1e-6])

    assert [one.span(3) for one in found] == [(1, 3), (2, 3), (1, 2)]


def test_paired_and_unpaired_entries_stand_in_one_ranking() -> None:
    answers = agreement(list(range(60)), list(range(50)))
    shared = paired.Shared((0, 2), [(1.0, answers)])
    values = [0.6, 0.55, 0.5]

    found = paired.compare(values, [variance(value, 100) for value in values], shared)

    spans = [one.span(3) for one in found]
    assert spans == [(1, 2), (1, 3), (2, 3)]
    assert [one.is_paired for one in found] == [True, False, True]


@pytest.mark.parametrize("count", [0, 1])
def test_few_entries_have_nothing_to_be_compared_with(count: int) -> None:
    found = paired.compare([0.5] * count, [0.01] * count)

    assert [one.span(count) for one in found] == [(1, 1)] * count


@given(st.lists(st.sets(st.integers(0, 39)), min_size=2, max_size=12))
def test_a_range_always_holds_a_rank_and_stays_on_the_board(answers: list[set[int]]) -> None:
    ordered = sorted((sorted(one) for one in answers), key=len, reverse=True)

    spans = compared(*ordered, n=40)

    assert all(1 <= low <= high <= len(ordered) for low, high in spans)
    assert all(one[0] <= two[1] for one, two in pairwise(spans))


def test_only_entries_with_every_category_of_a_figure_share_it() -> None:
    known = {
        "a": ([7, 8, 9], agreement([1], [1, 2], [3])),
        "b": ([9, 7], agreement([5], [5, 6])),
    }

    found = paired.shared_of([9, 8, 7], {"a": 0.5, "b": 0.5}, known)

    assert found is not None
    assert found.places == [0, 2]
    assert [part.right.tolist() for _, part in found.parts] == [[1, 1], [1, 2]]
    assert paired.shared_of([9, 8, 7], {"a": 0.5, "c": 0.5}, known) is None
