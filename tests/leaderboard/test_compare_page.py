"""Entries side by side: differences, what they rest on, and the cases on which entries part."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Case, Verdict
from leaderboard import comparing, loading
from leaderboard.boards import Board, Row
from tests import make

pytestmark = pytest.mark.django_db
N = 40
COMPARE = "/bfcl-v4/compare/"


def ada_and_bob(only_ada: int, only_bob: int, both: int) -> tuple[Board, tuple[Row, Row]]:
    """Two entries that got so many of the same 40 cases right."""
    benchmark = make.benchmark({"multiple": N})
    cases = list(Case.objects.order_by("position"))
    shares = {"Ada": cases[: only_ada + both], "Bob": cases[only_ada : only_ada + both + only_bob]}
    for name, right in shares.items():
        run = make.finished_run(make.entry(make.card(name), benchmark), 0.0)
        Verdict.objects.filter(scoring__run=run, case__in=right).update(
            outcome="correct", error_type="", fault="", message=""
        )
        run.scorings.get().category_scores.update(
            correct=len(right), wrong=N - len(right), accuracy=len(right) / N
        )
    board = loading.load(benchmark)
    rows = {row.name: row for row in board.rows}
    return board, (rows["Ada"], rows["Bob"])


def address(*rows: Row) -> str:
    return COMPARE + "?" + "&".join(f"entry={row.entry}" for row in rows)


def test_a_category_is_compared_case_by_case() -> None:
    board, rows = ada_and_bob(only_ada=12, only_bob=2, both=10)
    known = comparing.answers([row.run or 0 for row in rows])

    found = comparing.difference(
        board, "multiple", rows, (known[rows[0].run or 0], known[rows[1].run or 0])
    )

    assert found is not None
    assert found.is_paired
    assert found.value == pytest.approx(10 / 40)
    assert found.p == pytest.approx(2 * (1 + 14 + 91) / 2**14)  # of 14 cases, 2 on one side
    assert found.interval[0] < found.value < found.interval[1]


def test_a_case_without_a_verdict_counts_as_not_right_as_it_does_for_ranges() -> None:
    board, rows = ada_and_bob(only_ada=12, only_bob=2, both=10)
    failed = Verdict.objects.filter(scoring__run=rows[1].run, outcome="wrong").first()
    assert failed is not None
    Verdict.objects.filter(pk=failed.pk).update(outcome="unscored", error_type="", fault="")
    known = comparing.answers([row.run or 0 for row in rows])

    found = comparing.difference(
        board, "multiple", rows, (known[rows[0].run or 0], known[rows[1].run or 0])
    )

    assert found is not None
    assert found.is_paired
    assert found.p == pytest.approx(2 * (1 + 14 + 91) / 2**14)
    places = [one.place for one in board.standings("multiple").values()]
    assert all(place and place.is_paired for place in places)


def test_no_samples_mean_an_unpaired_difference() -> None:
    board, rows = ada_and_bob(only_ada=12, only_bob=2, both=10)

    found = comparing.difference(board, "multiple", rows, ({}, {}))

    assert found is not None
    assert not found.is_paired


def test_a_figure_that_one_of_them_lacks_has_no_difference() -> None:
    board, rows = ada_and_bob(only_ada=12, only_bob=2, both=10)

    assert comparing.difference(board, "overall", rows, ({}, {})) is None


def test_counts_open_the_cases_on_which_they_part(client: Client) -> None:
    _, (ada, bob) = ada_and_bob(only_ada=3, only_bob=2, both=10)

    page = client.get(address(ada, bob)).text
    other = client.get(address(ada, bob) + "&cases=second").text

    assert re.findall(r"cases=(\w+)#cases\">(\d+)<", page) == [
        ("both", "10"),
        ("first", "3"),
        ("second", "2"),
        ("neither", "25"),
    ]
    assert page.count("A’s answer") == 3
    assert other.count("A’s answer") == 2
    links = re.findall(r'href="(/bfcl-v4/cases/[^"]+)">[AB]’s answer', page)
    assert {client.get(link).status_code for link in links} == {200}


def test_the_address_names_at_most_four_and_nonsense_names_nobody(client: Client) -> None:
    benchmark = make.benchmark({"multiple": 2})
    for number in range(6):
        make.finished_run(make.entry(make.card(f"Model {number}"), benchmark), 0.5)
    rows = loading.load(benchmark).rows

    page = client.get(address(*rows) + "&entry=x&entry=999999&entry=-1").text
    nobody = client.get(COMPARE + "?entry=nobody&page=x&cases=y").text

    assert page.count('name="entry" value=') == 4
    assert "Add an entry" not in page
    assert "Nothing to compare yet" in nobody


def test_published_entries_say_that_there_are_no_samples(client: Client) -> None:
    make.published_entry("Printed")
    make.finished_run(make.entry(make.card("Ada")))
    rows = loading.load(make.a_benchmark()).rows

    page = client.get(address(*rows)).text

    assert "Printed (FC): no samples published" in page
    assert "Which cases differ" in page


def test_the_page_costs_the_same_for_two_as_for_four(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    benchmark = make.benchmark({"multiple": 2})
    for number in range(4):
        make.finished_run(make.entry(make.card(f"Model {number}"), benchmark), 0.5)
    rows = loading.load(benchmark).rows

    with django_assert_max_num_queries(14):
        client.get(address(*rows))
