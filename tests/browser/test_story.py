"""The whole story in one piece: strangers, a browser, a script, mail, workers, and a moderator.

A web server, a worker, a beat and the reference endpoint run as processes of their own, with the
settings of a public site as to limits; the tests' database is the only thing shared with them.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection
from playwright.sync_api import Browser, Page, expect

from evaluation.reference.server import MODEL
from leaderboard.embedded import processes
from leaderboard.embedded.home import PROJECT
from tests import make
from tests.faults.house import kill_tree, wait_until
from tests.submissions import archives

pytestmark = pytest.mark.django_db(transaction=True)
WHOLE = {"simple_javascript": 50, "live_parallel": 16}  # categories small enough for a test
PATIENCE = 90_000  # milliseconds a run may take on a busy machine
PASSWORD = "a long pass phrase of ada's"


@dataclass
class Site:
    """A running installation."""

    url: str
    endpoint: str
    mail: Path

    def letters(self) -> list[str]:
        """Everything that was mailed, oldest first."""
        files = sorted(self.mail.glob("*"), key=lambda one: one.stat().st_mtime_ns)
        texts = [one.read_text("utf-8") for one in files]
        return [letter for text in texts for letter in text.split("-" * 79) if letter.strip()]

    def await_letter(self, *parts: str) -> str:
        """The letter that holds all these."""
        found: list[str] = []

        def look() -> bool:
            found[:] = [one for one in self.letters() if all(part in one for part in parts)]
            return bool(found)

        wait_until(look, PATIENCE / 1000, f"a letter with {parts}")
        return found[-1]


@pytest.fixture
def site(transactional_db: None, tmp_path: Path) -> Iterator[Site]:
    port, reference = processes.free_port(None), processes.free_port(None)
    made = Site(f"http://127.0.0.1:{port}", f"127.0.0.1:{reference}", tmp_path / "mail")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database_url(),
        "PYTEST_XDIST_WORKER": f"story-{port}",  # keys of its own in the shared broker
        "CALLBOARD_DATA": str(tmp_path),
        "CALLBOARD_BIND": f"127.0.0.1:{port}",
        "CALLBOARD_URL": made.url,
        "CALLBOARD_ALLOW": made.endpoint,
        "CALLBOARD_ACCOUNT_RUNS": "3",
        "CALLBOARD_WEB_WORKERS": "1",
    }
    started = [
        processes.start(
            command, tmp_path / f"{number}.log", folder=PROJECT, environment=environment
        )
        for number, command in enumerate(commands(reference, tmp_path / "beat"))
    ]
    try:
        wait_until(lambda: answers(port) and answers(reference), 60, "site and endpoint answer")
        yield made
    finally:
        for process in started:
            kill_tree(process)


def database_url() -> str:
    """The tests' own database, as another process names it."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    return urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))


def commands(reference: int, schedule: Path) -> list[list[str]]:
    celery = [sys.executable, "-m", "celery", "-A", "leaderboard.celery"]
    return [
        [
            sys.executable,
            "-m",
            "gunicorn",
            "-c",
            "python:leaderboard.gunicorn",
            "leaderboard.wsgi",
        ],
        [*celery, "worker", "--concurrency", "2", "-l", "WARNING"],
        [*celery, "beat", "--schedule", str(schedule), "-l", "WARNING"],
        [sys.executable, "-m", "django", "reference_endpoint", "--port", str(reference)],
    ]


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def visitor(browser: Browser, site: Site) -> Page:
    """A browser of its own, with nobody signed in."""
    page = browser.new_context(
        base_url=site.url, viewport={"width": 1440, "height": 900}
    ).new_page()
    page.set_default_timeout(30_000)
    return page


def sign_up(page: Page, site: Site) -> None:
    page.goto("/sign-up/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Email", exact=False).first.fill("ada@example.org")
    page.locator("input[name=password1]").fill(PASSWORD)
    page.locator("input[name=password2]").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.locator("input[name=code]").fill(code_in(site.await_letter("Your code")))
    page.get_by_role("button", name="Verify the address").click()
    expect(page.get_by_role("heading", name="Submit a model")).to_be_visible()


def code_in(letter: str) -> str:
    found = re.search(r"^([A-Z0-9]{4}-[A-Z0-9]{4}|[A-Z0-9]{6,8})$", letter, re.MULTILINE)
    assert found, letter
    return found[1]


def submit(page: Page, site: Site) -> int:
    """The reference endpoint, through the form; the run's number."""
    page.goto("/submit/")
    page.get_by_label("Name", exact=True).fill("By browser")
    page.get_by_label("Organisation", exact=True).fill("Example Lab")
    page.get_by_label("Base URL").fill(f"http://{site.endpoint}/v1")
    page.get_by_label("Model name there").fill(MODEL)
    page.locator("input[name=terms]").check()
    page.get_by_role("button", name="Start the run").click()
    return finished(page)


def finished(page: Page) -> int:
    """Wait on a run's page for its end; its number."""
    expect(page.locator("#live").get_by_text("Finished").first).to_be_visible(timeout=PATIENCE)
    found = re.search(r"/runs/(\d+)/", page.url)
    assert found
    return int(found[1])


def make_token(page: Page) -> str:
    page.goto("/account/tokens/")
    page.get_by_label("Name").fill("nightly")
    page.get_by_label("What it may do").select_option("submit")
    page.get_by_role("button", name="Make it").click()
    shown, password = page.get_by_label("The new token"), page.locator("input[name=password]")
    expect(shown.or_(password)).to_be_visible()
    if password.is_visible():  # it was a while ago that they gave it
        password.fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
    return shown.inner_text().strip()


def submit_by_script(page: Page, site: Site, token: str) -> int:
    """The same endpoint through the API, followed on its page; the run's number."""
    body = {
        "card": "by-browser",
        "base_url": f"http://{site.endpoint}/v1",
        "remote_model": MODEL,
        "mode": "prompt",
        "categories": ["simple_javascript"],
        "terms": True,
    }
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "story"}
    answer = page.request.post("/api/v1/submissions/", data=body, headers=headers)
    assert answer.status == 201, answer.text()
    page.goto(answer.json()["page"])
    return finished(page)


def upload(page: Page) -> int:
    """A result folder, through the form; the run's number."""
    page.goto("/submit/results/")
    page.get_by_label("Name", exact=True).fill("By files")
    page.get_by_label("Organisation", exact=True).fill("Example Lab")
    folder = archives.zipped(archives.folder(WHOLE))
    page.locator("input[name=file]").set_input_files(
        {"name": "results.zip", "mimeType": "application/zip", "buffer": folder}
    )
    page.locator("input[name=terms]").check()
    page.get_by_role("button", name="Upload and judge").click()
    return finished(page)


def publish(page: Page, run: int) -> None:
    page.goto(f"/runs/{run}/")
    page.get_by_role("button", name="Publish").click()


def moderate(page: Page, approve: int, hide: int) -> None:
    """The operator's admin signs in by the one door, approves one and hides another."""
    page.goto("/sign-in/")
    page.get_by_label("Name or e-mail address").fill("boss")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto("/moderation/")
    expect(page.get_by_text("2 waiting")).to_be_visible()
    page.goto(f"/moderation/runs/{approve}/")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The board shows it now")).to_be_visible()
    page.goto(f"/moderation/runs/{hide}/")
    page.get_by_label("Why it must not be public").fill("These answers were made up.")
    page.get_by_role("button", name="Hide").click()
    expect(page.get_by_text("The reason stands where the run stood")).to_be_visible()


def test_a_stranger_s_way_onto_the_board_and_off_it(browser: Browser, site: Site) -> None:
    make.real_benchmark(WHOLE)
    make.user("boss", staff=True)
    ada, boss, reader = (visitor(browser, site) for _ in range(3))

    sign_up(ada, site)
    by_browser, by_script = submit(ada, site), submit_by_script(ada, site, make_token(ada))
    by_files = upload(ada)
    fourth = refused_for_the_week(ada, site)
    for run in (by_browser, by_files):
        publish(ada, run)
        expect(ada.get_by_text("A moderator looks at it before it is public")).to_be_visible()
    before = status(reader, f"/runs/{by_browser}/")
    site.await_letter("To: boss@example.org", "By browser", "/moderation/")
    moderate(boss, approve=by_browser, hide=by_files)
    publish(ada, by_script)  # after a hidden one they are trusted no more

    expect(ada.get_by_text("A moderator has hidden an entry").first).to_be_visible()
    assert before == 404
    assert "used 3 of 3 runs this week" in fourth
    assert status(reader, f"/runs/{by_browser}/") == 200
    assert status(reader, f"/runs/{by_script}/") == status(reader, f"/runs/{by_files}/") == 404
    assert on_the_board(reader) == 1
    for said in (
        f"run {by_browser} on BFCL V4, has finished",
        "is published",
        "> These answers were made up.",
    ):
        site.await_letter("To: ada@example.org", said)

    withdraw(ada, by_browser)

    assert status(reader, f"/runs/{by_browser}/") == 410
    expect(reader.get_by_text("Withdrawn on request of its submitter.").first).to_be_visible()
    assert on_the_board(reader) == 0


def on_the_board(page: Page) -> int:
    """How many rows the board has by now."""
    page.goto("/bfcl-v4/")
    return page.locator("main table a", has_text="By ").count()


def withdraw(page: Page, run: int) -> None:
    page.goto(f"/runs/{run}/")
    page.locator("summary", has_text="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("Withdrawn.").first).to_be_visible()


def status(page: Page, path: str) -> int:
    answer = page.goto(path)
    assert answer is not None
    return answer.status


def refused_for_the_week(page: Page, site: Site) -> str:
    """A fourth run where three are allowed: what the page says."""
    page.goto("/submit/")
    page.get_by_label("Model card").select_option(label="By browser")
    page.get_by_label("Base URL").fill(f"http://{site.endpoint}/v1")
    page.get_by_label("Model name there").fill(MODEL)
    page.locator("input[name=terms]").check()
    page.get_by_role("button", name="Start the run").click()
    return page.get_by_role("alert").inner_text()
