"""No more requests at one host than the operator allows, whoever submitted what."""

from __future__ import annotations

from uuid import uuid4

import pytest
from pytest_django import Settings

from evaluation.models import Benchmark, Endpoint, Run, Slice
from evaluation.models.endpoints import host_of
from evaluation.runner import leases
from evaluation.runner.leases import Lease
from evaluation.services import scheduling
from tests import make
from tests.evaluation import runs

pytestmark = pytest.mark.django_db(transaction=True)
HERE, THERE = "https://api.example.org/v1", "https://api.example.net/v1"


@pytest.fixture(autouse=True)
def limit(settings: Settings) -> None:
    settings.CALLBOARD_HOST_IN_FLIGHT = 10
    settings.CALLBOARD_ALLOW = frozenset()


def scheduled(address: str, in_flight: int) -> Run:
    benchmark = Benchmark.objects.first() or make.real_benchmark({"irrelevance": 6})
    endpoint = make.endpoint(base_url=address, in_flight=in_flight)
    return scheduling.schedule(endpoint, benchmark=benchmark)


def lease(run: Run) -> Lease | None:
    return leases.take(runs.slices(run)[0].pk, uuid4())


def slots(run: Run) -> int:
    taken = lease(run)
    return taken.slots if taken else 0


def test_submissions_to_one_host_share_its_room() -> None:
    first, second, third = (scheduled(HERE, 6) for _ in "abc")

    assert [slots(first), slots(second), slots(third)] == [6, 4, 0]


def test_another_host_has_room_of_its_own() -> None:
    first = scheduled(HERE, 10)
    second = scheduled(THERE, 10)

    assert [slots(first), slots(second)] == [10, 10]


def test_room_is_given_back_with_the_lease() -> None:
    first, second = (scheduled(HERE, 10) for _ in "ab")
    taken = lease(first)
    assert taken is not None

    refused = lease(second)
    leases.release(taken)

    assert refused is None
    assert slots(second) == 10
    assert Slice.objects.get(run=second, state="leased").slots == 10


@pytest.mark.parametrize("listed", ["api.example.org:443", "api.example.org"])
def test_a_host_that_the_operator_lists_has_no_limit(settings: Settings, listed: str) -> None:
    settings.CALLBOARD_ALLOW = frozenset({listed})
    run = scheduled(HERE, 40)

    assert slots(run) == 40


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://api.example.org/v1", "api.example.org:443"),
        ("http://API.example.org/v1", "api.example.org:80"),
        ("https://api.example.org.:8443/v1", "api.example.org:8443"),
    ],
)
def test_a_host_has_one_name_however_it_is_written(address: str, host: str) -> None:
    assert host_of(address) == host


def test_an_endpoint_keeps_its_host_in_step() -> None:
    endpoint = Endpoint.objects.get(runs=scheduled(HERE, 1))

    endpoint.base_url = THERE
    endpoint.save()

    assert Endpoint.objects.get(pk=endpoint.pk).host == "api.example.net:443"
