"""What runs cost and how fast they were answered."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Run
from leaderboard.economy import Spent, spent
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def priced_run(price_in: object = "2", price_out: object = "8") -> Run:
    run = make.finished_run()
    frozen = json.loads(run.configuration) | {"price_in": price_in, "price_out": price_out}
    run.configuration = json.dumps(frozen)
    run.save(update_fields=["configuration"])
    return run


def test_every_attempt_is_paid_for_and_accepted_ones_are_timed() -> None:
    run = priced_run()
    first, second = run.entry.benchmark.categories.all()[0].cases.all()[:2]
    make.reply(run, first, attempt=1, accepted=False, latency=9, tokens_in=1_000_000, tokens_out=0)
    make.reply(run, first, attempt=2, latency=1, tokens_in=1_000_000, tokens_out=500_000)
    make.reply(run, second, attempt=1, latency=2, tokens_in=0, tokens_out=0)

    found = spent([run])[run.pk]

    assert found == Spent(cost=8.0, latency=1.5)


@pytest.mark.parametrize("price", [None, "", "free"])
def test_without_a_price_there_is_no_cost(price: object) -> None:
    run = priced_run(price_in=price)
    case = run.entry.benchmark.categories.all()[0].cases.all()[0]
    make.reply(run, case, attempt=1, tokens_in=5, tokens_out=5)

    assert spent([run])[run.pk].cost is None


def test_without_replies_nothing_is_known() -> None:
    run = priced_run()

    assert spent([run]) == {run.pk: Spent(None, None)}


def test_a_run_is_counted_once(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    run = priced_run()
    spent([run])

    with django_assert_num_queries(0):
        spent([run])


def test_the_board_shows_what_verified_runs_cost(client: Client) -> None:
    run = priced_run()
    case = run.entry.benchmark.categories.all()[0].cases.all()[0]
    make.reply(run, case, attempt=1, latency=2.5, tokens_in=1_000_000, tokens_out=1_000_000)

    page = client.get("/bfcl-v4/").text

    assert '<td class="num">$10.00</td><td class="num">2.5 s</td>' in page
