"""What is this number? Formula, inputs, n, coverage, versions, source."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Evidence
from tests import make

pytestmark = pytest.mark.django_db


def test_a_category_is_correct_divided_by_n(client: Client) -> None:
    run = make.finished_run(make.entry(), {"multiple": 2 / 3})

    page = client.get(f"/why/{run.entry_id}/multiple/").text

    assert "2 correct ÷ 3 cases" in page
    assert "<strong>67 %</strong>" in page
    assert f'href="/runs/{run.pk}/?category=multiple#samples"' in page
    assert "one answer moves this figure by 33.3 points" in page


def test_unscored_cases_are_explained_and_bounded(client: Client) -> None:
    run = make.finished_run(make.entry(), {"simple_python": 0.5}, unscored=1)

    page = client.get(f"/why/{run.entry_id}/simple_python/").text

    assert "1 case is unscored" in page
    assert "50–75 %" in page
    assert "75 %: 3 of 4 have a verdict" in page


def test_an_average_shows_score_weight_and_points(client: Client) -> None:
    run = make.finished_run(make.entry(), {"irrelevance": 1.0})

    page = client.get(f"/why/{run.entry_id}/irrelevance_detection/").text

    assert "× 0.5000" in page
    assert "50.00" in page
    assert "Without a figure: Live irrelevance" in page


def test_overall_names_what_is_missing(client: Client) -> None:
    run = make.finished_run()

    page = client.get(f"/why/{run.entry_id}/overall/").text

    assert "incomplete" in page
    assert "Multi-turn base" in page


def test_overall_runnable_lists_what_is_left_out(client: Client) -> None:
    run = make.finished_run()

    page = client.get(f"/why/{run.entry_id}/runnable/").text

    assert "Left out: 18 categories" in page


def test_a_published_category_says_that_no_samples_exist(client: Client) -> None:
    entry = make.published_entry(figures={"multiple": 0.955})

    page = client.get(f"/why/{entry.pk}/multiple/").text

    assert "As published: <strong>95.50 %</strong>" in page
    assert "not stated" in page


def test_a_rank_shows_the_tests_behind_its_range(client: Client) -> None:
    first = make.finished_run(make.entry(make.card("Ada")), 1.0)
    make.finished_run(make.entry(make.card("Bob")), 0.0)

    page = client.get(f"/why/{first.entry_id}/rank/").text

    assert "Bob" in page
    assert "+100" in page
    assert "<strong>paired</strong>" in page
    assert '<td class="num">0.' in page or '<td class="num">&lt; 0.' in page  # no “~”: paired


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (Evidence.UPLOADED, "whose every answer we asked for ourselves"),
        (Evidence.VERIFIED, "some figure it needs is missing"),
    ],
)
def test_no_rank_has_a_reason(client: Client, evidence: str, reason: str) -> None:
    shares = {"multiple": 1.0} if evidence == Evidence.VERIFIED else 1.0
    run = make.finished_run(make.entry(evidence=evidence), shares)

    assert reason in client.get(f"/why/{run.entry_id}/rank/").text


def test_the_drawer_gets_the_same_without_the_page_around_it(client: Client) -> None:
    run = make.finished_run()

    part = client.get(f"/why/{run.entry_id}/multiple/", headers={"HX-Request": "true"}).text

    assert "<!doctype" not in part
    assert "correct ÷ 3 cases" in part


def test_nothing_private_can_be_asked_about(client: Client) -> None:
    run = make.finished_run(published=False)

    for name in ("rank", "overall", "multiple"):
        assert client.get(f"/why/{run.entry_id}/{name}/").status_code == 404


@pytest.mark.parametrize("path", ["/why/1/nonsense/", "/why/999999/overall/"])
def test_what_does_not_exist_is_not_found(client: Client, path: str) -> None:
    run = make.finished_run()

    assert client.get(path.replace("/1/", f"/{run.entry_id}/")).status_code == 404


def test_an_answer_costs_the_board_and_little_more(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = make.finished_run()

    with django_assert_num_queries(10):
        client.get(f"/why/{run.entry_id}/multiple/")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("multiple", "3 cases: all of this category"),
        ("irrelevance_detection", "all of the 2 categories it is made of"),
        ("overall", "all of the 21 categories it is made of"),
        ("runnable", "all of the 3 categories this board can run"),
    ],
)
def test_a_figure_says_which_cases_its_n_counts(client: Client, name: str, words: str) -> None:
    run = make.finished_run()

    page = client.get(f"/why/{run.entry_id}/{name}/").text

    assert words in page
