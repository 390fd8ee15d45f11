"""One's own runs: what is listed, what can be done to them, and by whom."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Endpoint, Run
from tests import make

pytestmark = pytest.mark.django_db
State = Run.State


@pytest.fixture
def ada(client: Client) -> User:
    user = make.user("ada")
    client.force_login(user)
    return user


def own_run(owner: User, state: str, *, counts: bool = True) -> Run:
    card = make.card(owner=owner)
    fields: Any = {"counts": counts, "configuration": '{"in_flight": 1}'}
    if state in (State.FINISHED, State.INCOMPLETE):
        unscored = 1 if state == State.INCOMPLETE else 0
        return make.finished_run(make.entry(card), published=False, unscored=unscored, **fields)
    return make.run(make.entry(card), state=state, **fields)


def test_the_list_shows_one_s_own_runs_only(client: Client, ada: User) -> None:
    mine = own_run(ada, State.RUNNING)
    theirs = own_run(make.user("bob"), State.RUNNING)

    text = client.get("/submissions/").content.decode()

    assert f"/runs/{mine.pk}/" in text
    assert f"/runs/{theirs.pk}/" not in text


def test_an_empty_list_says_what_to_do(client: Client, ada: User) -> None:
    assert "You have submitted nothing yet" in client.get("/submissions/").content.decode()


def test_the_list_renews_itself_only_while_a_run_is_active(client: Client, ada: User) -> None:
    run = own_run(ada, State.RUNNING)
    active = client.get("/submissions/", headers={"HX-Request": "true"}).content.decode()
    client.post(f"/runs/{run.pk}/cancel/")

    ended = client.get("/submissions/", headers={"HX-Request": "true"}).content.decode()

    assert "every 3s" in active
    assert "every 3s" not in ended
    assert "<html" not in ended


def test_the_list_costs_the_same_queries_for_any_number_of_runs(
    client: Client, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for state in (State.RUNNING, State.QUEUED, State.FINISHED, State.FAILED) * 3:
        own_run(ada, state)

    with django_assert_num_queries(
        8
    ):  # and session, user, count, verdicts, replies, leases, organisations
        client.get("/submissions/")


def test_the_list_says_when_no_worker_takes_a_run(client: Client, ada: User) -> None:
    run = own_run(ada, State.QUEUED)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=2))

    assert "No worker" in client.get("/submissions/").content.decode()


@pytest.mark.parametrize(
    ("state", "name", "becomes"),
    [
        (State.QUEUED, "pause", State.PAUSED),
        (State.RUNNING, "pause", State.PAUSED),
        (State.PAUSED, "resume", State.QUEUED),
        (State.QUEUED, "cancel", State.CANCELLED),
        (State.RUNNING, "cancel", State.CANCELLED),
        (State.PAUSED, "cancel", State.CANCELLED),
        (State.INCOMPLETE, "ask-again", State.QUEUED),
    ],
)
def test_an_owner_steers_a_run(
    client: Client, ada: User, state: str, name: str, becomes: str
) -> None:
    run = own_run(ada, state)

    page = client.post(f"/runs/{run.pk}/{name}/")

    run.refresh_from_db()
    assert page["Location"] == f"/runs/{run.pk}/"
    assert run.state == becomes


def test_a_trusted_owner_publishes_a_finished_run(client: Client, ada: User) -> None:
    make.vouched_for(ada)
    run = own_run(ada, State.FINISHED)

    client.post(f"/runs/{run.pk}/publish/", {"back": "list"})

    run.refresh_from_db()
    run.entry.refresh_from_db()
    assert run.published_at is not None
    assert run.entry.shown_run == run


@pytest.mark.parametrize(
    ("state", "name"),
    [
        (State.RUNNING, "publish"),
        (State.FAILED, "publish"),
        (State.FINISHED, "cancel"),
        (State.FINISHED, "pause"),
        (State.QUEUED, "resume"),
        (State.FINISHED, "ask-again"),
    ],
)
def test_what_is_not_possible_is_said_and_changes_nothing(
    client: Client, ada: User, state: str, name: str
) -> None:
    run = own_run(ada, state)

    page = client.post(f"/runs/{run.pk}/{name}/", follow=True)

    run.refresh_from_db()
    assert run.state == state
    assert run.published_at is None
    assert "is not possible" in page.content.decode()


def test_a_run_whose_key_was_forgotten_is_not_asked_again(client: Client, ada: User) -> None:
    run = own_run(ada, State.INCOMPLETE)
    Endpoint.objects.filter(runs=run).update(sealed_key=None, key_last_four="cdef")

    client.post(f"/runs/{run.pk}/ask-again/")

    run.refresh_from_db()
    assert run.state == State.INCOMPLETE


def test_a_run_that_does_not_count_cannot_be_published(client: Client, ada: User) -> None:
    run = own_run(ada, State.FINISHED, counts=False)

    client.post(f"/runs/{run.pk}/publish/")

    run.refresh_from_db()
    assert run.published_at is None


@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize("name", ["pause", "resume", "cancel", "publish", "ask-again"])
def test_nobody_else_can_do_anything_to_a_run(client: Client, name: str, published: bool) -> None:
    run = make.finished_run(make.entry(make.card(owner=make.user())), published=published)
    client.force_login(make.user("bob"))

    page = client.post(f"/runs/{run.pk}/{name}/")

    assert page.status_code == 404


def test_doing_something_needs_an_account_and_a_post(client: Client) -> None:
    run = make.run()

    assert client.post(f"/runs/{run.pk}/cancel/").status_code == 302
    client.force_login(make.user())
    assert client.get(f"/runs/{run.pk}/cancel/").status_code == 405


def test_an_unknown_action_is_not_found(client: Client, ada: User) -> None:
    run = own_run(ada, State.RUNNING)

    assert client.post(f"/runs/{run.pk}/explode/").status_code == 404
