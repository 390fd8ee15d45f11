"""Runs, cases and a submitter's pages in a real browser."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from playwright.sync_api import Page, expect

from evaluation.models import Case, Run
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
NARROW = {"viewport": {"width": 320, "height": 640}}
NO_SCRIPT = {"java_script_enabled": False}
CONFIGURATION = json.dumps({"mode": "fc", "underscore": True, "in_flight": 8})


@pytest.fixture(autouse=True)
def ada() -> User:
    """A submitter with a finished run, a running one and a case that went wrong."""
    benchmark = make.real_benchmark({"simple_python": 30, "multiple": 5})
    owner = make.user("ada")
    entry = make.entry(make.card("Example model", owner=owner), benchmark)
    done = make.finished_run(entry, 0.4, unscored=1, configuration=CONFIGURATION)
    make.run(entry, state="running", configuration=CONFIGURATION)
    make.run(entry, state="paused", configuration=CONFIGURATION)
    make.reply(done, Case.objects.get(name="multiple_4"), b'{"choices": []}')
    return owner


def path_of(name: str) -> str:
    done = Run.objects.get(state="incomplete").pk
    return {
        "finished run": f"/runs/{done}/",
        "active run": f"/runs/{Run.objects.get(state='running').pk}/",
        "case": f"/bfcl-v4/cases/multiple_4/?run={done}",
        "case alone": "/bfcl-v4/cases/multiple_0/",
        "own runs": "/submissions/",
        "another key": f"/runs/{Run.objects.get(state='paused').pk}/key/",
        "submit": "/submit/",
        "upload": "/submit/results/",
        "sign in": "/sign-in/",
        "sign up": "/sign-up/",
    }[name]


PAGES = (
    "finished run",
    "active run",
    "case",
    "case alone",
    "another key",
    "own runs",
    "submit",
    "upload",
    "sign up",
)


@pytest.fixture
def own(page: Page, ada: User, live_server: Any) -> Page:
    """The browser, signed in as ada."""
    client = Client()
    client.force_login(ada)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    return page


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(own: Page, name: str, scheme: Any) -> None:
    own.emulate_media(color_scheme=scheme)
    own.goto(path_of(name))
    own.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")

    found = Axe().run(own).response["violations"]

    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("page", [NARROW], indirect=True, ids=["320"])
def test_no_page_scrolls_sideways(own: Page, name: str) -> None:
    own.goto(path_of(name))
    own.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")

    width, shown = own.evaluate("[document.documentElement.scrollWidth, innerWidth]")

    assert width <= shown


def test_a_run_s_page_follows_its_run_and_keeps_the_focus(own: Page) -> None:
    run = Run.objects.get(state="running")
    own.goto(path_of("active run"))
    own.locator(f"#pause-{run.pk}").focus()

    Run.objects.filter(pk=run.pk).update(failures_in_row=17)

    expect(own.get_by_text("Failures in a row")).to_be_visible(timeout=15_000)
    assert own.evaluate("document.activeElement.id") == f"pause-{run.pk}"


def test_the_preview_follows_the_form_and_never_sends_the_key(own: Page) -> None:
    sent: list[str] = []
    own.on("request", lambda request: sent.append(request.post_data or ""))
    own.goto("/submit/")

    own.get_by_label("API key").fill("sk-planted-0123456789")
    own.get_by_label("Base URL").fill("https://api.example.org")
    own.get_by_label("Model name there").fill("m")

    expect(own.get_by_text("https://api.example.org/v1/chat/completions")).to_be_visible()
    assert any("api.example.org" in body for body in sent)
    assert not any("sk-planted" in body for body in sent)


@pytest.mark.parametrize(
    "page", [{"java_script_enabled": False}], indirect=True, ids=["no-script"]
)
def test_a_run_is_cancelled_without_any_script(own: Page) -> None:
    own.goto(path_of("active run"))

    own.locator("summary", has_text="Cancel the run").click()
    own.get_by_role("button", name="Cancel the run").click()

    expect(own.get_by_text("What had been asked is kept")).to_be_visible()
    assert not Run.objects.filter(state="running").exists()


@pytest.mark.parametrize(
    "page", [{"java_script_enabled": False}], indirect=True, ids=["no-script"]
)
def test_an_account_is_made_and_used_without_any_script(page: Page) -> None:
    page.goto("/submit/")
    page.get_by_role("link", name="Make an account").click()
    page.get_by_label("Username").fill("grace")
    page.get_by_label("Email").fill("grace@example.org")
    page.get_by_label("Password", exact=True).fill("correct horse 9")
    page.get_by_label("Password (again)").fill("correct horse 9")

    page.get_by_role("button", name="Make the account").click()
    code = re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    page.get_by_label("Code").fill(code.group())
    page.get_by_role("button", name="Verify the address").click()

    expect(page.get_by_role("heading", name="Submit a model")).to_be_visible()
    page.get_by_role("button", name="Sign out").first.click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
