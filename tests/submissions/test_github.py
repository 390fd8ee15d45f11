"""Sign-in with GitHub, up to the end, against a stand-in for GitHub on loopback."""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from tests import make

pytestmark = pytest.mark.django_db
SECRET = "gho-planted-0123456789"
DOOR, BACK = "/account/github/login/", "/account/github/login/callback/"


class GitHub:
    """What the stand-in says of whoever signs in."""

    def __init__(self) -> None:
        self.profile: dict[str, Any] = {"id": 42, "login": "octo-ada", "email": None}
        self.emails = [{"email": "ada@example.org", "primary": True, "verified": True}]
        self.status = 200
        self.asked: list[str] = []

    def answer(self, path: str) -> object:
        self.asked.append(path)
        return {
            "/token": {"access_token": SECRET, "token_type": "bearer"},
            "/user": self.profile,
            "/emails": self.emails,
        }[path]


@pytest.fixture
def github(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    said = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.dumps(said.answer(self.path)).encode()
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    here = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(GitHubOAuth2Adapter, "access_token_url", f"{here}/token")
    monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{here}/user")
    monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{here}/emails")
    settings.ROOT_URLCONF = "tests.submissions.github"
    apps = [{"client_id": "id", "secret": "secret"}]
    usual = settings.SOCIALACCOUNT_PROVIDERS["github"]
    settings.SOCIALACCOUNT_PROVIDERS = {"github": usual | {"APPS": apps}}
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(uuid.uuid4())}}
    yield said
    server.shutdown()
    thread.join()
    server.server_close()


def come_back(client: Client, process: str = "login", **changes: str) -> Any:
    """Go to GitHub, agree there, and come back; the page one ends on."""
    sent = client.post(f"{DOOR}?process={process}")
    state = parse_qs(urlsplit(sent["Location"]).query)["state"][0]
    return client.get(BACK, {"code": "agreed", "state": state} | changes, follow=True)


def signed_in(client: Client) -> str:
    """The name of whoever is signed in, or ""."""
    pk = client.session.get("_auth_user_id")
    return User.objects.get(pk=pk).username if pk else ""


def test_a_newcomer_verifies_their_address_like_anybody_else(
    github: GitHub, client: Client
) -> None:
    come_back(client)
    before = signed_in(client)
    code = re.search(r"^([A-Z0-9-]{6,9})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    client.post("/account/email/code/", {"code": code.group(1)})

    assert before == ""
    assert mail.outbox[-1].to == ["ada@example.org"]
    assert signed_in(client) == "octo-ada"
    assert github.asked == ["/token", "/user", "/emails"]


def test_an_address_that_somebody_has_does_not_open_their_account(
    github: GitHub, client: Client
) -> None:
    ada = make.user("ada")

    come_back(client)
    client.post("/account/connected/signup/", {"username": "octo", "email": ada.email})

    assert signed_in(client) == ""
    assert not SocialAccount.objects.filter(user=ada).exists()
    assert EmailAddress.objects.filter(email=ada.email).get().user == ada
    assert not any(re.search(r"^[A-Z0-9-]{6,9}$", str(one.body), re.M) for one in mail.outbox)


def test_nor_does_one_that_is_only_claimed(github: GitHub, client: Client) -> None:
    """An address in the public profile is whatever its owner typed."""
    make.user("ada")
    github.profile["email"] = "ada@example.org"
    github.emails = [{"email": "eve@example.org", "primary": True, "verified": True}]

    come_back(client)

    assert signed_in(client) != "ada"
    assert not SocialAccount.objects.filter(user__username="ada").exists()


def test_a_name_that_is_taken_makes_nobody_that_person(github: GitHub, client: Client) -> None:
    make.user("octo-ada")

    come_back(client)

    assert not SocialAccount.objects.filter(user__username="octo-ada").exists()


def test_somebody_signed_in_connects_and_then_signs_in_that_way(
    github: GitHub, client: Client
) -> None:
    ada = make.user("ada")
    client.post("/sign-in/", {"login": "ada", "password": "correct horse"})
    come_back(client, "connect")
    other = Client()

    come_back(other)

    assert SocialAccount.objects.get().user == ada
    assert signed_in(other) == "ada"


def test_an_account_of_github_that_is_somebody_s_is_nobody_else_s(
    github: GitHub, client: Client
) -> None:
    SocialAccount.objects.create(user=make.user("ada"), provider="github", uid="42")
    make.user("eve")
    client.post("/sign-in/", {"login": "eve", "password": "correct horse"})

    come_back(client, "connect")

    assert SocialAccount.objects.get().user.username == "ada"
    assert signed_in(client) == "eve"


@pytest.mark.parametrize("changes", [{"state": "forged"}, {"state": ""}, {"error": "denied"}])
def test_who_comes_back_without_having_been_sent_is_nobody(
    github: GitHub, client: Client, changes: dict[str, str]
) -> None:
    SocialAccount.objects.create(user=make.user("ada"), provider="github", uid="42")

    page = come_back(client, **changes)

    assert page.status_code < 500
    assert signed_in(client) == ""
    assert github.asked == []


@pytest.mark.parametrize("status", [401, 404, 500])
def test_trouble_over_there_is_a_page_in_words(
    github: GitHub, client: Client, status: int
) -> None:
    github.status = status

    page = come_back(client)

    assert page.status_code < 500
    assert signed_in(client) == ""
    assert SECRET not in page.content.decode()


def test_github_s_token_is_not_kept(github: GitHub, client: Client) -> None:
    come_back(client)

    kept = [json.dumps(one.extra_data) for one in SocialAccount.objects.all()]
    assert not SocialToken.objects.exists()
    assert SECRET not in "".join(kept) + json.dumps(dict(client.session), default=str)
