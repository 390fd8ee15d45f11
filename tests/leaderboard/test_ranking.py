"""From scores and weights to figures, ranks and bands."""

from __future__ import annotations

import pytest

from evaluation.benchmarks.bfcl_v4.tree import OVERALL
from evaluation.benchmarks.categories import Category, Group, Mean
from leaderboard import paired, ranking
from leaderboard.intervals import variance
from leaderboard.ranking import Score

# Shares of one made-up model, and what the official aggregation makes of them.
SHARES = {
    "simple_python": (0.95, 400),
    "simple_java": (0.6, 100),
    "simple_javascript": (0.7, 50),
    "multiple": (0.9, 200),
    "parallel": (0.9, 200),
    "parallel_multiple": (0.8, 200),
    "irrelevance": (0.9, 240),
    "live_simple": (0.8, 258),
    "live_multiple": (0.7, 1053),
    "live_parallel": (0.5, 16),
    "live_parallel_multiple": (0.5, 24),
    "live_irrelevance": (0.8, 884),
    "live_relevance": (1.0, 16),
    "multi_turn_base": (0.5, 200),
    "multi_turn_miss_func": (0.4, 200),
    "multi_turn_miss_param": (0.3, 200),
    "multi_turn_long_context": (0.2, 200),
    "web_search_base": (0.4, 100),
    "web_search_no_snippet": (0.2, 100),
    "memory_kv": (0.1, 155),
    "memory_vector": (0.2, 155),
    "memory_rec_sum": (0.3, 155),
}
SCORES = {name: Score(n, share) for name, (share, n) in SHARES.items()}
SIZES = {name: n for name, (_, n) in SHARES.items()}
OFFICIAL = {
    "non_live": 0.8375,
    "live": 0.7131754256106587,
    "irrelevance_detection": 0.85,
    "multi_turn": 0.35,
    "agentic": 0.25,
    "overall": 0.4450675425610659,
}


def _groups() -> dict[str, Group]:
    members = [member for member in OVERALL.members if isinstance(member, Group)]
    return {group.name: group for group in (OVERALL, *members)}


def _average(node: Group, scores: dict[str, Score]) -> ranking.Figure:
    return ranking.average(ranking.leaf_weights(node), scores, SIZES)


@pytest.mark.parametrize(("name", "expected"), OFFICIAL.items())
def test_averages_equal_the_official_ones(name: str, expected: float) -> None:
    figure = _average(_groups()[name], SCORES)

    assert figure.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("group", _groups().values(), ids=lambda group: group.name)
def test_weights_sum_to_one(group: Group) -> None:
    assert sum(ranking.leaf_weights(group).values()) == pytest.approx(1, abs=1e-12)


def test_relevance_is_outside_overall() -> None:
    assert "live_relevance" not in ranking.leaf_weights(OVERALL)


def test_a_missing_category_makes_overall_incomplete_and_counts_zero_officially() -> None:
    scores = {name: Score(SIZES[name], 1.0) for name in ("irrelevance", "live_irrelevance")}

    figure = _average(OVERALL, scores)

    assert (figure.value, figure.is_ranked) == (None, False)
    assert figure.missing_as_zero == pytest.approx(0.1)
    assert "simple_python" in figure.missing
    assert figure.has_any


def test_a_category_without_a_scored_case_has_no_figure() -> None:
    figure = ranking.category_figure("a", Score(10, None, 0, 0, 10))

    assert figure is not None
    assert (figure.value, figure.interval, figure.has_any) == (None, None, False)


def test_overall_runnable_renormalises_the_official_weights() -> None:
    weights = ranking.runnable_weights(OVERALL, {"irrelevance", "live_irrelevance", "memory_kv"})

    assert weights == pytest.approx(
        {
            "irrelevance": 0.05 / (0.1 + 0.2 / 3),
            "live_irrelevance": 0.05 / (0.1 + 0.2 / 3),
            "memory_kv": 0.2 / 3 / (0.1 + 0.2 / 3),
        }
    )


def test_a_board_that_runs_nothing_has_no_runnable_overall() -> None:
    figure = ranking.average(ranking.runnable_weights(OVERALL, ()), SCORES, SIZES)

    assert figure.value is None


@pytest.mark.parametrize(
    ("score", "is_ranked"),
    [
        pytest.param(Score(400, 0.5, 200, 200, 0), True, id="complete"),
        pytest.param(Score(400, 0.5, 200, 197, 3), True, id="coverage-99.25"),
        pytest.param(Score(400, 0.5, 200, 195, 5), False, id="coverage-98.75"),
        pytest.param(Score(16, 0.5, 8, 7, 1), True, id="one-unscored-of-few"),
        pytest.param(Score(16, 0.5, 8, 6, 2), False, id="two-unscored-of-few"),
        pytest.param(Score(16, 0.5), True, id="published"),
    ],
)
def test_a_category_ranks_by_its_coverage(score: Score, is_ranked: bool) -> None:
    figure = ranking.category_figure("a", score)

    assert figure is not None
    assert figure.is_ranked is is_ranked


def test_unscored_cases_lower_the_figure_and_not_the_upper_bound() -> None:
    figure = ranking.category_figure("a", Score(10, 0.5, 5, 3, 2))

    assert figure is not None
    assert (figure.value, figure.upper, figure.coverage) == (0.5, 0.7, 0.8)


def test_an_average_ranks_when_its_members_do() -> None:
    tree = Group("all", "All", (Category("a", "A", 10), Category("b", "B", 10)))
    scores = {"a": Score(100, 0.5, 50, 50, 0), "b": Score(100, 0.5, 50, 40, 10)}

    figure = ranking.average(ranking.leaf_weights(tree), scores, {})

    assert (figure.value, figure.is_ranked) == (0.5, False)


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        (Mean.PLAIN, (0.5, 0.5)),
        (Mean.BY_CASES, (0.25, 0.75)),
        (Mean.WEIGHTED, (0.8, 0.2)),
    ],
)
def test_a_group_weighs_its_members_as_it_says(mean: Mean, expected: tuple[float, ...]) -> None:
    tree = Group(
        "g", "G", (Category("a", "A", 10, weight=4), Category("b", "B", 30, weight=1)), mean
    )

    assert ranking.member_weights(tree) == pytest.approx(expected)


def placed(values: list[float], variances: list[float]) -> list[ranking.Place]:
    return ranking.places(values, paired.compare(values, variances))


def test_equal_figures_share_a_rank_and_the_next_one_skips() -> None:
    places = placed([0.9, 0.9 - 1e-12, 0.5], [1e-9] * 3)

    assert [place.rank for place in places] == [1, 1, 3]


def test_a_band_ends_where_a_row_can_be_told_apart_from_its_first() -> None:
    places = placed([0.90, 0.89, 0.60, 0.59, 0.2], [variance(0.8, 400)] * 5)

    assert [place.band for place in places] == [0, 0, 1, 1, 2]
    assert [place.is_clear for place in places] == [False, False, False, False, True]


def test_items_without_a_figure_come_last_both_ways() -> None:
    items = [(None, 1), (0.1, 2), (0.9, 3)]

    falling = ranking.in_order(items, lambda one: one[0], lambda one: (0, one[1]))
    rising = ranking.in_order(items, lambda one: one[0], lambda one: (0, one[1]), descending=False)

    assert [key for _, key in falling] == [3, 2, 1]
    assert [key for _, key in rising] == [2, 3, 1]


def test_ties_are_ordered_by_position_then_primary_key() -> None:
    items = [(0.5, 9.0, 1), (0.5 + 1e-12, 2.0, 7), (0.5, 2.0, 3)]

    ordered = ranking.in_order(items, lambda one: one[0], lambda one: (one[1], one[2]))

    assert [key for _, _, key in ordered] == [3, 7, 1]


def test_figures_are_compared_as_numbers() -> None:
    ordered = ranking.in_order([9.5, 85.2, 100.0], lambda one: one, lambda one: (0, 0))

    assert ordered == [100.0, 85.2, 9.5]


def test_a_published_overall_is_shown_as_printed_beside_what_we_compute() -> None:
    figure = ranking.as_printed(_average(OVERALL, SCORES), 0.4451)

    assert figure.value == 0.4451
    assert figure.computed == pytest.approx(OFFICIAL["overall"])
