"""Forms: nothing changes without a token of this site, and cookies keep to themselves."""

from __future__ import annotations

import pytest
from django.test import Client

from evaluation.models import Run
from tests import make
from tests.submissions.answers import good_answers

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    """A signed-in browser whose requests are checked as a real one's are."""
    client = Client(enforce_csrf_checks=True)
    make.benchmark()
    client.force_login(make.user("ada"))
    return client


@pytest.mark.parametrize(
    "path", ["/submit/", "/submit/preview/", "/sign-in/", "/sign-out/", "/sign-up/"]
)
def test_a_form_without_its_token_is_refused_in_a_sentence(browser: Client, path: str) -> None:
    page = browser.post(path, good_answers())

    assert page.status_code == 403
    assert "reload the page and send it once more" in page.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize("name", ["cancel", "pause", "resume", "publish", "ask-again"])
def test_a_run_cannot_be_steered_from_another_site(browser: Client, name: str) -> None:
    run = make.run()

    assert browser.post(f"/runs/{run.pk}/{name}/").status_code == 403


def test_a_session_cookie_is_out_of_reach_of_scripts_and_of_other_sites(client: Client) -> None:
    make.user("ada")

    client.post("/sign-in/", {"login": "ada", "password": "correct horse"})

    cookie = client.cookies["sessionid"]

    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


@pytest.mark.parametrize("path", ["/submit/", "/submissions/", "/sign-in/", "/nothing/"])
def test_every_page_carries_the_strict_policy(browser: Client, path: str) -> None:
    page = browser.get(path)

    policy = page["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert page["X-Frame-Options"] == "DENY"
    assert page["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_signing_in_sends_nobody_to_another_site(client: Client, target: str) -> None:
    make.user("ada")

    page = client.post("/sign-in/", {"login": "ada", "password": "correct horse", "next": target})

    assert page["Location"] == "/submissions/"


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_error_pages_stand_alone(status: int) -> None:
    from django.template.loader import get_template

    text = get_template(f"{status}.html").render()

    assert f'<p class="crumbs">{status}</p>' in text
    assert "<script" not in text
