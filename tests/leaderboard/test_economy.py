"""What runs cost and how fast they were answered."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Run
from evaluation.times import Times, request_times
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


STEPS = '{"latency":[[1,2],[3]]}'


def upload_of(*categories: str) -> Run:
    """A finished run that nobody was asked for, of one case in each category."""
    board = make.benchmark(dict.fromkeys(categories, 1))
    return make.finished_run(make.entry(on=board, evidence="uploaded"), endpoint=None)


def test_every_attempt_is_paid_for_and_accepted_ones_are_timed() -> None:
    run = priced_run()
    first, second = run.entry.benchmark.categories.all()[0].cases.all()[:2]
    make.reply(run, first, attempt=1, accepted=False, latency=9, tokens_in=1_000_000, tokens_out=0)
    make.reply(run, first, attempt=2, latency=1, tokens_in=1_000_000, tokens_out=500_000)
    make.reply(run, second, attempt=1, latency=2, tokens_in=0, tokens_out=0)

    found = spent([run])[run.pk]

    assert found == Spent(cost=8.0, latency=1.5, case_latency=1.5)


def test_a_request_and_a_case_of_several_are_told_apart() -> None:
    run = make.finished_run()
    first, second = run.entry.benchmark.categories.all()[0].cases.all()[:2]
    for step in range(3):
        make.reply(run, first, step=step, attempt=1, latency=2)
    make.reply(run, second, attempt=1, latency=4)

    found = spent([run])[run.pk]

    assert (found.latency, found.case_latency) == (2.5, 5.0)


def test_what_comes_before_the_questions_is_paid_for_and_no_case() -> None:
    run = priced_run()
    before, case = run.entry.benchmark.categories.all()[0].cases.all()[:2]
    type(before).objects.filter(pk=before.pk).update(is_prerequisite=True)
    make.reply(run, before, attempt=1, latency=9, tokens_in=1_000_000, tokens_out=0)
    make.reply(run, case, attempt=1, latency=1, tokens_in=1_000_000, tokens_out=0)

    assert spent([run])[run.pk] == Spent(cost=4.0, latency=1.0, case_latency=1.0)


def test_an_upload_tells_of_single_requests_where_its_lines_do() -> None:
    run = upload_of("multi_turn_base", "memory_kv")
    talk, memory = run.categories.order_by("position")
    make.reply(run, talk.cases.all()[0], attempt=1, latency=6, figures=STEPS)
    make.reply(run, memory.cases.all()[0], attempt=1, latency=6, figures=STEPS)

    found = spent([run])[run.pk]

    assert (found.latency, found.case_latency) == (2.0, 6.0)


@pytest.mark.parametrize("figures", ["", '{"latency":6,"input_token_count":[[5]]}'])
def test_one_time_for_a_whole_conversation_says_nothing_of_its_requests(figures: str) -> None:
    run = upload_of("multi_turn_base", "simple_python")
    talk, simple = run.categories.order_by("position")
    make.reply(run, talk.cases.all()[0], attempt=1, latency=6, figures=figures)
    make.reply(run, simple.cases.all()[0], attempt=1, latency=2)

    found = spent([run])[run.pk]

    assert (found.latency, found.case_latency) == (None, 4.0)


def test_one_time_for_a_single_question_is_that_of_its_request() -> None:
    run = upload_of("simple_python")
    figures = '{"latency":2,"input_token_count":[5]}'
    make.reply(run, run.categories.get().cases.get(), attempt=1, latency=2, figures=figures)

    assert spent([run])[run.pk].latency == 2.0
    assert request_times(run) == Times(2.0, 2.0)


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
