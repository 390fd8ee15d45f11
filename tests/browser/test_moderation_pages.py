"""Moderators' pages in a real browser: readable, and safe whatever submitters wrote."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from evaluation.models import Run
from submissions import moderation
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
HOSTILE = "<img src=x onerror=window.ran=1><script>window.ran=1</script>"
NARROW = {"viewport": {"width": 320, "height": 640}}


@pytest.fixture
def moderator(page: Page, live_server: Any) -> Page:
    """A moderator's browser, with entries of somebody who writes hostile text in the queue."""
    make.benchmark()
    ada = make.user("ada")
    card = make.card(HOSTILE, slug="hostile", organisation=HOSTILE, owner=ada)
    asked = make.finished_run(make.entry(card), published=False)
    moderation.request(asked)
    mia = make.user("mia", staff=True)
    moderation.ask(asked, "Whose model is this?", by=mia)
    moderation.answer(asked, HOSTILE)
    moderation.hide(make.vouched_for(make.user("bob")), HOSTILE, by=mia)
    client = Client()
    client.force_login(mia)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    return page


def paths() -> list[str]:
    waiting = Run.objects.get(entry__card__slug="hostile").pk
    return ["/moderation/", f"/moderation/runs/{waiting}/"]


def test_axe_finds_nothing_and_no_script_runs(moderator: Page) -> None:
    for path in paths():
        moderator.goto(path)

        assert Axe().run(moderator).response["violations"] == []
        assert moderator.evaluate("window.ran || 0") == 0
        assert moderator.locator("main img, main script").count() == 0


@pytest.mark.parametrize("page", [NARROW], indirect=True)
def test_nothing_is_wider_than_a_phone(moderator: Page) -> None:
    for path in paths():
        moderator.goto(path)

        assert moderator.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_moderator_publishes_from_the_queue(moderator: Page) -> None:
    run = Run.objects.get(entry__card__slug="hostile")
    moderator.goto("/moderation/")

    moderator.get_by_role("link", name="img src").first.click()
    moderator.get_by_role("button", name="Publish").click()

    expect(moderator.get_by_text("Published. The board shows it now.")).to_be_visible()
    run.refresh_from_db()
    assert run.published_at is not None


def test_everybody_reads_why_something_is_gone(moderator: Page) -> None:
    gone = Run.objects.get(hidden_at__isnull=False)
    moderator.context.clear_cookies()

    moderator.goto(f"/models/{gone.entry.card.slug}/")

    expect(moderator.get_by_role("heading", name="Not public any more")).to_be_visible()
    assert moderator.evaluate("window.ran || 0") == 0
