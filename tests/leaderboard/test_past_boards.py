"""A board as it stood at the end of a past day: on the page, in files, by API and by command."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from evaluation.models import (
    Benchmark,
    CategoryScore,
    Entry,
    Erratum,
    PublishedRow,
    Run,
    Scoring,
    Snapshot,
)
from evaluation.services import publishing
from leaderboard import loading
from leaderboard.loading import Asked
from tests import make

pytestmark = pytest.mark.django_db
BOARD = "/bfcl-v4/"


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def rows(client: Client, query: str = "", path: str = BOARD) -> list[dict[str, str]]:
    response = client.get(f"{path}?{query}&format=csv")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def names(client: Client, query: str = "") -> list[str]:
    return [row["model"] for row in rows(client, query)]


def at(run: Run, when: datetime) -> Run:
    Run.objects.filter(pk=run.pk).update(published_at=when)
    Scoring.objects.filter(run=run).update(created_at=when)
    return run


def day(number: int, hour: int = 12) -> datetime:
    """That day of March 2026."""
    return make.EPOCH.replace(month=3, day=number, hour=hour)


def two_runs_of_ada() -> Entry:
    """One of the 2nd, half right, and one of the 20th, all right."""
    entry = make.entry(make.card("Ada"))
    at(make.finished_run(entry, 0.5), day(2))
    at(make.finished_run(entry, 1.0), day(20))
    publishing.refold(entry.pk)
    return entry


def test_an_entry_shows_the_run_it_showed_then(client: Client) -> None:
    two_runs_of_ada()

    shown = {on: rows(client, f"as_of=2026-03-{on}&view=multiple") for on in ("01", "10", "25")}

    assert shown["01"] == []
    assert [float(row["multiple"]) for row in shown["10"]] == [pytest.approx(2 / 3)]
    assert [float(row["multiple"]) for row in shown["25"]] == [1.0]
    assert (shown["10"][0]["date"], shown["25"][0]["date"]) == ("2026-03-02", "2026-03-20")


def test_the_day_counts_to_its_last_second_in_utc(client: Client) -> None:
    at(make.finished_run(make.entry(make.card("Late"))), day(9).replace(hour=23, minute=59))
    at(make.finished_run(make.entry(make.card("Next"))), day(10, hour=0))

    assert names(client, "as_of=2026-03-09") == ["Late"]
    assert sorted(names(client, "as_of=2026-03-10")) == ["Late", "Next"]


def test_a_newer_partial_run_displaced_nothing_then_either(client: Client) -> None:
    entry = make.entry(make.card("Ada"))
    at(make.finished_run(entry, 0.5), day(2))
    at(make.finished_run(entry, {"multiple": 1.0}), day(5))

    (row,) = rows(client, "as_of=2026-03-06&view=multiple")

    assert row["date"] == "2026-03-02"


def test_what_is_hidden_today_is_on_no_earlier_board(client: Client) -> None:
    run = at(make.finished_run(make.entry(make.card("Ada"))), day(2))
    at(make.finished_run(make.entry(make.card("Bob"))), day(2))
    assert sorted(names(client, "as_of=2026-03-10")) == ["Ada", "Bob"]

    publishing.hide(run, "Withdrawn.")

    assert names(client, "as_of=2026-03-10") == ["Bob"]
    answer = client.get("/api/v1/standings/bfcl-v4/?as_of=2026-03-10").json()
    assert [row["model"] for row in answer["rows"]] == ["Bob"]


def test_published_rows_are_those_of_the_newest_table_by_then(client: Client) -> None:
    entry = make.published_entry("Ada", {"multiple": 0.25})
    later = Snapshot.objects.create(
        benchmark=entry.benchmark, date=date(2026, 2, 1), source="b", digest="1" * 64
    )
    make.published_scores(later, entry, {"multiple": 0.75})

    figures = {
        on: [row["multiple"] for row in rows(client, f"as_of={on}&view=multiple")]
        for on in ("2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01")
    }

    assert figures == {
        "2025-12-31": [],
        "2026-01-01": ["0.25"],
        "2026-01-31": ["0.25"],
        "2026-02-01": ["0.75"],
    }


def judged_again_on_the_20th() -> Run:
    """A run of the 2nd that got nothing right, and everything by a later judging."""
    run = at(make.finished_run(make.entry(make.card("Ada")), 0.0), day(2))
    run.scorings.update(is_current=False)
    again = Scoring.objects.create(run=run, scorer_version="2")
    Scoring.objects.filter(pk=again.pk).update(created_at=day(20))
    for category in run.categories.all():
        make.score(run, category, correct=category.n)
    return run


def test_a_run_shows_the_judging_it_had_then(client: Client) -> None:
    run = judged_again_on_the_20th()

    shown = [rows(client, f"as_of=2026-03-{on}&view=multiple")[0] for on in (10, 20)]

    assert [row["multiple"] for row in shown] == ["0.0", "1.0"]
    why = client.get(f"/why/{run.entry_id}/multiple/?as_of=2026-03-10").text
    assert "0 correct ÷ 3 cases" in why


def test_a_case_leaves_n_from_the_day_of_its_erratum(client: Client) -> None:
    benchmark = make.benchmark()
    case = benchmark.categories.get(name="multiple").cases.first()
    assert case is not None
    made = Erratum.objects.create(
        case=case, answers_version=2, is_excluded=True, reason="Nobody can answer it."
    )
    Erratum.objects.filter(pk=made.pk).update(created_at=day(20))

    sizes = [
        loading.load(benchmark, Asked(as_of=on)).sizes["multiple"]
        for on in (date(2026, 3, 19), date(2026, 3, 20), None)
    ]

    assert sizes == [3, 2, 2]


def nested_board() -> Benchmark:
    """Better was as good as Worse until the 20th, and right wherever Worse is from then on."""
    benchmark = make.benchmark({"multiple": 100})
    better = make.entry(make.card("Better"), benchmark)
    at(make.finished_run(better, 0.5), day(2))
    at(make.finished_run(better, 0.6), day(20))
    publishing.refold(better.pk)
    at(make.finished_run(make.entry(make.card("Worse"), benchmark), 0.5), day(2))
    return benchmark


def test_ranges_are_those_of_that_days_answers(client: Client) -> None:
    nested_board()

    found = {
        on: {
            row["model"]: (row["rank_from"], row["rank_to"], row["rank_is_paired"])
            for row in rows(client, f"as_of=2026-03-{on}&view=multiple")
        }
        for on in (10, 25)
    }

    assert found[10] == {"Better": ("1", "2", "True"), "Worse": ("1", "2", "True")}
    assert found[25] == {"Better": ("1", "1", "True"), "Worse": ("2", "2", "True")}


def test_the_day_stays_in_every_address_of_the_board(client: Client) -> None:
    two_runs_of_ada()

    page = client.get(f"{BOARD}?as_of=2026-03-10").text

    for link in ("?view=non_live&amp;as_of=2026-03-10", "?as_of=2026-03-10&amp;format=csv"):
        assert link in page
    assert "/why/" in page
    assert "?view=overall&amp;as_of=2026-03-10" in page
    assert 'name="as_of" value="2026-03-10"' in page
    assert "The board as it stood at the end of 10 March 2026" in page


def test_plots_are_of_the_same_day(client: Client) -> None:
    two_runs_of_ada()
    path = f"{BOARD}plots/?as_of=2026-03-01"

    response = client.get(path)

    assert response.status_code == 200
    assert "Ada" not in response.text
    assert "Ada" in client.get(f"{BOARD}plots/?as_of=2026-03-10").text


def test_faults_in_plots_are_those_of_the_judging_that_the_day_shows(client: Client) -> None:
    judged_again_on_the_20th()

    pages = [client.get(f"{BOARD}plots/?as_of=2026-03-{on}").text for on in (10, 20)]

    assert ["plot-faults" in page for page in pages] == [True, False]


def test_figures_over_time_end_with_the_day(client: Client) -> None:
    entry = make.published_entry("Ada", {"multiple": 0.25})
    for number, on in enumerate((date(2026, 2, 1), date(2026, 3, 1)), 1):
        later = Snapshot.objects.create(
            benchmark=entry.benchmark, date=on, source="a table", digest=str(number) * 64
        )
        make.published_scores(later, entry, {"multiple": 0.75})

    pages = [
        client.get(f"{BOARD}plots/?view=multiple&as_of={on}").text
        for on in ("2026-01-31", "2026-02-10")
    ]

    assert ["plot-history" in page for page in pages] == [False, True]
    assert "2026-03-01" not in pages[1]


@pytest.mark.parametrize("nonsense", ["yesterday", "2026-02-30", "20260310x", "9999-12-31"])
def test_a_page_takes_a_day_it_cannot_mean_as_not_said(client: Client, nonsense: str) -> None:
    two_runs_of_ada()

    response = client.get(f"{BOARD}?as_of={nonsense}")

    assert (response.status_code, response.headers["Location"]) == (302, BOARD)


def test_the_api_refuses_such_a_day_and_says_why(client: Client) -> None:
    make.benchmark()
    tomorrow = (timezone.now() + timedelta(days=1)).date()

    bad = client.get("/api/v1/standings/bfcl-v4/?as_of=yesterday")
    future = client.get(f"/api/v1/standings/bfcl-v4/?as_of={tomorrow}")

    assert (bad.status_code, future.status_code) == (400, 400)
    assert bad.json()["errors"][0]["parameter"] == "as_of"
    assert future.json()["errors"] == [
        {"parameter": "as_of", "detail": "This day has not come yet."}
    ]


def test_the_api_answers_the_same_and_names_the_day(client: Client) -> None:
    two_runs_of_ada()

    answer = client.get("/api/v1/standings/bfcl-v4/?view=multiple&as_of=2026-03-10").json()

    assert answer["as_of"] == "2026-03-10"
    assert answer["address"].endswith("/bfcl-v4/?view=multiple&as_of=2026-03-10")
    assert answer["rows"][0]["date"] == "2026-03-02"
    assert client.get("/api/v1/standings/bfcl-v4/").json()["as_of"] is None


def test_a_file_names_the_day(client: Client) -> None:
    two_runs_of_ada()

    response = client.get(f"{BOARD}?as_of=2026-03-10&format=md")

    assert "bfcl-v4-overall-2026-03-10.md" in response.headers["Content-Disposition"]
    assert "as it stood on 2026" in response.text


def test_the_queries_of_a_past_board_do_not_grow_with_its_entries(
    django_assert_max_num_queries: Any,
) -> None:
    benchmark = make.benchmark()
    for number in range(8):
        at(make.finished_run(make.entry(make.card(f"Model {number}"), benchmark)), day(2))

    with django_assert_max_num_queries(10):
        board = loading.load(benchmark, Asked(as_of=date(2026, 3, 10)))

    assert len(board.rows) == 8


def test_the_command_writes_the_run_shown_then_not_none(tmp_path: Path) -> None:
    entry = two_runs_of_ada()

    call_command("export_standings", entry.benchmark.slug, out=tmp_path, as_of="2026-03-10")

    table = list(csv.DictReader(io.StringIO((tmp_path / "data_overall.csv").read_text())))
    assert [row["Model"] for row in table] == ["Ada (FC)"]
    figures = CategoryScore.objects.filter(scoring__run__published_at__lt=day(10))
    multiple = figures.get(category__name="multiple").accuracy or 0
    assert table[0]["Non-Live Multiple AST"] == f"{100 * multiple:.2f}%"


def test_the_command_says_when_nothing_was_published_by_then(tmp_path: Path) -> None:
    entry = two_runs_of_ada()

    with pytest.raises(CommandError, match="2025-01-01"):
        call_command("export_standings", entry.benchmark.slug, out=tmp_path, as_of="2025-01-01")

    assert not PublishedRow.objects.exists()


def test_a_way_of_judging_beside_the_usual_has_a_past_of_its_own(client: Client) -> None:
    benchmark = make.benchmark({"level_1_api": 4}, slug="apibank", title="API-Bank")
    run = at(make.finished_run(make.entry(make.card("Ada"), benchmark), 1.0), day(2))
    beside = Scoring.objects.create(
        run=run, scorer_version="1", profile="upstream", is_current=False
    )
    Scoring.objects.filter(pk=beside.pk).update(created_at=day(20))
    CategoryScore.objects.create(
        scoring=beside,
        category=benchmark.categories.get(),
        n=4,
        correct=1,
        wrong=3,
        unscored=0,
        accuracy=0.25,
    )

    shown = {
        (profile, on): [
            row.scores["level_1_api"].accuracy
            for row in loading.load(benchmark, Asked(profile, date(2026, 3, on))).rows
        ]
        for profile in ("", "upstream")
        for on in (10, 25)
    }

    assert shown == {
        ("", 10): [1.0],
        ("", 25): [1.0],  # a judging beside the usual never stands in its place
        ("upstream", 10): [],
        ("upstream", 25): [0.25],
    }
