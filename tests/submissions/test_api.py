"""Submitting by script: the forms' own rules, scopes, roles, and nothing done twice."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from evaluation.models import Endpoint, Run
from evaluation.secrets import open_sealed
from submissions import organisations, tokens, uploads
from submissions.models import ApiToken, RepeatedRequest, Submission
from tests import make
from tests.submissions import archives

pytestmark = pytest.mark.django_db
PATH = "/api/v1/submissions/"
KEY = "sk-planted-0123456789abcdef"
BODY: dict[str, Any] = {
    "name": "Example model",
    "organisation": "Example Institute",
    "base_url": "https://api.example.org/v1",
    "remote_model": "example-7b",
    "key": KEY,
    "terms": True,
}


@pytest.fixture
def ada() -> User:
    make.benchmark()
    return make.user("ada")


def script(user: User, scope: str = "submit") -> Client:
    """A client that sends a token of this person."""
    _, text = tokens.make(user, "test", scope, 7)
    return Client(headers={"authorization": f"Bearer {text}"})


def send(client: Client, body: object, **headers: str) -> Any:
    text = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(PATH, text, content_type="application/json", headers=headers)


def test_an_endpoint_is_submitted_as_on_the_page(ada: User) -> None:
    answer = send(script(ada), BODY | {"parameters": {"top_p": 0.9}, "price_in": 0.2})

    run, endpoint = Run.objects.get(), Endpoint.objects.get()
    assert answer.status_code == 201
    assert answer["Location"].endswith(f"{PATH}{Submission.objects.get().pk}/")
    assert answer.json()["run"] == run.pk
    assert run.owner == endpoint.owner == ada
    assert endpoint.parameters == {"top_p": 0.9}
    assert endpoint.underscore
    assert open_sealed(endpoint.sealed_key or b"") == KEY
    assert KEY not in answer.content.decode()
    assert sorted(run.categories.values_list("name", flat=True)) == [
        "irrelevance",
        "multiple",
        "simple_python",
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"base_url": "https://10.0.0.4/v1"}, "base_url", id="private-address"),
        pytest.param({"terms": False}, "terms", id="terms-not-accepted"),
        pytest.param({"terms": "yes"}, "terms", id="terms-as-text"),
        pytest.param({"name": None}, "name", id="no-name"),
        pytest.param({"name": {"a": 1}}, "name", id="name-as-object"),
        pytest.param({"in_flight": True}, "in_flight", id="number-as-boolean"),
        pytest.param({"in_flight": 1e400}, "body", id="infinite"),
        pytest.param({"parameters": [1]}, "parameters", id="parameters-as-list"),
        pytest.param({"parameters": {"model": "x"}}, "parameters", id="parameter-not-allowed"),
        pytest.param({"categories": ["no_such"]}, "categories", id="no-such-category"),
        pytest.param({"categories": []}, "categories", id="no-category"),
        pytest.param({"categories": "multiple"}, "categories", id="category-as-text"),
        pytest.param({"card": "no-such"}, "card", id="no-such-card"),
        pytest.param({"card": "a\x00b"}, "card", id="nul"),
        pytest.param({"behalf": "no-such"}, "behalf", id="no-such-organisation"),
        pytest.param({"benchmark": "other"}, "benchmark", id="no-such-benchmark"),
        pytest.param({"which": "all"}, "which", id="not-of-the-api"),
        pytest.param({"api_key": KEY}, "api_key", id="unknown-field"),
    ],
)
def test_a_wrong_field_is_named_in_a_problem_and_nothing_is_made(
    ada: User, change: dict[str, Any], field: str
) -> None:
    answer = send(script(ada), BODY | change)

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert [one["parameter"] for one in answer.json()["errors"]] == [field]
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('{"timeout": NaN}', id="nan"),
        pytest.param('{"parameters": {"temperature": Infinity}}', id="infinity"),
        pytest.param('{"name": "a", "name": "b"}', id="twice"),
        pytest.param('{"name": "\\ud800"}', id="half-a-character"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"a":' * 5000 + "1" + "}" * 5000, id="deep-objects"),
        pytest.param("[]", id="list"),
        pytest.param("{", id="broken"),
        pytest.param("", id="empty"),
        pytest.param(b"\xff\xfe", id="not-utf-8"),
    ],
)
def test_a_body_that_is_no_sound_json_object_is_refused(ada: User, body: object) -> None:
    answer = send(script(ada), body)

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert not Run.objects.exists()


def test_a_large_body_is_not_read(ada: User) -> None:
    answer = send(script(ada), BODY | {"name": "x" * 300_000})

    assert answer.status_code == 413


@pytest.mark.parametrize("body", [BODY, BODY | {"terms": False}])
def test_the_page_and_the_script_say_the_same(ada: User, body: dict[str, Any]) -> None:
    from tests.submissions.answers import good_answers

    browser = Client()
    browser.force_login(ada)
    wrong = good_answers(base_url="https://localhost/v1")

    page = browser.post("/submit/", wrong).context["form"].errors["base_url"]
    said = send(script(ada), body | {"base_url": "https://localhost/v1"}).json()["errors"]

    assert list(page) == [one["detail"] for one in said if one["parameter"] == "base_url"]


@pytest.mark.parametrize("given", ["", "Bearer cb_no", "Bearer", "Basic x", "Bearer \xff"])
def test_without_a_good_token_nothing_is_answered(ada: User, given: str) -> None:
    client = Client(headers={"authorization": given} if given else {})
    client.force_login(ada)  # a cookie counts for nothing here

    answers = [client.get(PATH), send(client, BODY), client.post(f"{PATH}1/cancel/")]

    assert [answer.status_code for answer in answers] == [401, 401, 401]
    assert answers[0]["WWW-Authenticate"].startswith("Bearer")
    assert not Run.objects.exists()


def test_a_token_ends_with_its_time_its_revocation_and_its_person(ada: User) -> None:
    client = script(ada)
    good = client.get(PATH).status_code
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    expired = client.get(PATH).status_code
    ApiToken.objects.update(expires_at=timezone.now() + timedelta(days=1))
    User.objects.update(is_active=False)
    banned = client.get(PATH).status_code
    User.objects.update(is_active=True)
    ApiToken.objects.all().delete()

    assert (good, expired, banned, client.get(PATH).status_code) == (200, 401, 401, 401)


def test_a_token_is_kept_as_a_digest_and_notes_when_it_was_used(ada: User) -> None:
    row, text = tokens.make(ada, "test", "read", 7)

    Client(headers={"authorization": f"Bearer {text}"}).get(PATH)

    row.refresh_from_db()
    assert text not in str(ApiToken.objects.values_list())
    assert row.last_used_at is not None


def test_a_token_for_reading_submits_and_steers_nothing(ada: User) -> None:
    client = script(ada, "read")

    answers = [client.get(PATH), send(client, BODY), client.post(f"{PATH}1/cancel/")]

    assert [answer.status_code for answer in answers] == [200, 403, 403]


def test_a_token_is_shown_once(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    asked = browser.post("/account/tokens/", {"name": "nightly", "scope": "read", "days": 30})
    shown = browser.post(asked["Location"], {"password": "correct horse"}, follow=True)

    text = shown.context["new"]
    assert text.startswith("cb_")
    assert text in shown.content.decode()
    assert text not in browser.get("/account/tokens/").content.decode()


def test_a_submission_is_followed_steered_and_listed(ada: User) -> None:
    client = script(ada)
    made = send(client, BODY).json()

    stands = client.get(made["url"]).json()
    cancelled = client.post(f"{PATH}{made['id']}/cancel/").json()
    again = client.post(f"{PATH}{made['id']}/cancel/")
    unknown = client.post(f"{PATH}{made['id']}/explode/")

    assert stands["state"] == "queued"
    assert stands["actions"] == ["pause", "cancel", "key"]
    assert cancelled["state"] == "cancelled"
    assert again.status_code == 409
    assert unknown.status_code == 404
    assert [one["id"] for one in client.get(PATH).json()["results"]] == [made["id"]]


def test_a_long_list_leads_on(ada: User) -> None:
    client = script(ada)
    for number in range(3):
        send(client, BODY | {"name": f"Model {number}"})

    first = client.get(f"{PATH}?limit=2").json()
    second = client.get(first["next"]).json()

    numbers = [one["id"] for one in first["results"] + second["results"]]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 3
    assert second["next"] is None


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "before=x", f"before={'9' * 30}"])
def test_nonsense_in_the_address_is_refused(ada: User, query: str) -> None:
    assert script(ada).get(f"{PATH}?{query}").status_code == 400


def test_nobody_sees_or_steers_what_is_another_s(ada: User) -> None:
    made = send(script(ada), BODY).json()
    bob = script(make.user("bob"))

    answers = [bob.get(made["url"]), bob.post(f"{PATH}{made['id']}/cancel/")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert bob.get(PATH).json()["results"] == []


def test_an_organisation_s_members_follow_and_its_submitters_steer(ada: User) -> None:
    lab = organisations.found("Example Lab", "", by=ada)
    bob = make.user("bob")
    organisations.set_role(lab, bob, "viewer")
    made = send(script(ada), BODY | {"behalf": "example-lab"}).json()

    seen = script(bob).get(made["url"])
    refused = script(bob).post(f"{PATH}{made['id']}/cancel/")
    steered = script(ada).post(f"{PATH}{made['id']}/cancel/")

    assert made["organisation"] == "example-lab"
    assert seen.json()["actions"] == []
    assert (seen.status_code, refused.status_code, steered.status_code) == (200, 403, 200)


def test_a_request_sent_twice_with_a_key_is_done_once(ada: User) -> None:
    client = script(ada)

    first = send(client, BODY, **{"Idempotency-Key": "one"})
    second = send(client, BODY, **{"Idempotency-Key": "one"})

    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert second["Idempotent-Replayed"] == "true"
    assert Run.objects.count() == 1


def test_a_key_that_came_with_another_request_is_refused(ada: User) -> None:
    client = script(ada)
    send(client, BODY, **{"Idempotency-Key": "one"})

    other = send(client, BODY | {"name": "Other"}, **{"Idempotency-Key": "one"})

    assert other.status_code == 422
    assert Run.objects.count() == 1


def test_a_refused_request_can_be_mended_under_the_same_key(ada: User) -> None:
    client = script(ada)

    refused = send(client, BODY | {"terms": False}, **{"Idempotency-Key": "one"})
    mended = send(client, BODY, **{"Idempotency-Key": "one"})

    assert (refused.status_code, mended.status_code) == (400, 201)


def test_another_person_s_key_is_another_key(ada: User) -> None:
    send(script(ada), BODY, **{"Idempotency-Key": "one"})

    other = send(script(make.user("bob")), BODY | {"name": "Other"}, **{"Idempotency-Key": "one"})

    assert other.status_code == 201
    assert Run.objects.count() == 2


def test_a_key_is_forgotten_after_a_day_and_never_holds_the_endpoint_s(ada: User) -> None:
    client = script(ada)
    send(client, BODY, **{"Idempotency-Key": "one"})
    kept = str(RepeatedRequest.objects.values_list())
    RepeatedRequest.objects.update(created_at=timezone.now() - timedelta(hours=25))

    send(client, BODY | {"name": "Two"}, **{"Idempotency-Key": "one"})

    assert KEY not in kept
    assert Run.objects.count() == 2


@pytest.mark.parametrize("key", ["", "x" * 201, "ü"])
def test_an_odd_key_is_refused(ada: User, key: str) -> None:
    assert send(script(ada), BODY, **{"Idempotency-Key": key}).status_code == 400


def test_too_many_requests_are_refused(ada: User, settings: Any) -> None:
    settings.CALLBOARD_API_RATE = "2/min"
    client = script(ada)

    assert [client.get(PATH).status_code for _ in range(3)] == [200, 200, 429]


def upload(client: Client, content: bytes, **changes: Any) -> Any:
    answers = {
        "terms": "on",
        "name": "Uploaded model",
        "organisation": "Example Lab",
        "mode": "fc",
        "underscore": "on",
        "file": SimpleUploadedFile("results.zip", content),
    }
    return client.post(PATH, answers | changes, headers={"Idempotency-Key": "upload"})


def test_result_files_are_uploaded_once_as_on_the_page(db: None) -> None:
    make.real_benchmark({"simple_javascript": 50, "live_parallel": 16})
    client = script(make.user("ada"))
    content = archives.zipped(archives.folder())

    first, second = upload(client, content), upload(client, content)

    assert first.status_code == second.status_code == 201
    assert first.json()["evidence"] == "uploaded"
    assert Run.objects.get().n == 66


def test_an_upload_too_large_for_memory_is_taken_as_well(db: None, settings: Any) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 100
    make.real_benchmark({"simple_javascript": 50, "live_parallel": 16})

    answer = upload(script(make.user("ada")), archives.zipped(archives.folder()))

    assert answer.status_code == 201
    assert Run.objects.get().n == 66


def test_uploads_of_one_person_are_throttled_as_on_the_page(ada: User, settings: Any) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "uploads by script"}}
    client = script(ada)

    answers = [upload(client, b"no archive", name="") for _ in range(11)]

    assert [answer.status_code for answer in answers] == [400] * 10 + [429]
    assert answers[-1]["Retry-After"] == "60"
    assert answers[-1]["Content-Type"] == "application/problem+json"


def test_what_is_wrong_with_result_files_is_told_by_file_and_line(db: None) -> None:
    make.real_benchmark({"simple_javascript": 50, "live_parallel": 16})
    line = b'{"id": "simple_javascript_0", "result": NaN}\n'
    broken = SimpleUploadedFile("BFCL_v4_simple_javascript_result.json", line)

    answer = upload(script(make.user("ada")), b"", file=broken)

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert "line 1" in answer.json()["detail"]
    assert not Run.objects.exists()


def test_while_other_uploads_are_read_a_script_is_told_to_come_again(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.real_benchmark({"simple_javascript": 50, "live_parallel": 16})
    monkeypatch.setattr(uploads, "PATIENCE", 0.01)
    client, content = script(make.user("ada")), archives.zipped(archives.folder())

    with uploads._turn:
        refused = upload(client, content)
    taken = upload(client, content)

    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert "Send it again" in refused.json()["detail"]
    assert taken.status_code == 201


def test_an_upload_of_a_card_that_is_not_one_s_own_is_refused(db: None) -> None:
    make.real_benchmark({"simple_javascript": 50, "live_parallel": 16})
    make.card("Theirs", owner=make.user("bob"))

    answer = upload(script(make.user("ada")), archives.zipped(archives.folder()), card="theirs")

    assert answer.status_code == 400
    assert not Run.objects.exists()
