"""Error pages are shown when all else fails: no database, no cache and no request is needed."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, connection
from django.template.loader import get_template
from django.test import Client, RequestFactory
from pytest_django import Settings

from leaderboard.views import refused

PAGES = {"400": 400, "403": 403, "403_csrf": 403, "404": 404, "500": 500, "503": 503}


@pytest.mark.parametrize("name", PAGES)
def test_an_error_page_needs_nothing(name: str) -> None:
    text = get_template(f"{name}.html").render()

    assert text.lstrip().startswith("<!doctype html>")
    assert f'<p class="crumbs">{PAGES[name]}</p><h1>' in text
    assert text.count("<h1>") == 1
    assert " · Callboard</title>" in text
    assert "<script" not in text
    assert "{%" not in text


def test_a_mistake_of_ours_is_told_though_nothing_works(settings: Settings) -> None:
    """What pages usually take from the request would fail here, and is not asked."""
    options = {"context_processors": ["nowhere.at.all"]}
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"OPTIONS": options}]
    request = RequestFactory().get("/")

    mistake = refused.trouble(request)
    unread = refused.bad_request(request, ValueError())

    assert (mistake.status_code, unread.status_code) == (500, 400)
    assert b"That was our mistake" in mistake.content


@pytest.mark.parametrize(
    ("path", "said"),
    [("/", "Our database does not answer"), ("/api/v1/runs/", '"status": 503')],
    ids=["page", "script"],
)
def test_a_database_that_is_away_is_no_mistake_and_passes(
    client: Client, db: None, path: str, said: str
) -> None:
    client.raise_request_exception = False

    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("the connection is lost")

    with connection.execute_wrapper(away):
        answer = client.get(path)

    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert said in answer.content.decode()
