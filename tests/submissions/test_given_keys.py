"""Another key for an endpoint: sealed as the first was, and the run goes on with it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from evaluation.models import Endpoint, Run
from evaluation.secrets import open_sealed
from evaluation.services import transitions
from submissions import tokens
from submissions.models import Submission
from submissions.services import forget_keys
from tests import make

pytestmark = pytest.mark.django_db
OLD, NEW = "sk-old-0123456789abcdef", "sk-new-fedcba9876543210"


@pytest.fixture
def ada() -> User:
    make.benchmark()
    return make.user("ada")


def asked(owner: User, state: str = "running", **fields: Any) -> Run:
    """A run whose endpoint had a key that is deleted by now."""
    endpoint = make.endpoint(
        make.card(owner=owner), base_url="https://api.example.org/v1", key_last_four=OLD[-4:]
    )
    configuration = json.dumps({"in_flight": 4, "mode": "fc", "underscore": True})
    run = make.run(
        make.entry(endpoint.card), state=state, endpoint=endpoint, configuration=configuration
    )
    Run.objects.filter(pk=run.pk).update(**fields)
    Submission.objects.create(run=run, submitted_by=owner)
    return run


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def give(client: Client, run: Run, key: str = NEW) -> Any:
    return client.post(f"/runs/{run.pk}/key/", {"key": key}, follow=True)


def key_of(run: Run) -> str:
    endpoint = Endpoint.objects.get(runs=run)
    return open_sealed(endpoint.sealed_key or b"", "https://api.example.org:443")


def test_an_active_run_s_next_requests_carry_the_new_key(ada: User) -> None:
    run = asked(ada)

    page = give(signed_in(ada), run)

    assert key_of(run) == NEW
    assert Endpoint.objects.get(runs=run).key_last_four == NEW[-4:]
    assert NEW not in page.content.decode()
    assert Run.objects.get(pk=run.pk).state == "running"


def test_a_paused_run_goes_on(ada: User) -> None:
    run = asked(ada)
    transitions.pause(run, "The endpoint rejects the key.")

    give(signed_in(ada), run)

    assert Run.objects.get(pk=run.pk).state == "queued"


def test_an_incomplete_run_s_missing_cases_are_asked_with_it_and_it_is_kept(ada: User) -> None:
    long_ago = timezone.now() - timedelta(days=30)
    run = asked(ada, "incomplete", finished_at=long_ago)

    give(signed_in(ada), run)
    forget_keys()

    assert Run.objects.get(pk=run.pk).state == "queued"
    assert key_of(run) == NEW


@pytest.mark.parametrize("key", ["", "short", "with-a-line\n0123456789abc", "x" * 5000])
def test_what_cannot_be_a_key_is_refused_and_never_repeated(ada: User, key: str) -> None:
    run = asked(ada)

    page = give(signed_in(ada), run, key)

    assert page.status_code == 422
    assert not key or key not in page.content.decode()
    assert Endpoint.objects.get(runs=run).sealed_key is None


@pytest.mark.parametrize("state", ["finished", "failed", "cancelled"])
def test_a_run_that_is_over_needs_none(ada: User, state: str) -> None:
    run = asked(ada, state)

    assert give(signed_in(ada), run).status_code == 404


def test_nobody_else_gives_one(ada: User) -> None:
    run = asked(ada)

    assert give(signed_in(make.user()), run).status_code == 404


def test_the_run_s_page_leads_there(ada: User) -> None:
    run = asked(ada)

    page = signed_in(ada).get(f"/runs/{run.pk}/").content.decode()

    assert f'href="/runs/{run.pk}/key/"' in page


def script(user: User) -> Client:
    return Client(headers={"authorization": f"Bearer {tokens.make(user, 'test', 'submit', 7)[1]}"})


def test_a_script_does_the_same(ada: User) -> None:
    run = asked(ada)
    path = f"/api/v1/submissions/{run.submission.pk}/"
    client = script(ada)

    offered = client.get(path).json()["actions"]
    done = client.post(f"{path}key/", {"key": NEW}, content_type="application/json")
    short = client.post(f"{path}key/", {"key": "short"}, content_type="application/json")
    odd = client.post(f"{path}key/", {"key": 5, "more": "x"}, content_type="application/json")

    assert "key" in offered
    assert done.status_code == 200
    assert NEW not in done.content.decode()
    assert key_of(run) == NEW
    assert [one["parameter"] for one in short.json()["errors"]] == ["key"]
    assert {one["parameter"] for one in odd.json()["errors"]} == {"key", "more"}


def test_a_script_is_told_when_there_is_nothing_to_give_a_key_to(ada: User) -> None:
    run = asked(ada, "finished")

    answer = script(ada).post(
        f"/api/v1/submissions/{run.submission.pk}/key/",
        {"key": NEW},
        content_type="application/json",
    )

    assert answer.status_code == 409
