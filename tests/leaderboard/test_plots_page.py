"""A board as pictures, and the tables behind them."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Entry, PublishedRow, Snapshot
from leaderboard import loading, plots
from leaderboard.boards import OVERALL
from tests import make

pytestmark = pytest.mark.django_db
PLOTS = "/bfcl-v4/plots/"


def figure(page: str, name: str) -> Any:
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def printed(name: str, share: float, *, cost: float = 0.0, day: date = date(2026, 1, 1)) -> Entry:
    """A published entry with what its table says of cost and latency."""
    entry = make.published_entry(name, dict.fromkeys(make.CATEGORIES, share))
    row(entry, share, cost, Snapshot.objects.get(date=day))
    return entry


def row(entry: Entry, share: float, cost: float, snapshot: Snapshot) -> None:
    PublishedRow.objects.create(
        snapshot=snapshot,
        entry=entry,
        position=entry.pk,
        name=entry.card.name,
        figures="{}",
        overall=share,
        cost=cost,
        latency=cost / 10,
    )


def test_the_front_holds_whom_nobody_beats() -> None:
    cheap, dear = printed("Cheap", 0.3, cost=1.0), printed("Dear", 0.9, cost=9.0)
    printed("Beaten", 0.2, cost=5.0)
    printed("Free", 0.9, cost=0.0)  # a cost of nothing is no known cost
    board = loading.load(cheap.benchmark)

    found = plots.points(board, OVERALL, board.rows, "cost")

    assert [point.row.name for point in found] == ["Cheap", "Beaten", "Dear"]
    assert [point.row.entry for point in found if point.is_on_front] == [cheap.pk, dear.pk]


def test_each_picture_has_its_numbers_in_a_table(client: Client) -> None:
    printed("Cheap", 0.3, cost=1.0)
    printed("Dear", 0.9, cost=9.0)

    page = client.get(PLOTS).text

    cost, latency = figure(page, "plot-cost"), figure(page, "plot-latency")
    assert cost["data"][0]["x"] == [1.0, 9.0]
    assert latency["data"][0]["y"] == [30.0, 90.0]
    assert page.count("The same as a table") == 2
    assert "100 ms" in page  # a latency of 0.1 s


def test_filters_and_views_apply_as_on_the_table(client: Client) -> None:
    printed("Cheap", 0.3, cost=1.0)
    printed("Dear", 0.9, cost=9.0)

    page = client.get(f"{PLOTS}?view=multiple&cost_max=2").text

    assert figure(page, "plot-cost")["data"][0]["x"] == [1.0]
    assert "Multiple in plots" in page
    assert "Only entries that pass the filters" in page
    answer = client.get(f"{PLOTS}?sort=model&page=3&q=")
    assert (answer.status_code, answer.headers["Location"]) == (302, PLOTS)


def test_figures_over_time_come_from_every_snapshot(client: Client) -> None:
    entry = printed("Ada", 0.5, cost=1.0)
    later = Snapshot.objects.create(
        benchmark=entry.benchmark, date=date(2026, 4, 1), source="a table", digest="1" * 64
    )
    make.published_scores(later, entry, dict.fromkeys(make.CATEGORIES, 0.75))
    row(entry, 0.75, 1.0, later)

    overall, multiple = (client.get(PLOTS + query).text for query in ("", "?view=multiple"))

    for page, values in ((overall, [50.0, 75.0]), (multiple, [50.0, 75.0])):
        (line,) = figure(page, "plot-history")["data"]
        assert (line["x"], line["y"]) == (["2026-01-01", "2026-04-01"], values)


def test_faults_are_shares_of_all_cases(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")), {"multiple": 0.0})

    bars = figure(client.get(PLOTS).text, "plot-faults")["data"]

    assert [(bar["name"], bar["x"]) for bar in bars] == [("Wrong number of calls", [100.0])]


def test_an_empty_board_says_so(client: Client) -> None:
    make.benchmark()

    page = client.get(PLOTS).text

    assert "No costs or latencies known" in page
    assert "No samples published" in page


def test_names_are_no_markup_in_plots(client: Client) -> None:
    entry = printed("Bold", 0.5, cost=1.0)
    entry.card.name = "<b>Bold</b>"
    entry.card.save()

    page = client.get(PLOTS).text

    assert "&lt;b&gt;Bold" in json.dumps(figure(page, "plot-cost")["data"])
    assert "<b>Bold" not in page


def test_the_page_costs_the_same_for_any_number_of_entries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        make.finished_run(make.entry(make.card(f"Model {number}")), 0.5, endpoint=None)

    with django_assert_max_num_queries(14):
        client.get(PLOTS)
