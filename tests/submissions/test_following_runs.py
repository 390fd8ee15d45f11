"""What follows here from what becomes of runs: each event once, keys no longer than needed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation.models import Endpoint, Run, RunEvent
from evaluation.services import publishing
from submissions.models import HandledEvent
from submissions.services import follow_runs, forget_keys
from tests import make

pytestmark = pytest.mark.django_db


def keyed(run: Run) -> bool:
    return Endpoint.objects.get(runs=run).sealed_key is not None


def with_key(run: Run) -> Run:
    Endpoint.objects.filter(runs=run).update(sealed_key=b"sealed", key_last_four="cdef")
    return run


def test_every_event_is_handled_once() -> None:
    make.run()
    make.run()

    first, second = follow_runs(), follow_runs()

    assert (first, second) == (2, 0)
    assert HandledEvent.objects.count() == RunEvent.objects.count() == 2


def test_a_key_goes_when_its_run_is_published() -> None:
    run = with_key(make.finished_run(published=False))

    publishing.publish(run)
    follow_runs()

    assert not keyed(run)


@pytest.mark.parametrize(
    ("days", "is_kept"),
    [pytest.param(13, True, id="day-13"), pytest.param(15, False, id="day-15")],
)
def test_a_key_outlives_an_unpublished_run_by_14_days(days: int, is_kept: bool) -> None:
    run = with_key(make.finished_run(published=False))
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=days))

    forget_keys()

    assert keyed(run) is is_kept


def test_a_key_is_kept_while_any_run_needs_it() -> None:
    old = with_key(make.finished_run())
    make.run(old.entry, state="running", endpoint=old.endpoint)

    forget_keys()

    assert keyed(old)


def test_of_a_forgotten_key_only_the_sign_that_there_was_one_is_left() -> None:
    run = with_key(make.finished_run())

    forget_keys()

    endpoint = Endpoint.objects.get(runs=run)
    assert (endpoint.sealed_key, endpoint.key_last_four) == (None, "cdef")
