"""Rank ranges of a real board: paired where entries share cases, kept once they are found."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import Benchmark, Erratum, Run, Scoring, Verdict
from evaluation.services import publishing
from leaderboard import hints, loading, tasks
from leaderboard import ranges as ranges_of_boards
from leaderboard.celery import SCHEDULE, app
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


@pytest.fixture
def is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every board is too large for a reader to wait for."""
    monkeypatch.setattr(ranges_of_boards, "AT_ONCE", 0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What workers were asked, in place of a broker."""
    sent: list[tuple[object, ...]] = []

    def send(name: str, arguments: tuple[object, ...]) -> None:
        sent.append((name, *arguments))

    monkeypatch.setattr(app, "send_task", send)
    return sent


@pytest.mark.usefixtures("is_large")
def test_a_reader_of_a_large_board_waits_for_no_verdicts(
    client: Client, asked: list[tuple[object, ...]]
) -> None:
    benchmark = nested_board()

    with CaptureQueriesContext(connection) as queries:
        answer = client.get("/api/v1/standings/bfcl-v4/?view=multiple").json()

    assert not any(Verdict._meta.db_table in query["sql"] for query in queries.captured_queries)
    assert [row["rank_is_paired"] for row in answer["rows"]] == [False, False]
    assert answer["has_all_ranges"] is False
    assert asked == [(hints.OF_ONE_BOARD, benchmark.pk, "", "")]


@pytest.mark.usefixtures("is_large")
def test_the_page_says_that_ranges_are_being_found(
    client: Client, asked: list[tuple[object, ...]]
) -> None:
    nested_board()

    page = client.get("/bfcl-v4/?view=multiple").text

    assert "are being computed" in page
    assert "Rank 1, range 1 to 2, unpaired" in page


@pytest.mark.usefixtures("is_large")
def test_many_readers_ask_once(client: Client, asked: list[tuple[object, ...]]) -> None:
    nested_board()

    for view in ("multiple", "non_live", "multiple&sort=model"):
        client.get(f"/bfcl-v4/?view={view}")

    assert len(asked) == 1


@pytest.mark.usefixtures("is_large")
def test_once_found_every_page_shows_them_even_one_that_was_kept(
    client: Client, asked: list[tuple[object, ...]]
) -> None:
    benchmark = nested_board()
    before = client.get("/bfcl-v4/?view=multiple")

    tasks.find_ranges(benchmark.pk)

    after = client.get("/bfcl-v4/?view=multiple", headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "are being computed" not in after.text
    assert "Rank 1, range 1 to 1:" in after.text


@pytest.mark.usefixtures("is_large")
def test_of_a_past_day_too(client: Client, asked: list[tuple[object, ...]]) -> None:
    nested_board()
    address = "/api/v1/standings/bfcl-v4/?view=multiple&as_of=2026-06-01"
    client.get(address)
    benchmark = Benchmark.objects.get()
    assert asked == [(hints.OF_ONE_BOARD, benchmark.pk, "", "2026-06-01")]

    tasks.find_ranges(benchmark.pk, "", "2026-06-01")

    assert client.get(address).json()["has_all_ranges"] is True


@pytest.mark.usefixtures("is_large")
def test_a_board_without_samples_needs_no_worker(
    client: Client, asked: list[tuple[object, ...]]
) -> None:
    make.published_entry("Ada", {})
    make.published_entry("Bob", {})

    answer = client.get("/api/v1/standings/bfcl-v4/?view=multiple").json()

    assert (answer["has_all_ranges"], asked) == (True, [])


def test_all_boards_are_looked_at_once_for_each_state() -> None:
    nested_board()
    tasks.find_all_ranges()

    with CaptureQueriesContext(connection) as again:
        tasks.find_all_ranges()
    make.finished_run(make.entry(make.card("Best")), 0.9)
    with CaptureQueriesContext(connection) as changed:
        tasks.find_all_ranges()

    read = [
        any(Verdict._meta.db_table in query["sql"] for query in queries.captured_queries)
        for queries in (again, changed)
    ]
    assert read == [False, True]


def test_what_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = nested_board()
    with monkeypatch.context() as broken:
        broken.setattr(loading, "load", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tasks.find_all_ranges()

    tasks.find_all_ranges()

    assert not reads_verdicts(benchmark)


@pytest.mark.django_db(transaction=True)
def test_a_publication_has_ranges_found_at_once(asked: list[tuple[object, ...]]) -> None:
    nested_board()
    run = make.finished_run(make.entry(make.card("Best")), 0.9, published=False)

    publishing.publish(run)

    assert (hints.OF_EVERY_BOARD,) in asked


def test_hints_and_tasks_have_the_same_names() -> None:
    assert tasks.find_ranges.name == hints.OF_ONE_BOARD
    assert tasks.find_all_ranges.name == hints.OF_EVERY_BOARD
    assert hints.OF_EVERY_BOARD in {each["task"] for each in SCHEDULE.values()}


def test_a_case_taken_out_of_n_counts_in_no_comparison() -> None:
    """Six cases only Better has right, one only Worse has: 6 : 1 is not enough, 6 : 0 is."""
    benchmark = make.benchmark({"multiple": 100})
    category = benchmark.categories.get()
    better = make.finished_run(make.entry(make.card("Better"), benchmark), 0.56)
    worse = make.finished_run(make.entry(make.card("Worse"), benchmark), 0.50)
    last = category.cases.order_by("position").last()
    assert last is not None
    Verdict.objects.filter(scoring__run=worse, case=last).update(
        outcome="correct", error_type="", fault=""
    )
    assert [place.span for place in ranges(benchmark).values() if place] == [(1, 2), (1, 2)]

    Erratum.objects.create(case=last, answers_version=2, is_excluded=True, reason="Undecidable.")
    Verdict.objects.filter(case=last).update(outcome="excluded", error_type="", fault="")
    for run, right in ((better, 56), (worse, 50)):
        run.scorings.get().category_scores.update(
            n=99, correct=right, wrong=99 - right, accuracy=right / 99
        )

    found = ranges(benchmark)
    assert found["Better"] == Place(1, (1, 1), 0, is_paired=True)
    assert found["Worse"] == Place(2, (2, 2), 1, is_paired=True)


def test_a_case_without_a_verdict_counts_as_not_right_and_stays_paired() -> None:
    benchmark = make.benchmark({"multiple": 100})
    make.finished_run(make.entry(make.card("Better"), benchmark), 0.6)
    make.finished_run(make.entry(make.card("Worse"), benchmark), 0.5, unscored=1)

    found = ranges(benchmark)

    assert found["Better"] == Place(1, (1, 1), 0, is_paired=True)
    assert found["Worse"] == Place(2, (2, 2), 1, is_paired=True)
