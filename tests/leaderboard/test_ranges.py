"""Rank ranges of a real board: paired where entries share cases, kept once they are found."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.models import Benchmark, Run, Scoring, Verdict
from leaderboard import loading
from leaderboard.ranking import Place
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def ranges(benchmark: Benchmark, view: str = "multiple") -> dict[str, Place | None]:
    standings = loading.load(benchmark).standings(view)
    return {one.row.name: one.place for one in standings.values()}


def nested_board() -> Benchmark:
    """The better model is right wherever the other one is, and in ten cases more."""
    benchmark = make.benchmark({"multiple": 100})
    make.finished_run(make.entry(make.card("Better"), benchmark), 0.6)
    make.finished_run(make.entry(make.card("Worse"), benchmark), 0.5)
    return benchmark


def reads_verdicts(benchmark: Benchmark) -> bool:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ranges(benchmark)
    return any(Verdict._meta.db_table in query["sql"] for query in queries.captured_queries)


def test_entries_on_the_same_cases_are_told_apart_by_these_cases() -> None:
    benchmark = nested_board()

    found = ranges(benchmark)

    assert found["Better"] == Place(1, (1, 1), 0, is_paired=True)
    assert found["Worse"] == Place(2, (2, 2), 1, is_paired=True)


def test_published_figures_are_compared_without_cases_and_say_so() -> None:
    benchmark = nested_board()
    make.published_entry("Published", {"multiple": 0.55})

    found = ranges(benchmark)

    assert found["Published"] == Place(2, (1, 3), 0, is_paired=False)
    assert found["Better"] is not None
    assert found["Better"].is_paired


def test_a_run_over_another_number_of_cases_is_compared_without_them() -> None:
    benchmark = nested_board()
    Run.objects.get(entry__card__name="Worse").scorings.get().category_scores.update(
        n=99, wrong=49, accuracy=50 / 99
    )

    found = ranges(benchmark)

    assert [place.is_paired for place in found.values() if place] == [False, False]


def test_verdicts_are_read_once_for_a_state_of_the_board() -> None:
    benchmark = nested_board()

    assert reads_verdicts(benchmark)
    assert not reads_verdicts(benchmark)


def test_a_new_scoring_makes_ranges_anew_even_where_no_count_changed() -> None:
    benchmark = nested_board()
    ranges(benchmark)
    run = Run.objects.get(entry__card__name="Worse")
    old = run.scorings.get()
    counts = dict(old.category_scores.values_list("category", "correct"))
    old.is_current = False
    old.save()
    Scoring.objects.create(run=run, scorer_version="2")
    make.score(run, benchmark.categories.get(), correct=next(iter(counts.values())) or 0)

    assert reads_verdicts(benchmark)


def test_a_new_entry_on_the_board_makes_ranges_anew() -> None:
    benchmark = nested_board()
    ranges(benchmark)
    make.finished_run(make.entry(make.card("Best"), benchmark), 0.9)

    found = ranges(benchmark)

    assert found["Best"] is not None
    assert found["Better"] is not None
    assert found["Better"].span == (2, 2)
