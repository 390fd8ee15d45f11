"""Pages of accounts in a real browser: sound for everybody; passkeys under the strict policy."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from submissions import organisations, tokens
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
NARROW = {"viewport": {"width": 320, "height": 640}}
PASSWORD = "correct horse"
OUTSIDE = {
    "sign in": "/sign-in/",
    "sign up": "/sign-up/",
    "forgotten": "/account/password/reset/",
    "look into your mail": "/account/password/reset/sent/",
    "old link": "/account/password/reset/1-no/",
    "terms": "/terms/",
}
INSIDE = {
    "account": "/account/",
    "delete": "/account/delete/",
    "e-mail": "/account/email/",
    "notices": "/account/mail/",
    "password": "/account/password/",
    "two factors": "/account/two-factor/",
    "keys": "/account/two-factor/webauthn/",
    "sessions": "/account/sessions/",
    "tokens": "/account/tokens/",
    "organisations": "/account/organisations/",
    "organisation": "/account/organisations/example-lab/",
    "invitation": "/account/invitations/SECRET/",
    "is it you": "/account/confirm/",
}
CONFIRMED = {
    "authenticator app": "/account/two-factor/totp/activate/",
    "add a passkey": "/account/two-factor/webauthn/add/",
}


@pytest.fixture
def ada(settings: Any) -> User:
    """Somebody with an organisation, an invitation and a token."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    made = make.user("ada")
    lab = organisations.found("Example Lab", "example.org", by=made)
    organisations.set_role(lab, make.user("bob"), "viewer")
    organisations.invite(lab, "somebody-with-a-long-name@example.org", "submitter", by=made)
    tokens.make(made, "nightly evaluation", "submit", 30)
    return made


def path_of(name: str, ada: User) -> str:
    path = (OUTSIDE | INSIDE | CONFIRMED)[name]
    if "SECRET" in path:
        other = organisations.found("Other Lab", "", by=make.user("eve"))
        path = path.replace("SECRET", organisations.invite(other, "a@b.org", "owner", by=ada))
    return path


def sign_in(page: Page, ada: User, site: str) -> None:
    client = Client()
    client.force_login(ada)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": site}])


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def visit(page: Page, name: str, ada: User, site: str) -> None:
    if name not in OUTSIDE:
        sign_in(page, ada, site)
    page.goto(path_of(name, ada))
    if name in CONFIRMED:
        confirm(page)


NAMES = [*OUTSIDE, *INSIDE, *CONFIRMED]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    page: Page, ada: User, live_server: Any, name: str, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    visit(page, name, ada, live_server.url)

    found = Axe().run(page).response["violations"]

    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", [NARROW], indirect=True, ids=["320"])
def test_no_page_scrolls_sideways(page: Page, ada: User, live_server: Any, name: str) -> None:
    visit(page, name, ada, live_server.url)

    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")

    assert width <= shown


def test_a_passkey_is_added_and_opens_the_door(page: Page, ada: User, live_server: Any) -> None:
    keys = page.context.new_cdp_session(page)
    keys.send("WebAuthn.enable")
    keys.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
            }
        },
    )
    site = live_server.url.replace("127.0.0.1", "localhost")  # a passkey belongs to a name
    sign_in(page, ada, site)
    page.goto(f"{site}/account/two-factor/webauthn/add/")
    confirm(page)

    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible(timeout=15_000)
    page.context.clear_cookies()
    page.goto(f"{site}/sign-in/")
    page.get_by_role("button", name="Sign in with a passkey").click()

    expect(page.get_by_role("heading", name="My submissions")).to_be_visible(timeout=15_000)
