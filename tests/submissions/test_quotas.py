"""Limits of accounts, organisations and hosts: who is charged for what, and what is said."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evaluation.models import Endpoint, Run, Slice
from evaluation.runner import leases, transitions
from leaderboard.embedded.home import PROJECT
from submissions import organisations, quotas, tokens
from submissions.models import Ban, Charge, Organisation
from submissions.quotas import UsedUp
from submissions.services import accept, follow_runs
from tests import make
from tests.submissions.answers import good_answers

pytestmark = pytest.mark.django_db
LIMIT = 3


@pytest.fixture(autouse=True)
def limits(settings: Settings) -> None:
    settings.CALLBOARD_ALLOW = frozenset()
    settings.CALLBOARD_RUNS_A_WEEK = {"account": LIMIT, "organisation": 4, "host": 5}
    settings.CALLBOARD_CASES_IN_FLIGHT = {"account": 0, "organisation": 0, "host": 0}


@pytest.fixture
def ada() -> User:
    make.benchmark()
    return make.user("ada")


def submit(by: User, host: str = "api.example.org", of: Organisation | None = None) -> Run:
    benchmark = make.a_benchmark()
    endpoint = Endpoint(
        card=make.card(owner=by),
        base_url=f"https://{host}/v1",
        remote_model="m",
        mode="fc",
        in_flight=1,
    )
    categories = list(benchmark.categories.all())
    return accept(
        endpoint, key="", benchmark=benchmark, categories=categories, by=by, organisation=of
    ).run


def remaining(of: User) -> int:
    return LIMIT - quotas.of_user(of).runs_used


def lose_a_worker(run: Run, times: int = 1) -> None:
    """A worker takes the run and is lost."""
    for _ in range(times):
        first = run.slices.order_by("number")[0]
        assert leases.take(first.pk, uuid4())
        past = timezone.now() - timedelta(seconds=1)
        Slice.objects.filter(pk=first.pk).update(lease_until=past)
        leases.reap()


def test_what_the_platform_breaks_costs_nothing(ada: User) -> None:
    """Two runs get stuck by our fault: one is cancelled, the other failed by us."""
    first = submit(ada)
    lose_a_worker(first)
    transitions.cancel(first)

    second = submit(ada)
    lose_a_worker(second, times=leases.MAX_EXPIRIES)
    second.refresh_from_db()
    follow_runs()

    assert second.state == Run.State.FAILED
    assert remaining(ada) == LIMIT
    assert set(Charge.objects.values_list("free_because", flat=True)) == {
        quotas.OUR_FAULT,
        quotas.LOST_WORKER,
    }


def test_what_the_endpoint_breaks_counts(ada: User) -> None:
    run = submit(ada)
    Run.objects.update(requests_sent=1)

    transitions.fail(run, "The endpoint rejects the key.")
    follow_runs()

    assert remaining(ada) == LIMIT - 1


def test_a_run_cancelled_before_anything_was_asked_is_free(ada: User) -> None:
    transitions.cancel(submit(ada))
    follow_runs()

    assert remaining(ada) == LIMIT


def test_a_run_cancelled_half_way_counts(ada: User) -> None:
    run = submit(ada)
    Run.objects.update(requests_sent=7)

    transitions.cancel(run)
    follow_runs()

    assert remaining(ada) == LIMIT - 1


def test_the_run_after_the_last_is_refused_with_the_time_it_frees(ada: User) -> None:
    for _ in range(LIMIT):
        submit(ada)
    Charge.objects.update(at=timezone.now() - timedelta(days=6))
    frees = Charge.objects.all()[0].at + timedelta(days=7)

    with pytest.raises(UsedUp) as refusal:
        submit(ada)

    assert str(refusal.value) == (
        f"You have used 3 of 3 runs this week: the next is free on {frees:%-d %B at %H:%M} UTC."
    )
    assert Run.objects.count() == LIMIT


def test_a_week_later_there_is_room_again(ada: User) -> None:
    for _ in range(LIMIT):
        submit(ada)
    Charge.objects.update(at=timezone.now() - timedelta(days=7, seconds=1))

    submit(ada)

    assert remaining(ada) == LIMIT - 1


def test_an_organisation_has_a_limit_over_all_its_members(ada: User) -> None:
    lab = organisations.found("Lab", "", by=ada)
    bob = make.user("bob")
    organisations.set_role(lab, bob, "submitter")
    for by in (ada, ada, bob, bob):
        submit(by, of=lab)

    with pytest.raises(UsedUp, match="Lab has used 4 of 4"):
        submit(ada, of=lab)


def test_a_host_has_a_limit_over_all_submitters(ada: User) -> None:
    for by in (ada, ada, *(make.user() for _ in range(3))):
        submit(by)

    with pytest.raises(UsedUp, match=r"at api\.example\.org, used 5 of 5"):
        submit(make.user())
    submit(make.user(), host="api.example.net")


def test_hosts_of_the_operator_have_none(ada: User, settings: Settings) -> None:
    settings.CALLBOARD_ALLOW = frozenset({"api.example.org:443"})

    run = submit(ada)

    assert run.submission.charge.host == ""


def test_cases_in_flight_are_limited_until_a_run_ends(ada: User, settings: Settings) -> None:
    settings.CALLBOARD_CASES_IN_FLIGHT = {"account": 15, "organisation": 0, "host": 0}
    first = submit(ada)

    with pytest.raises(UsedUp, match=r"10 cases in flight.* more than 15"):
        submit(ada)
    transitions.cancel(first)
    submit(ada)

    assert quotas.of_user(ada).cases_in_flight == 10


def test_the_form_says_it_in_one_sentence(client: Client, ada: User) -> None:
    for _ in range(LIMIT):
        submit(ada)
    client.force_login(ada)

    page = client.post("/submit/", good_answers())

    assert page.status_code == 422
    assert "You have used 3 of 3 runs this week: the next is free on" in page.content.decode()


def by_script(user: User, number: int = 0) -> Any:
    """Another endpoint, submitted through the API."""
    user.api_tokens.all().delete()
    _, token = tokens.make(user, "test", "submit", 7)
    body = {
        "name": f"Model {number}",
        "organisation": "Example Lab",
        "base_url": "https://api.example.org/v1",
        "remote_model": "m",
        "terms": True,
    }
    client = Client(headers={"authorization": f"Bearer {token}"})
    return client.post("/api/v1/submissions/", body, content_type="application/json")


def test_a_script_is_told_how_many_seconds_to_wait(ada: User) -> None:
    for _ in range(LIMIT):
        submit(ada)
    Charge.objects.update(at=timezone.now() - timedelta(days=6))

    answer = by_script(ada)

    assert answer.status_code == 429
    assert 86_300 < int(answer["Retry-After"]) <= 86_400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == "http://testserver/api/v1/docs/#limit-reached"
    assert "the next is free on" in answer.json()["detail"]
    assert Run.objects.count() == LIMIT


def test_a_script_is_told_that_a_run_must_end_first(ada: User, settings: Settings) -> None:
    settings.CALLBOARD_CASES_IN_FLIGHT = {"account": 15, "organisation": 0, "host": 0}
    submit(ada)

    answer = by_script(ada)

    assert answer.status_code == 409
    assert "Retry-After" not in answer.headers
    assert answer.json()["type"].endswith("/api/v1/docs/#cases-in-flight")


def test_a_banned_script_is_told_so(ada: User) -> None:
    Ban.objects.create(user=ada, reason="Made-up files.")

    answer = by_script(ada)

    assert answer.status_code == 403
    assert answer.json()["type"].endswith("/api/v1/docs/#account-banned")
    assert "Made-up files." in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["limit-reached", "cases-in-flight", "account-banned"])
def test_what_a_problem_s_type_leads_to_is_there(client: Client, kind: str) -> None:
    assert f'id="{kind}"' in client.get("/api/v1/docs/").content.decode()


def test_a_public_site_takes_20_runs_of_an_account_a_week_and_a_local_one_any_number(
    ada: User, settings: Settings
) -> None:
    """270 in 80 seconds were taken once."""
    settings.CALLBOARD_RUNS_A_WEEK, settings.CALLBOARD_CASES_IN_FLIGHT = limits_of(PRODUCTION)

    public = [by_script(ada, number).status_code for number in range(25)]
    settings.CALLBOARD_RUNS_A_WEEK, settings.CALLBOARD_CASES_IN_FLIGHT = limits_of(ON_ONE_MACHINE)
    local = [by_script(ada, number).status_code for number in range(25, 30)]

    assert public == [201] * 20 + [429] * 5
    assert local == [201] * 5


PRODUCTION = {
    "CALLBOARD_SECRET_KEY": "a-long-and-random-text-for-signing-that-nobody-can-guess",
    "CALLBOARD_KEYS": Fernet.generate_key().decode(),
    "CALLBOARD_HOSTS": "callboard.example",
}
ON_ONE_MACHINE = {"CALLBOARD_LOCAL": "1"}


def limits_of(environment: dict[str, str]) -> Any:
    """What an installation with this environment allows."""
    script = (
        "import json; from leaderboard import settings as s;"
        "print(json.dumps([s.CALLBOARD_RUNS_A_WEEK, s.CALLBOARD_CASES_IN_FLIGHT]))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_one_s_own_page_shows_what_is_used_and_what_was_free(client: Client, ada: User) -> None:
    transitions.fail(submit(ada), "Our own mistake.", is_our_fault=True)
    submit(ada)
    follow_runs()
    client.force_login(ada)

    text = client.get("/submissions/").content.decode()

    assert "You have used 1 of 3 runs in the last 7 days" in text
    assert "Not counted against your limits. It ended by our own fault." in text
