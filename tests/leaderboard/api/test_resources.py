"""What each resource of the API gives, and how many queries its list costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from evaluation.models import Benchmark, Case, Evidence, PublishedRow, Run, Snapshot
from leaderboard.api.standings import StandingsQuery
from leaderboard.forms import Chosen
from tests import make

pytestmark = pytest.mark.django_db
API = "/api/v1"
LISTS = {  # list → queries for any number of rows, without those of the content version
    "benchmarks": 1,
    "categories": 1,
    "models": 2,
    "entries": 1,
    "runs": 3,
    "cases": 1,
    "snapshots": 1,
}


@pytest.fixture(autouse=True)
def a_cache_that_is_empty_and_remembers(settings: Settings) -> Iterator[None]:
    settings.CALLBOARD_VERSION_SECONDS = 60
    cache.clear()
    yield
    cache.clear()


def get(client: Client, path: str, **query: str) -> Any:
    response = client.get(f"{API}/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()


def results(client: Client, path: str, **query: str) -> list[Any]:
    found: list[Any] = get(client, path, **query)["results"]
    return found


def a_full_board() -> Run:
    run = make.finished_run(make.entry(make.card("Ada")), 0.5)
    make.finished_run(make.entry(make.card("Bob"), mode="prompt"), 0.7)
    published = make.published_entry("Cleo")
    snapshot = Snapshot.objects.get()
    PublishedRow.objects.create(
        snapshot=snapshot,
        entry=published,
        position=1,
        name="Cleo (FC)",
        figures='{"data_overall": {"Overall Acc": "50.00%"}}',
        overall=0.5,
    )
    return run


@pytest.mark.parametrize("path", LISTS)
def test_a_list_costs_the_same_queries_for_any_number_of_rows(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, path: str
) -> None:
    a_full_board()
    for _ in range(5):
        make.finished_run(make.entry(make.card()))
    client.get(f"{API}/{path}/")  # the content version is remembered now

    with django_assert_num_queries(LISTS[path]):
        found = results(client, f"{path}/")

    assert found


def test_samples_cost_four_queries(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = a_full_board()
    client.get(f"{API}/")

    with django_assert_num_queries(4):  # the run, its categories, its scoring, the verdicts
        found = results(client, f"runs/{run.pk}/samples/")

    assert len(found) == 10


def test_standings_read_the_board_once_for_many_questions(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    a_full_board()
    get(client, "standings/bfcl-v4/")

    with django_assert_num_queries(1):  # the benchmark
        found = get(client, "standings/bfcl-v4/", view="multiple", sort="model")

    assert [row["model"] for row in found["rows"]] == ["Ada", "Bob", "Cleo"]


def test_a_benchmark_is_found_by_its_slug(client: Client) -> None:
    make.benchmark()

    found = get(client, "benchmarks/bfcl-v4/")

    assert (found["title"], found["version"]) == ("BFCL V4", "2026.3.23")


def test_categories_say_what_they_weigh_in_overall(client: Client) -> None:
    make.benchmark()

    (found,) = results(client, "categories/", benchmark="bfcl-v4", name="irrelevance")

    assert found["n"] == 3
    assert found["weight"] == pytest.approx(0.05)


def test_only_models_on_a_board_are_listed(client: Client) -> None:
    a_full_board()
    make.finished_run(make.entry(make.card("Secret")), published=False)
    make.card("Never run")

    found = results(client, "models/")

    assert [one["name"] for one in found] == ["Ada", "Bob", "Cleo"]
    assert [one["entries"][0]["evidence"] for one in found] == [
        "verified",
        "verified",
        "published",
    ]


@pytest.mark.parametrize("path", ["models", "entries", "runs", "standings/bfcl-v4"])
def test_a_run_that_is_not_published_is_nowhere(client: Client, path: str) -> None:
    run = make.finished_run(make.entry(make.card("Secret")), published=False)

    response = client.get(f"{API}/{path}/")

    assert b"Secret" not in response.content
    for secret in ("models/secret", f"entries/{run.entry_id}", f"runs/{run.pk}"):
        assert client.get(f"{API}/{secret}/").status_code == 404
    assert client.get(f"{API}/runs/{run.pk}/samples/").status_code == 404


def test_an_owner_who_is_signed_in_sees_what_everybody_sees(client: Client) -> None:
    owner = make.user()
    run = make.finished_run(make.entry(make.card("Secret", owner=owner)), published=False)
    client.force_login(owner)

    assert client.get(f"{API}/runs/{run.pk}/").status_code == 404


def test_entries_are_filtered_by_mode_and_evidence(client: Client) -> None:
    a_full_board()

    found = results(client, "entries/", mode="fc", evidence=Evidence.VERIFIED)

    assert [one["model"] for one in found] == ["ada"]


def test_a_run_says_what_it_was_asked_with_and_what_it_got(client: Client) -> None:
    run = a_full_board()

    found = get(client, f"runs/{run.pk}/")

    assert (found["model"], found["state"], found["configuration"]["mode"]) == (
        "ada",
        "finished",
        "fc",
    )
    assert found["scores"][0] == {
        "category": "simple_python",
        "n": 4,
        "correct": 2,
        "wrong": 2,
        "unscored": 0,
        "accuracy": 0.5,
    }


def test_samples_are_filtered_as_on_the_page(client: Client) -> None:
    run = a_full_board()
    query = {"category": "simple_python", "outcome": "wrong", "fault": "wrong_count"}

    found = results(client, f"runs/{run.pk}/samples/", **query)

    assert [one["name"] for one in found] == ["simple_python_2", "simple_python_3"]
    assert {one["message"] for one in found} == {"No call was made."}


def test_cases_are_listed_short_and_shown_whole(client: Client) -> None:
    make.benchmark()

    (short,) = results(client, "cases/", name="multiple_1")
    whole = get(client, f"cases/{short['id']}/")

    assert "answer" not in short
    assert whole["answer"] == [{"weather": {"city": ["Bern"]}}]
    assert whole["question"]["id"] == "multiple_1"


def test_secret_cases_are_not_there_until_their_day(client: Client) -> None:
    run = a_full_board()
    case = Case.objects.first()
    assert case is not None
    tomorrow = timezone.now() + timedelta(days=1)
    Benchmark.objects.update(cases_public_from=tomorrow)

    samples = client.get(f"{API}/runs/{run.pk}/samples/")

    assert results(client, "cases/") == []
    assert client.get(f"{API}/cases/{case.pk}/").status_code == 404
    assert samples.status_code == 403
    assert "not public yet" in samples.json()["detail"]


def test_cases_whose_day_has_come_are_there(client: Client) -> None:
    run = a_full_board()
    Benchmark.objects.update(cases_public_from=timezone.now() - timedelta(days=1))

    assert len(results(client, "cases/")) == 10
    assert len(results(client, f"runs/{run.pk}/samples/")) == 10


def test_numbers_that_json_does_not_know_are_given_by_name(client: Client) -> None:
    make.benchmark()
    case = Case.objects.earliest("pk")
    Case.objects.filter(pk=case.pk).update(answer='[{"f": {"x": [NaN, 1.0]}}]')

    found = get(client, f"cases/{case.pk}/")

    assert found["answer"] == [{"f": {"x": ["NaN", 1.0]}}]


def test_a_snapshot_has_its_rows_as_printed(client: Client) -> None:
    a_full_board()
    (short,) = results(client, "snapshots/", benchmark="bfcl-v4")

    found = get(client, f"snapshots/{short['id']}/")

    assert found["rows"][0]["figures"] == {"data_overall": {"Overall Acc": "50.00%"}}
    assert (found["rows"][0]["model"], found["rows"][0]["mode"]) == ("cleo", "fc")


@pytest.mark.parametrize("query", ["", "view=multiple", "mode=fc", "sort=model&q=a", "page=all"])
def test_standings_hold_the_rows_of_the_page_s_export(client: Client, query: str) -> None:
    a_full_board()

    found = client.get(f"{API}/standings/bfcl-v4/?{query}").json()

    exported = client.get(f"/bfcl-v4/?{query}&format=json".replace("?&", "?")).json()
    assert found["rows"] == exported["rows"]
    assert found["columns"] == exported["columns"]


def test_standings_take_every_parameter_of_the_page() -> None:
    page = {field.name for field in fields(Chosen)}

    assert set(StandingsQuery().fields) == page


def test_standings_lead_from_page_to_page(client: Client) -> None:
    benchmark = make.benchmark({"multiple": 1})
    for _ in range(130):
        make.finished_run(make.entry(make.card(), benchmark), 1.0, endpoint=None)

    first = get(client, "standings/bfcl-v4/")
    second = client.get(first["next"]).json()

    assert (len(first["rows"]), len(second["rows"]), second["next"]) == (100, 30, None)
    names = [row["model"] for row in first["rows"] + second["rows"]]
    assert len(set(names)) == 130


def test_pages_of_equal_rows_lose_and_repeat_nothing(client: Client) -> None:
    benchmark = make.benchmark({"multiple": 1})
    for _ in range(60):
        make.finished_run(make.entry(make.card(), benchmark), 1.0, endpoint=None)

    seen, address = [], f"{API}/entries/?limit=50"
    while address:
        page = client.get(address).json()
        seen += [row["id"] for row in page["results"]]
        address = page["next"]

    assert len(seen) == len(set(seen)) == 60
