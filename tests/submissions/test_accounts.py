"""Accounts: an address is verified first, sign-in is throttled, leaving leaves nothing."""

from __future__ import annotations

import json
import re
import socket
import uuid
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from evaluation.models import Endpoint, ModelCard, Run
from evaluation.secrets import seal
from leaderboard import environment, first_steps
from leaderboard import settings as product
from leaderboard.cache import ForgivingRedisCache
from submissions import tokens
from submissions.models import Submission
from tests import make

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse"
ANSWERS = {
    "username": "Ada",
    "email": "ada@example.org",
    "password1": PASSWORD,
    "password2": PASSWORD,
}


@pytest.fixture(autouse=True)
def _own_limits(settings: Settings) -> None:
    """Limits count per address and name, which all tests share: each test counts for itself."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(uuid.uuid4())}}


def sign_in(client: Client, login: str, password: str = PASSWORD) -> int:
    return client.post("/sign-in/", {"login": login, "password": password}).status_code


def code_in_mail() -> str:
    found = re.search(r"^([A-Z0-9-]{6,9})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found, mail.outbox[-1].body
    return found.group(1)


def test_a_new_account_is_signed_in_once_the_code_of_its_mail_is_entered(client: Client) -> None:
    asked = client.post("/sign-up/?next=/submissions/", ANSWERS)
    before = "_auth_user_id" in client.session
    done = client.post("/account/email/code/", {"code": code_in_mail()})

    assert asked["Location"].startswith("/account/email/code/")
    assert not before
    assert "_auth_user_id" in client.session
    assert done["Location"] == "/submissions/"
    assert EmailAddress.objects.get(user__username="ada").verified


def test_a_wrong_code_verifies_nothing(client: Client) -> None:
    client.post("/sign-up/", ANSWERS)

    client.post("/account/email/code/", {"code": "AAAA-AAAA"})

    assert not EmailAddress.objects.get().verified
    assert "_auth_user_id" not in client.session


def test_signing_up_sends_nobody_to_another_site(client: Client) -> None:
    client.post("/sign-up/", ANSWERS | {"next": "https://evil.example/"})

    done = client.post("/account/email/code/", {"code": code_in_mail()})

    assert done["Location"] == "/submit/"


@pytest.mark.parametrize(
    "name", ["admin", "Moderator", "аda", "a b", "ada@example.org", "-", "x" * 61]
)
def test_a_name_that_could_be_taken_for_another_is_refused(client: Client, name: str) -> None:
    client.post("/sign-up/", ANSWERS | {"username": name})

    assert not User.objects.exists()


def test_an_address_that_has_an_account_is_not_told_to_a_stranger(client: Client) -> None:
    make.user("ada")

    page = client.post("/sign-up/", ANSWERS | {"username": "other"})

    assert page.status_code == 302
    assert page["Location"].startswith("/account/email/code/")
    assert User.objects.count() == 1


def test_where_no_mail_is_sent_nobody_signs_up(client: Client, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

    page = client.post("/sign-up/", ANSWERS)

    assert "sends no mail" in page.content.decode()
    assert not User.objects.exists()


@pytest.mark.parametrize("login", ["ada", "ada@example.org", "ADA"])
def test_one_signs_in_by_name_or_address(client: Client, login: str) -> None:
    make.user("ada")

    assert sign_in(client, login) == 302
    assert "_auth_user_id" in client.session


def test_five_wrong_passwords_close_an_account_s_door_for_a_while_even_to_the_right_one(
    client: Client,
) -> None:
    make.user("ada")

    for _ in range(5):
        sign_in(client, "ada", "wrong")
    sign_in(client, "ada")

    assert "_auth_user_id" not in client.session


def test_thirty_attempts_a_minute_from_one_address_are_enough(client: Client) -> None:
    answers = [sign_in(client, f"user{number}", "wrong") for number in range(31)]

    assert answers[0] == 200
    assert answers[-1] == 429


@pytest.fixture
def _cache_is_down(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The product's own cache, at an address where nothing answers."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"redis://127.0.0.1:{nobody.getsockname()[1]}/0"
    backend = "leaderboard.cache.ForgivingRedisCache"
    once = {"LOCATION": address, "KEY_PREFIX": str(uuid.uuid4())}  # counts of its own
    settings.CACHES = {"default": {"BACKEND": backend, **once}}
    monkeypatch.setattr(ForgivingRedisCache, "_asked_again_at", 0.0)


def test_a_cache_that_takes_questions_and_says_nothing_is_asked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options: Any = product.CACHES["default"]["OPTIONS"]
    options = options | {"socket_timeout": 0.05}
    monkeypatch.setattr(ForgivingRedisCache, "_asked_again_at", 0.0)
    monkeypatch.setattr("leaderboard.cache.ALONE", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        cache = ForgivingRedisCache(address, {"OPTIONS": options})

        cache.set("page", "text")
        found = [cache.get("page"), cache.get("page", "none"), cache.add("page", 1)]

        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()
    assert found == [None, "none", False]


@pytest.mark.usefixtures("_cache_is_down")
def test_while_the_cache_is_down_one_signs_in_and_pages_are_read(client: Client) -> None:
    make.user("ada", staff=True)

    sign_in(client, "ada")

    assert "_auth_user_id" in client.session
    assert client.get("/admin/").status_code == 200
    assert client.get("/terms/").status_code == 200
    assert client.get("/account/export.json").status_code == 200


@pytest.mark.usefixtures("_cache_is_down")
def test_while_the_cache_is_down_guessers_are_stopped_all_the_same(client: Client) -> None:
    make.user("ada")

    for _ in range(5):
        sign_in(client, "ada", "wrong")
    sign_in(client, "ada")

    assert "_auth_user_id" not in client.session


@pytest.mark.usefixtures("_cache_is_down")
def test_while_the_cache_is_down_the_api_counts_all_the_same(
    client: Client, settings: Settings
) -> None:
    settings.CALLBOARD_API_RATE = "2/min"
    token = tokens.make(make.user("ada"), "test", "read", 7)[1]
    own = Client(headers={"authorization": f"Bearer {token}"})

    anybody = [client.get("/api/v1/benchmarks/").status_code for _ in range(3)]
    person = [own.get("/api/v1/submissions/").status_code for _ in range(3)]

    assert anybody == person == [200, 200, 429]


def test_sign_ups_from_one_address_are_throttled(client: Client) -> None:
    answers = [client.post("/sign-up/", {"username": "x"}).status_code for _ in range(11)]

    assert answers[0] == 200
    assert answers[-1] == 429


def test_password_resets_are_throttled(client: Client) -> None:
    answers = [
        client.post("/account/password/reset/", {"email": "a@example.org"}).status_code
        for _ in range(6)
    ]

    assert answers[:5] == [302] * 5
    assert answers[-1] == 429


def test_a_forgotten_password_is_replaced_through_a_link_that_works_once(client: Client) -> None:
    make.user("ada")
    client.post("/account/password/reset/", {"email": "ada@example.org"})
    link = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert link
    new = {"password1": "another horse 7", "password2": "another horse 7"}

    form = client.get(link.group(1), follow=True)
    client.post(form.redirect_chain[-1][0], new)
    again = Client().get(link.group(1), follow=True)

    assert sign_in(Client(), "ada", "another horse 7") == 302
    assert "has been used" in again.content.decode()


def test_a_reset_for_an_unknown_address_answers_alike(client: Client) -> None:
    make.user("ada")

    known = client.post("/account/password/reset/", {"email": "ada@example.org"})
    unknown = client.post("/account/password/reset/", {"email": "nobody@example.org"})

    assert known["Location"] == unknown["Location"]


def test_the_admin_is_entered_through_the_same_door(client: Client) -> None:
    page = client.get("/admin/login/?next=/admin/")

    assert page.status_code == 302
    assert page["Location"] == "/sign-in/?next=%2Fadmin%2F"


def test_the_admin_s_door_takes_no_password_itself(client: Client) -> None:
    make.user("ada")

    client.post("/admin/login/", {"username": "ada", "password": PASSWORD})

    assert "_auth_user_id" not in client.session


def test_the_sessions_page_lists_where_one_is_signed_in_and_ends_the_others(
    client: Client,
) -> None:
    make.user("ada")
    other = Client(headers={"user-agent": "Elsewhere/1"})
    sign_in(client, "ada")
    sign_in(other, "ada")

    listed = client.get("/account/sessions/").content.decode()
    client.post("/account/sessions/")

    assert "Elsewhere/1" in listed
    assert other.get("/submissions/").status_code == 302
    assert client.get("/submissions/").status_code == 200


def test_the_secret_of_an_authenticator_app_is_sealed_at_rest() -> None:
    from allauth.mfa.adapter import get_adapter

    sealed = get_adapter().encrypt("JBSWY3DPEHPK3PXP")

    assert "JBSWY3DPEHPK3PXP" not in sealed
    assert get_adapter().decrypt(sealed) == "JBSWY3DPEHPK3PXP"


def test_a_second_factor_is_asked_for_once_it_is_set_up(client: Client) -> None:
    from allauth.mfa.totp.internal import auth

    ada = make.user("ada")
    secret = auth.generate_totp_secret()
    auth.TOTP.activate(ada, secret)

    sign_in(client, "ada")
    halfway = "_auth_user_id" in client.session
    code = auth.format_hotp_value(
        auth.hotp_value(secret, next(auth.yield_hotp_counters_from_time()))
    )
    client.post("/account/two-factor/authenticate/", {"code": code})

    assert not halfway
    assert "_auth_user_id" in client.session


def test_the_export_holds_what_is_kept_and_no_secret(client: Client) -> None:
    ada = make.user("ada")
    card = make.card("Mine", owner=ada)
    run = make.finished_run(make.entry(card))
    Submission.objects.create(submitted_by=ada, run=run)
    Endpoint.objects.filter(runs=run).update(sealed_key=seal("sk-secret-0123456789"))
    sign_in(client, "ada")

    page = client.get("/account/export.json")

    kept = json.loads(page.content)
    assert page["Content-Disposition"].startswith("attachment")
    assert kept["account"]["username"] == "ada"
    assert kept["model_cards"][0]["name"] == "Mine"
    assert kept["submissions"][0]["run"] == run.pk
    assert "sealed" not in page.content.decode()
    assert ada.password not in page.content.decode()


def test_a_deleted_account_leaves_public_results_and_nothing_else(client: Client) -> None:
    ada = make.user("ada")
    card = make.card("Mine", owner=ada)
    public = make.finished_run(make.entry(card))
    private = make.finished_run(public.entry, published=False)
    active = make.run(make.entry(make.card("Other", owner=ada)), state="running")
    for run in (public, private, active):
        Submission.objects.create(submitted_by=ada, run=run)
    Endpoint.objects.update(sealed_key=seal("sk-secret-0123456789"), key_last_four="6789")
    sign_in(client, "ada")

    asked = client.post("/account/delete/")
    client.post(asked["Location"], {"password": PASSWORD})

    assert not User.objects.exists()
    assert not EmailAddress.objects.exists()
    assert list(Run.objects.all()) == [public]
    assert list(ModelCard.objects.all()) == [card]
    assert not Endpoint.objects.exclude(sealed_key=None).exists()
    assert client.get(f"/runs/{public.pk}/").status_code == 200
    assert client.get("/submissions/").status_code == 302


def test_a_deletion_needs_a_recent_password(client: Client) -> None:
    ada = make.user("ada")
    client.force_login(ada)

    page = client.post("/account/delete/")

    assert page["Location"].startswith("/account/confirm/")
    assert User.objects.exists()


@pytest.mark.parametrize("kind", ["TOTP", "WEBAUTHN"])
def test_the_pages_of_second_factors_open_whatever_is_set_up(client: Client, kind: str) -> None:
    from allauth.mfa.models import Authenticator

    ada = make.user("ada")
    data = {"name": "My <b>key</b>", "credential": {}, "secret": seal("A").decode()}
    made = Authenticator.objects.create(user=ada, type=Authenticator.Type[kind], data=data)
    client.force_login(ada)
    client.post("/account/confirm/", {"password": PASSWORD})
    root = "/account/two-factor/"
    paths = ["", "recovery-codes/generate/"]
    if kind == "WEBAUTHN":
        paths += [
            "webauthn/",
            f"webauthn/keys/{made.pk}/remove/",
            f"webauthn/keys/{made.pk}/edit/",
        ]
    else:
        paths += ["totp/deactivate/"]

    answers = {path: client.get(root + path).status_code for path in paths}
    client.post(f"{root}recovery-codes/generate/")
    codes = client.get(f"{root}recovery-codes/")

    assert answers == dict.fromkeys(paths, 200)
    assert "10 of 10 are left" in codes.content.decode()


def test_a_local_installation_says_where_its_mail_lies(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)

    page = client.post("/sign-up/", ANSWERS, follow=True)

    assert str(tmp_path) in page.content.decode()
    assert any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://ada:p%40ss@mail.example.org", ("mail.example.org", 587, "p@ss", True, False)),
        ("smtps://mail.example.org", ("mail.example.org", 465, "", False, True)),
        ("smtp://127.0.0.1:25?starttls=no", ("127.0.0.1", 25, "", False, False)),
    ],
)
def test_a_mail_server_is_named_by_its_address(url: str, expected: tuple[object, ...]) -> None:
    found = environment.mail(url, local=False)

    names = ("HOST", "PORT", "HOST_PASSWORD", "USE_TLS", "USE_SSL")
    assert tuple(found[f"EMAIL_{name}"] for name in names) == expected


def test_what_is_no_mail_server_is_refused_in_a_sentence() -> None:
    with pytest.raises(ImproperlyConfigured, match="no mail server"):
        environment.mail("https://example.org", local=False)


def test_github_is_offered_where_it_is_configured_and_only_there(
    client: Client, settings: Settings
) -> None:
    without = client.get("/sign-in/").content.decode()
    settings.ROOT_URLCONF = "tests.submissions.github"
    settings.SOCIALACCOUNT_PROVIDERS = {
        "github": {"APPS": [{"client_id": "id", "secret": "secret"}], "SCOPE": ["user:email"]}
    }

    offered = client.get("/sign-in/").content.decode()
    sent = client.post("/account/github/login/?process=login")

    assert "GitHub" not in without
    assert "Sign in with GitHub" in offered
    assert sent["Location"].startswith("https://github.com/login/oauth/authorize?client_id=id")
    assert "account%2Fgithub%2Flogin%2Fcallback" in sent["Location"]


@pytest.mark.parametrize(
    ("method", "path", "often"),
    [
        ("get", "/account/export.json", 5),
        ("post", "/account/password/", 5),
        ("post", "/account/email/", 10),
        ("post", "/account/confirm/", 10),
        ("post", "/account/organisations/", 20),
    ],
)
def test_one_s_own_pages_are_throttled_too(
    client: Client, method: str, path: str, often: int
) -> None:
    client.force_login(make.user("ada"))
    wrong = {"action_add": "", "email": "x", "oldpassword": "wrong", "password": "wrong"}

    answers = [getattr(client, method)(path, wrong).status_code for _ in range(often + 1)]

    assert 429 not in answers[:often]
    assert answers[-1] == 429


def test_a_passkey_s_door_is_throttled(client: Client) -> None:
    answers = [
        client.post("/account/two-factor/webauthn/login/", {"credential": "{}"}).status_code
        for _ in range(11)
    ]

    assert answers[0] != 429
    assert answers[-1] == 429


def test_the_admin_of_a_new_installation_signs_in_and_administers(client: Client) -> None:
    first_steps.make_admin("made-for-this-machine")

    sign_in(client, "admin", "made-for-this-machine")

    assert client.get("/admin/").status_code == 200
