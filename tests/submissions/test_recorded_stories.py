"""What went wrong elsewhere, as recorded: each file's input, and what must come of it here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evaluation.models import Endpoint, Run, Slice
from evaluation.runner import leases, transitions
from submissions import quotas, tokens
from submissions.services import accept, follow_runs
from tests import make

pytestmark = pytest.mark.django_db


def recorded(corpora: Path, name: str) -> tuple[Any, Any]:
    """A file's input, and what it expects."""
    found = json.loads((corpora / "cases" / f"{name}.json").read_text())
    return found["input"], found["expected"]


def submit(by: User) -> Run:
    benchmark = make.a_benchmark()
    endpoint = Endpoint(
        card=make.card(owner=by),
        base_url="https://api.example.org/v1",
        remote_model="m",
        mode="fc",
        in_flight=1,
    )
    chosen = list(benchmark.categories.all())
    return accept(endpoint, key="", benchmark=benchmark, categories=chosen, by=by).run


def lose_the_worker(run: Run) -> None:
    """A worker of ours takes the first slice and is never heard of again."""
    first = run.slices.order_by("number")[0]
    assert leases.take(first.pk, uuid4())
    Slice.objects.filter(pk=first.pk).update(lease_until=timezone.now())
    leases.reap()


def lose_every_worker(run: Run) -> None:
    """Until the platform itself gives the run up."""
    for _ in range(leases.MAX_EXPIRIES - 1):
        lose_the_worker(run)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED


EVENTS: dict[str, Callable[[Run], object]] = {
    "stuck": lose_the_worker,
    "cancel": transitions.cancel,
    "auto_fail": lose_every_worker,
}


@pytest.mark.parametrize("name", ["QU08"])
def test_what_the_platform_breaks_is_not_charged(
    corpora: Path, settings: Settings, name: str
) -> None:
    told, expected = recorded(corpora, name)
    settings.CALLBOARD_ALLOW = frozenset()
    settings.CALLBOARD_RUNS_A_WEEK = {"account": told["limit"], "organisation": 0, "host": 0}
    make.benchmark()
    ada = make.user("ada")
    runs: dict[str, Run] = {}

    for event, run, *_ in told["events"]:
        if event == "submit":
            runs[run] = submit(ada)
        else:
            EVENTS[event](runs[run])
    follow_runs()

    assert told["limit"] - quotas.of_user(ada).runs_used == expected["remaining"]


@pytest.mark.parametrize("name", ["UP06"])
def test_a_body_with_numbers_that_json_does_not_know_is_refused(corpora: Path, name: str) -> None:
    told, expected = recorded(corpora, name)
    make.benchmark()
    _, token = tokens.make(make.user("ada"), "test", "submit", 7)
    client = Client(headers={"authorization": f"Bearer {token}"})

    answer = client.post("/api/v1/submissions/", told["body"], content_type="application/json")

    assert answer.status_code == expected["status"]
    assert "NaN is no number" in answer.json()["detail"]
    assert not Run.objects.exists()
