"""Who may open what: every address of the site × every kind of reader.

An address that is in no table fails the first test: whoever adds one says here who may open it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.test import Client
from django.urls import (
    NoReverseMatch,
    URLPattern,
    URLResolver,
    get_resolver,
    resolve,
    reverse,
)
from pytest_django import Settings

from evaluation.models import Case
from submissions import organisations, tokens
from submissions.models import Membership, Submission
from tests import make

pytestmark = pytest.mark.django_db
READERS = ("anonymous", "other", "member", "owner", "moderator", "admin")
# A member may look at the organisation's private run, its owner may steer it; both kinds of
# staff may do everything with runs, and nothing with what belongs to a person or organisation.

ALL = (200,) * 6
SIGNED_IN = (302, 200, 200, 200, 200, 200)
MEMBERS = (302, 404, 200, 200, 404, 404)
PRIVATE = (404, 404, 200, 200, 200, 200)
NOBODY = (404,) * 6
STEERS = (302, 404, 404, 302, 302, 302)
OWNERS = (302, 404, 404, 302, 404, 404)
MODERATORS = (302, 403, 403, 403, 200, 200)
TOKEN = (401, 200, 200, 200, 200, 200)
AWAY = (302,) * 6  # to sign in, or on to where one came from
ASKED_AGAIN = (302,) * 6  # for the password
NOT_THERE_YET = (302, 404, 404, 404, 404, 404)  # nothing of the kind is set up
BACK = (200, 302, 302, 302, 302, 302)  # doors that are of no use inside

GET = {
    "home": ("/", ALL),
    "methodology": ("/methodology/", ALL),
    "terms": ("/terms/", ALL),
    "compare": ("/bfcl-v4/compare/", ALL),
    "styleguide": ("/styleguide/", ALL),
    "boards": ("/standings/", AWAY),
    "standings": ("/bfcl-v4/", ALL),
    "case": ("/bfcl-v4/cases/simple_python_0/", ALL),
    "model": ("/models/public/", ALL),
    "favicon.ico": ("/favicon.ico", AWAY),
    "plots": ("/bfcl-v4/plots/", ALL),
    "format-sensitivity": ("/bfcl-v4/format-sensitivity/", NOBODY),
    "why": ("/why/{entry}/overall/", ALL),
    "why-rank": ("/why/{entry}/rank/", ALL),
    "run": ("/runs/{run}/", PRIVATE),
    "run of the public": ("/runs/{public}/", ALL),
    "export": ("/runs/{ended}/export.zip", PRIVATE),
    "run-samples": ("/runs/{run}/samples.ndjson", PRIVATE),
    "reply": ("/runs/{run}/replies/{reply}/", PRIVATE),
    "submit": ("/submit/", SIGNED_IN),
    "upload": ("/submit/results/", SIGNED_IN),
    "my-submissions": ("/submissions/", SIGNED_IN),
    "spot-check": ("/runs/{upload}/spot-check/", (302, 404, 404, 200, 200, 200)),
    "replace-key": ("/runs/{run}/key/", (302, 404, 404, 200, 200, 200)),
    "moderation": ("/moderation/", MODERATORS),
    "moderate": ("/moderation/runs/{run}/", MODERATORS),
    "sign-in": ("/sign-in/", BACK),
    "account_login": ("/sign-in/", BACK),
    "sign-out": ("/sign-out/", (302, 200, 200, 200, 200, 200)),
    "account_logout": ("/sign-out/", (302, 200, 200, 200, 200, 200)),
    "sign-up": ("/sign-up/", BACK),
    "account_signup": ("/sign-up/", BACK),
    "account": ("/account/", SIGNED_IN),
    "account-export": ("/account/export.json", SIGNED_IN),
    "account-delete": ("/account/delete/", SIGNED_IN),
    "account-mail": ("/account/mail/", SIGNED_IN),
    "account-tokens": ("/account/tokens/", SIGNED_IN),
    "organisations": ("/account/organisations/", SIGNED_IN),
    "organisation": ("/account/organisations/lab/", MEMBERS),
    "invitation": ("/account/invitations/{secret}/", SIGNED_IN),
    "account_email": ("/account/email/", SIGNED_IN),
    "account_email_verification_sent": ("/account/email/code/", AWAY),
    "account_inactive": ("/account/inactive/", ALL),
    "account_reauthenticate": ("/account/confirm/", SIGNED_IN),
    "account_request_reauthentication_code": ("/account/confirm/mail/", SIGNED_IN),
    "account_confirm_reauthentication_code": ("/account/confirm/code/", AWAY),
    "account_change_password": ("/account/password/", SIGNED_IN),
    "account_set_password": ("/account/password/set/", AWAY),  # they have one
    "account_reset_password": ("/account/password/reset/", ALL),
    "account_reset_password_done": ("/account/password/reset/sent/", ALL),
    "account_reset_password_from_key": ("/account/password/reset/1-no/", ALL),  # says: too old
    "account_reset_password_from_key_done": ("/account/password/reset/done/", ALL),
    "usersessions_list": ("/account/sessions/", SIGNED_IN),
    "mfa_index": ("/account/two-factor/", SIGNED_IN),
    "mfa_authenticate": ("/account/two-factor/authenticate/", AWAY),
    "mfa_reauthenticate": ("/account/two-factor/reauthenticate/", AWAY),
    "mfa_activate_totp": ("/account/two-factor/totp/activate/", ASKED_AGAIN),
    "mfa_deactivate_totp": ("/account/two-factor/totp/deactivate/", NOT_THERE_YET),
    "mfa_view_recovery_codes": ("/account/two-factor/recovery-codes/", NOT_THERE_YET),
    "mfa_generate_recovery_codes": ("/account/two-factor/recovery-codes/generate/", ASKED_AGAIN),
    "mfa_download_recovery_codes": ("/account/two-factor/recovery-codes/download/", NOT_THERE_YET),
    "mfa_list_webauthn": ("/account/two-factor/webauthn/", SIGNED_IN),
    "mfa_add_webauthn": ("/account/two-factor/webauthn/add/", ASKED_AGAIN),
    "mfa_reauthenticate_webauthn": ("/account/two-factor/webauthn/reauthenticate/", AWAY),
    "mfa_remove_webauthn": ("/account/two-factor/webauthn/keys/1/remove/", AWAY),
    "mfa_edit_webauthn": ("/account/two-factor/webauthn/keys/1/edit/", AWAY),
    "mfa_login_webauthn": ("/account/two-factor/webauthn/login/", AWAY),
    "api": ("/api/v1/", ALL),
    "api-openapi": ("/api/v1/openapi.json", ALL),
    "api-docs": ("/api/v1/docs/", ALL),
    "api-standings": ("/api/v1/standings/bfcl-v4/", ALL),
    "api-samples": ("/api/v1/runs/{run}/samples/", NOBODY),  # of what is not public
    "api-benchmark-list": ("/api/v1/benchmarks/", ALL),
    "api-benchmark-detail": ("/api/v1/benchmarks/bfcl-v4/", ALL),
    "api-category-list": ("/api/v1/categories/", ALL),
    "api-category-detail": ("/api/v1/categories/{category}/", ALL),
    "api-model-list": ("/api/v1/models/", ALL),
    "api-model-detail": ("/api/v1/models/public/", ALL),
    "api-entry-list": ("/api/v1/entries/", ALL),
    "api-entry-detail": ("/api/v1/entries/{entry}/", ALL),
    "api-run-list": ("/api/v1/runs/", ALL),
    "api-run-detail": ("/api/v1/runs/{run}/", NOBODY),
    "api-case-list": ("/api/v1/cases/", ALL),
    "api-case-detail": ("/api/v1/cases/{case}/", ALL),
    "api-snapshot-list": ("/api/v1/snapshots/", ALL),
    "api-snapshot-detail": ("/api/v1/snapshots/1/", NOBODY),  # there is none
    "api/v1/": ("/api/v1/nothing/", NOBODY),
    "api-submissions": ("/api/v1/submissions/", TOKEN),
    "api-submission": ("/api/v1/submissions/{submission}/", (401, 404, 200, 200, 404, 404)),
    "api-spot-check": (
        "/api/v1/submissions/{submission}/spot-check/",
        (401, 404, 200, 200, 404, 404),
    ),
}
POST = {
    "replay": ("/bfcl-v4/cases/simple_python_0/replay/", NOBODY),  # it is no conversation
    "submit-preview": ("/submit/preview/", SIGNED_IN),
    "run-action": ("/runs/{run}/cancel/", STEERS),
    "answer": ("/runs/{run}/answer/", STEERS),
    "decide": ("/moderation/runs/{run}/publish/", (302, 403, 403, 403, 302, 302)),
    "theme": ("/theme/", AWAY),
    "token-revoke": ("/account/tokens/{token}/revoke/", (302, 404, 404, 302, 404, 404)),
    "organisation-domain": ("/account/organisations/lab/domain/", OWNERS),
    "member": ("/account/organisations/lab/members/{membership}/", (302, 404, 404, 302, 404, 404)),
    "invitation-withdraw": (
        "/account/organisations/lab/invitations/{invitation}/withdraw/",
        OWNERS,
    ),
    "api-answer": ("/api/v1/submissions/{submission}/answer/", (401, 404, 403, 415, 404, 404)),
    "api-key": ("/api/v1/submissions/{submission}/key/", (401, 404, 403, 415, 404, 404)),
    "api-steering": ("/api/v1/submissions/{submission}/cancel/", (401, 404, 403, 200, 404, 404)),
}
FIELDS = {"role": "viewer", "domain": "", "theme": "dark"}  # whatever a door may ask for
# Of the admin's pages, those that every member of staff may open.
FOR_ALL_STAFF = {"index", "login", "logout", "password_change", "password_change_done", "jsi18n"}


@pytest.fixture
def readers(settings: Settings) -> dict[str, Client]:
    """A browser for each kind of reader, which sends a token to the API as well."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    found = {"anonymous": Client(raise_request_exception=True)}
    for name in READERS[1:]:
        user = make.user(name, staff=name in ("moderator", "admin"))
        if name == "moderator":
            user.is_superuser = False
            user.save()
            user.user_permissions.add(Permission.objects.get(codename="moderate_runs"))
        _, text = tokens.make(user, "test", "submit", 7)
        found[name] = Client(headers={"authorization": f"Bearer {text}"})
        found[name].force_login(user)
    return found


@pytest.fixture
def things(readers: dict[str, Client]) -> dict[str, Any]:
    """A public run, and an organisation's private one; the organisation's owner is “owner”."""
    user = {name: User.objects.get(username=name) for name in READERS[1:]}
    lab = organisations.found("Lab", "", by=user["owner"])
    organisations.set_role(lab, user["member"], "viewer")
    public = make.finished_run(make.entry(make.card("Public", owner=user["other"])))
    made = make.run(
        make.entry(make.card("Private")),
        state="running",
        viewers=lab.viewers,
        stewards=lab.stewards,
    )
    case = Case.objects.order_by("pk").first()
    assert case
    secret = organisations.invite(lab, "new@example.org", "viewer", by=user["owner"])
    ended = make.finished_run(
        made.entry, published=False, owner=None, viewers=lab.viewers, stewards=lab.stewards
    )
    return {
        "run": made.pk,
        "public": public.pk,
        "upload": make.finished_run(
            make.entry(make.card("Uploaded"), evidence="uploaded"),
            published=False,
            endpoint=None,
            owner=None,
            viewers=lab.viewers,
            stewards=lab.stewards,
        ).pk,
        "ended": ended.pk,
        "entry": public.entry_id,
        "case": case.pk,
        "category": case.category_id,
        "reply": make.reply(made, case, b"{}").pk,
        "submission": Submission.objects.create(
            run=made, organisation=lab, submitted_by=user["owner"]
        ).pk,
        "membership": Membership.objects.get(user=user["member"]).pk,
        "invitation": lab.invitations.get().pk,
        "secret": secret,
        "token": user["owner"].api_tokens.get().pk,
    }


def addresses(patterns: list[Any], before: str = "", space: str = "") -> Iterator[tuple[str, str]]:
    """Each address's name (its route where it has none), and the namespace it is in."""
    for one in patterns:
        if isinstance(one, URLResolver):
            inner = f"{space}{one.namespace}:" if one.namespace else space
            yield from addresses(one.url_patterns, before + str(one.pattern), inner)
        elif isinstance(one, URLPattern):
            yield space, one.name or before + str(one.pattern)


def names(space: str) -> list[str]:
    every = addresses(get_resolver().url_patterns)
    return sorted({name for found, name in every if found == space})


def test_every_address_is_in_a_table() -> None:
    assert [name for name in names("") if name not in GET | POST] == []


ROWS = [("get", *row) for row in GET.items()] + [("post", *row) for row in POST.items()]
THERE = [row for row in ROWS if row[1] in names("") or " " in row[1]]


@pytest.mark.parametrize(("method", "name", "row"), THERE, ids=[row[1] for row in THERE])
def test_each_reader_gets_what_the_table_says(
    readers: dict[str, Client],
    things: dict[str, Any],
    method: str,
    name: str,
    row: tuple[str, tuple[int, ...]],
) -> None:
    path = row[0].format(**things)

    answered = tuple(answer(readers[one], method, path) for one in READERS)

    assert answered == row[1]
    assert name in ((match := resolve(path)).url_name, match.route) or " " in name or _shared(path)


def _shared(path: str) -> bool:
    """Two names for one address, of which Django finds the first."""
    return path in ("/sign-in/", "/sign-out/", "/sign-up/")


def answer(client: Client, method: str, path: str) -> int:
    """The status; whatever the request did is undone."""
    with transaction.atomic():
        status = int(getattr(client, method)(path, FIELDS if method == "post" else {}).status_code)
        transaction.set_rollback(True)
    return status


def test_the_admin_is_for_staff_and_its_rows_for_those_with_the_right_to_them(
    readers: dict[str, Client], things: dict[str, Any]
) -> None:
    wrong = []
    for name in names("admin:"):
        try:
            path = reverse(f"admin:{name}", args=_arguments(name))
        except NoReverseMatch:
            continue
        answers = {one: answer(readers[one], "get", path) for one in READERS}
        outsiders = {answers[one] for one in ("anonymous", "other", "member", "owner")}
        staff = {200, 302, 404, 405} if name in FOR_ALL_STAFF else {302, 403, 404}
        if not outsiders <= {302, 403} or answers["moderator"] not in staff:
            wrong.append((name, answers))
        if answers["admin"] not in (200, 302, 403, 404, 405):
            wrong.append((name, answers))

    assert wrong == []


def _arguments(name: str) -> list[str]:
    wants_row = name.endswith(("_change", "_delete", "_history"))
    return ["1"] if wants_row or name == "auth_user_password_change" else []
