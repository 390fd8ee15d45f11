"""Public pages are made once per content version, and private ones never kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.services import publishing
from tests import make

pytestmark = pytest.mark.django_db
PAGES = ("/", "/bfcl-v4/", "/methodology/", "/models/ada/", "/bfcl-v4/?format=csv")


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Before, and after: a version remembered here must not answer for another test."""
    cache.clear()
    yield
    cache.clear()


@pytest.mark.parametrize("path", PAGES)
def test_a_second_visit_reads_only_the_content_version(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, path: str
) -> None:
    make.finished_run(make.entry(make.card("Ada")))
    first = client.get(path)

    with django_assert_num_queries(3):
        second = client.get(path)

    assert second.content == first.content
    assert second.headers["Content-Type"] == first.headers["Content-Type"]


@pytest.mark.parametrize("path", PAGES)
def test_an_unchanged_page_is_not_sent_again(client: Client, path: str) -> None:
    make.finished_run(make.entry(make.card("Ada")))
    tag = client.get(path).headers["ETag"]

    again = client.get(path, headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")


def test_publishing_changes_the_page_at_once(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")))
    tag = client.get("/bfcl-v4/").headers["ETag"]
    run = make.finished_run(make.entry(make.card("Bob")), published=False)

    publishing.publish(run)

    response = client.get("/bfcl-v4/", headers={"If-None-Match": tag})
    assert response.status_code == 200
    assert "Bob" in response.text


@pytest.mark.django_db(transaction=True)
def test_publishing_shows_at_once_though_the_version_is_remembered(
    client: Client, settings: Any, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.CALLBOARD_VERSION_SECONDS = 600
    make.finished_run(make.entry(make.card("Ada")))
    run = make.finished_run(make.entry(make.card("Bob")), published=False)
    client.get("/bfcl-v4/")
    with django_assert_num_queries(0):
        before = client.get("/bfcl-v4/").text

    publishing.publish(run)

    after = client.get("/bfcl-v4/").text
    publishing.hide(run)
    hidden = client.get("/bfcl-v4/").text
    assert ["Bob" in page for page in (before, after, hidden)] == [False, True, False]


def test_a_signed_in_reader_gets_a_page_of_their_own(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")))
    client.get("/")
    client.force_login(make.user())

    response = client.get("/")

    assert response.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in response.headers
    assert "Sign out" in response.text


def test_a_page_for_one_theme_is_not_given_to_another(client: Client) -> None:
    client.get("/")
    client.cookies["theme"] = "dark"

    assert 'data-theme="dark"' in client.get("/").text


def test_a_fragment_is_not_given_for_a_page(client: Client) -> None:
    make.finished_run()
    client.get("/bfcl-v4/", headers={"HX-Request": "true"})

    response = client.get("/bfcl-v4/")

    assert "<!doctype" in response.text
    assert {"Cookie", "HX-Request", "Accept"} <= set(response.headers["Vary"].split(", "))


def test_shared_pages_hold_no_token_of_one_reader(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")))

    for path in PAGES:
        response = client.get(path)
        assert b"csrfmiddlewaretoken" not in response.content
        assert not response.cookies
