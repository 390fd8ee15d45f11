"""Home, methodology, theme: small pages with one promise each."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.bfcl_v4.tree import OVERALL
from evaluation.benchmarks.suite import Suite
from evaluation.client import errors
from evaluation.models import Erratum
from evaluation.services import benchmarks
from tests import make
from tests.suites import real_suite

pytestmark = pytest.mark.django_db


def test_home_works_before_anything_is_loaded(client: Client) -> None:
    page = client.get("/").text

    assert "Which models make the right call?" in page
    assert "Nobody yet" in page


def test_home_says_who_leads_and_what_happened(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")), 1.0)
    make.finished_run(make.entry(make.card("Bob")), 0.0)
    make.finished_run(make.entry(make.card("Secret")), 1.0, published=False)

    page = client.get("/").text

    assert page.index("Ada") < page.index("Bob")
    assert "All 2 ranked entries" in page
    assert "published on BFCL V4: 10 cases" in page
    assert "Secret" not in page


def test_a_benchmark_of_published_tables_promises_no_runs(client: Client) -> None:
    benchmarks.load(real_suite("bfcl-v3"))

    home, board = client.get("/").text, client.get("/bfcl-v3/").text

    assert "was loaded for published tables; no runs are made on it." in home
    assert "4,441 questions of BFCL V3; none of them can be asked here." in board


def test_methodology_shows_every_weight_of_the_tree(client: Client) -> None:
    make.benchmark()

    page = client.get("/methodology/").text

    assert "Multi-turn&nbsp;×&nbsp;30 %" in page
    for leaf in OVERALL.leaves():
        assert f"<code>{leaf.name}</code>" in page


def test_methodology_says_which_categories_beside_overall_are_run(client: Client) -> None:
    make.benchmark({"multiple": 3, "live_relevance": 2}, runnable=["multiple"])

    page = client.get("/methodology/").text

    line = page.partition("<code>live_relevance</code>")[2].partition("</tr>")[0]
    assert line.endswith('<td data-label="Here">run</td>')


def test_methodology_shows_every_row_of_the_error_policy(client: Client) -> None:
    page = client.get("/methodology/").text

    for row in errors.TABLE:
        assert escape(row.when) in page
        assert row.kind.effect.value in page


def test_the_theme_button_leads_to_no_other_site(client: Client) -> None:
    response = client.post(
        "/theme/", {"theme": "dark"}, headers={"Referer": "http://testserver//elsewhere.example/"}
    )

    assert response.headers["Location"] == "/elsewhere.example/"


def test_programs_find_the_mark_without_reading_a_page(client: Client) -> None:
    response = client.get("/favicon.ico")

    assert response.status_code == 302
    assert response.headers["Location"].endswith(".svg")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_chosen_theme_is_remembered(client: Client, theme: str) -> None:
    response = client.post(
        "/theme/", {"theme": theme}, headers={"Referer": "http://testserver/methodology/?a=b"}
    )

    assert (response.status_code, response.headers["Location"]) == (302, "/methodology/?a=b")
    assert f'<html lang="en" data-theme="{theme}">' in client.get("/").text


@pytest.mark.parametrize(
    "referer",
    ["https://evil.example/x", "//evil.example", "javascript:1", ""],
)
def test_the_theme_button_leads_nowhere_else(client: Client, referer: str) -> None:
    response = client.post("/theme/", {"theme": "dark"}, headers={"Referer": referer})

    assert response.headers["Location"] == "/"


def test_a_theme_that_does_not_exist_is_not_remembered(client: Client) -> None:
    response = client.post("/theme/", {"theme": '"><script>'})

    assert "theme" not in response.cookies


def test_a_forged_theme_cookie_reaches_no_page(client: Client) -> None:
    client.cookies["theme"] = "x onload=alert(1)"

    assert "onload" not in client.get("/").text


def test_a_theme_is_chosen_by_a_post_only(client: Client) -> None:
    assert client.get("/theme/").status_code == 405


def test_the_changelog_is_made_from_what_there_is(client: Client) -> None:
    run = make.finished_run()
    make.published_entry("Printed")
    case = run.entry.benchmark.categories.all()[0].cases.all()[0]
    Erratum.objects.create(case=case, answers_version=2, answer="[]", reason="It was wrong.")

    changes = client.get("/methodology/").text.split('id="changes"')[1]

    assert "Version loaded" in changes
    assert "Scorer 1</strong>. The first one" in changes
    assert "Accepted answers 2</strong>. 1 case corrected" in changes
    assert "published tables of 1 January 2026" in changes


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.slug)
def test_every_scorer_version_says_what_changed(suite: Suite) -> None:
    assert suite.changes[suite.scorer_version].endswith(".")


def test_a_form_in_an_encoding_that_cannot_be_read_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)

    response = client.post(
        "/theme/", b"theme=dark", "application/x-www-form-urlencoded; charset=utf-7"
    )

    assert response.status_code == 400
    assert b"<h1" in response.content
