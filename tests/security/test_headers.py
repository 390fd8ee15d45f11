"""What every page tells browsers, and which requests are read, with the settings of production."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings as chosen
from django.test import Client
from pytest_django import Settings

from leaderboard.embedded.home import PROJECT
from tests import make
from tests.leaderboard.test_settings import PRODUCTION
from tests.security.test_who_may import FIELDS, GET, POST, names, readers, things

__all__ = ["readers", "things"]  # fixtures

pytestmark = pytest.mark.django_db
OURS = ("SECURE_", "SESSION_", "CSRF_COOKIE", "CONTENT_SECURITY", "X_FRAME", "DEBUG", "ALLOWED_")
SCRIPT = """
import json
from django.conf import settings
wanted = tuple(json.loads(input()))
print(json.dumps({name: getattr(settings, name) for name in dir(settings)
                  if name.startswith(wanted) and name.isupper()}))
"""
ALWAYS = {
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains; preload",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
}
DOWNLOADS = ("application/zip", "application/x-ndjson", "text/csv", "application/vnd.apache")
ADMIN = ("", "evaluation/run/", "evaluation/run/{run}/change/", "submissions/organisation/")


@pytest.fixture(scope="module")
def of_production() -> dict[str, Any]:
    """Settings of security as a process reads them that is started for production."""
    environment = {"PATH": "/usr/bin:/bin", "DJANGO_SETTINGS_MODULE": "leaderboard.settings"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(OURS),
        cwd=PROJECT,
        env=environment | PRODUCTION,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(autouse=True)
def production(settings: Settings, of_production: dict[str, Any]) -> None:
    for name, value in of_production.items():
        setattr(settings, name, value)


def client_of(other: Client | None = None) -> Client:
    """A browser behind the TLS proxy, signed in like the other one."""
    made = Client(
        headers={"host": "callboard.example", "x-forwarded-proto": "https"},
        enforce_csrf_checks=True,
    )
    if other is not None:
        made.cookies.update(other.cookies)
    return made


class Inline(HTMLParser):
    """Finds what a strict policy forbids: handlers, styles and scripts within a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "style" or (tag == "script" and "src" not in given and not _is_data(given)):
            self.found.append(f"<{tag}>")
        bad = [name for name in given if name.startswith("on") or name == "style"]
        self.found += [f"<{tag} {name}>" for name in bad]
        for name in ("href", "src", "action", "formaction"):
            if (given.get(name) or "").strip().lower().startswith(("javascript:", "data:text")):
                self.found.append(f"<{tag} {name}={given[name]}>")


def _is_data(attributes: dict[str, str | None]) -> bool:
    return (attributes.get("type") or "").endswith("json")


def faults_of(page: Any) -> list[str]:
    """What a page says that it should not, or does not say that it should."""
    found = [
        f"{name}: {page.get(name)}" for name, value in ALWAYS.items() if page.get(name) != value
    ]
    policy = page.get("Content-Security-Policy", "")
    for wanted in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
        if wanted not in policy:
            found.append(f"no {wanted}")
    if "unsafe" in policy or " http:" in policy or "*" in policy:
        found.append(policy)
    if "camera=()" not in page.get("Permissions-Policy", ""):
        found.append("no permissions policy")
    kind = page.get("Content-Type", "")
    if kind.startswith(DOWNLOADS) and not page.get("Content-Disposition", "").startswith("attach"):
        found.append(f"{kind} is no attachment")
    if kind.startswith("text/html"):
        parser = Inline()
        parser.feed(page.content.decode())
        found += parser.found
    return found


def test_every_page_carries_every_header_and_nothing_inline(
    readers: dict[str, Client], things: dict[str, Any]
) -> None:
    wrong, statuses = {}, set()
    paths = [row[0] for name, row in GET.items() if name in names("") or " " in name]
    paths += ["/nothing/", "/bfcl-v4/?format=csv", "/runs/{public}/samples.ndjson"]
    paths += [f"/admin/{path}" for path in ADMIN]
    browsers = {one: client_of(readers[one]) for one in ("anonymous", "owner", "admin")}

    for path in paths:
        for who, browser in browsers.items():
            page = browser.get(path.format(**things))
            statuses.add(page.status_code)
            if faults := faults_of(page):
                wrong[f"{who} at {path}"] = faults

    assert {200, 302, 404} <= statuses
    assert wrong == {}


def test_every_form_s_answer_carries_them_too(
    readers: dict[str, Client], things: dict[str, Any]
) -> None:
    wrong = {}
    for name, row in POST.items():
        page = client_of(readers["owner"]).post(row[0].format(**things), FIELDS)
        if faults := faults_of(page):
            wrong[name] = faults

    assert wrong == {}


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/api/v1/", "/admin/", "/nothing/"])
def test_without_tls_every_page_leads_to_it(path: str) -> None:
    page = Client(headers={"host": "callboard.example"}).get(path)

    assert page.status_code == 301
    assert page["Location"] == f"https://callboard.example{path}"


@pytest.mark.parametrize(
    "host", ["evil.example", "callboard.example.evil.example", "callboard.example:80@evil", ""]
)
def test_another_host_s_name_is_no_name_of_this_site(host: str) -> None:
    page = client_of().get("/sign-in/", headers={"host": host})

    assert page.status_code == 400
    assert "evil" not in page.content.decode()


def test_what_a_proxy_would_forward_names_no_other_host() -> None:
    mail_page = client_of().get("/sign-in/", headers={"x-forwarded-host": "evil.example"})

    assert mail_page.status_code == 200
    assert "evil.example" not in mail_page.content.decode()


def with_token(client: Client) -> str:
    page = client.get("/sign-in/").content.decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found
    return found.group(1)


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://callboard.example"}, 403),
        ({"origin": "https://callboard.example.evil.example"}, 403),
        ({"referer": "https://evil.example/"}, 403),
        ({}, 403),  # neither: over https that is suspicious
        ({"origin": "https://callboard.example"}, 302),
        ({"referer": "https://callboard.example/sign-in/"}, 302),
    ],
)
def test_a_form_is_taken_from_this_site_alone_even_with_its_token(
    settings: Settings, origin: dict[str, str], status: int
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    make.user("ada")
    client = client_of()
    answers = {
        "login": "ada",
        "password": "correct horse",
        "csrfmiddlewaretoken": with_token(client),
    }

    page = client.post("/sign-in/", answers, headers=origin)

    assert page.status_code == status


def test_cookies_are_for_this_site_over_tls_alone() -> None:
    client = client_of()
    client.get("/sign-in/")

    cookie = client.cookies["csrftoken"]

    assert cookie["secure"]
    assert cookie["samesite"] == "Lax"
    assert chosen.SESSION_COOKIE_SECURE
    assert chosen.SESSION_COOKIE_HTTPONLY


@pytest.mark.parametrize("path", ["/sign-in/", "/submit/", "/theme/", "/api/v1/benchmarks/"])
def test_a_large_request_is_refused_unread_whoever_sends_it(path: str) -> None:
    body = b"x" * (chosen.CALLBOARD_BODY + 1)

    page = client_of().post(path, body, content_type="multipart/form-data; boundary=x")

    assert page.status_code == 413


def test_a_stranger_s_upload_is_refused_unread() -> None:
    """Its body is never asked for: the answer is the door."""
    page = client_of().post(
        "/submit/results/", b"x" * 2_000_000, content_type="multipart/form-data"
    )

    assert page.status_code == 302
    assert page["Location"].startswith("/sign-in/")
