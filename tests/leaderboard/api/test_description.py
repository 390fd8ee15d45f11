"""The API keeps the promises of its own description, whatever is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from pytest_django import Settings as DjangoSettings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from evaluation.models import PublishedRow, Snapshot
from submissions import tokens
from submissions.models import Submission
from tests import make

EXAMPLES = 12  # questions to each address: two seconds altogether, other ones on every run


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests do not close the connection that holds the test's transaction."""
    ends = (request_started, request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    yield
    for signal in ends:
        signal.connect(close_old_connections)


@pytest.fixture
def api(db: None, one_connection: None, settings: DjangoSettings) -> Any:
    """The description as served, over a board on which everything has a row."""
    settings.CALLBOARD_ALLOW = frozenset()  # nobody is asked: nothing is on the public internet
    settings.CALLBOARD_API_RATE = "1000000/min"
    cache.clear()
    make.finished_run(make.entry(make.card("Ada")), 0.5)
    entry = make.published_entry("Bob")
    PublishedRow.objects.create(
        snapshot=Snapshot.objects.get(), entry=entry, position=1, name="Bob (FC)", figures="{}"
    )
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())


@pytest.fixture
def token(api: Any) -> str:
    """Of somebody who has brought in a run, and an upload."""
    ada = make.user("ada")
    card = make.card("Cyd", owner=ada)
    uploaded = make.entry(card, evidence="uploaded")
    for run in (make.run(make.entry(card)), make.finished_run(uploaded, endpoint=None)):
        Submission.objects.create(submitted_by=ada, run=run, terms="2026-11")
    return tokens.make(ada, "test", "submit", 7)[1]


def is_signed(operation: Any) -> bool:
    return bool(operation.definition.raw.get("security"))


# Which views, columns and orders there are depends on the board: no schema can list them.
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_every_address_answers_as_described(api: Any, mode: GenerationMode) -> None:
    for operation in operations(api):
        depends = operation.path.startswith("/api/v1/standings/")
        excluded = [positive_data_acceptance] if depends else []
        attack(operation, mode, excluded_checks=excluded)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_what_is_one_s_own_answers_a_token_as_described(
    api: Any, token: str, mode: GenerationMode
) -> None:
    """Schemathesis asks also without the token, and with a wrong one: both must be refused."""
    signed = [operation for operation in operations(api) if is_signed(operation)]
    for operation in signed:
        # Whether a host, name or state is right no schema can say.
        excluded = [] if operation.method == "get" else [positive_data_acceptance]
        headers = {"Authorization": f"Bearer {token}"}
        attack(operation, mode, headers=headers, excluded_checks=excluded)

    assert len(signed) == 8


def operations(api: Any) -> Iterator[Any]:
    return (found.ok() for found in api.get_all_operations())


def attack(operation: Any, mode: GenerationMode, **how: Any) -> None:
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        case.call_and_validate(**how)

    with suppress(Unsatisfiable):  # nothing this address takes could be wrong
        ask()
