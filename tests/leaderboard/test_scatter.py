"""Score against cost: the front nobody beats, and where things are drawn."""

from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from evaluation.models import PublishedRow
from leaderboard import scatter
from leaderboard.scatter import Point
from tests import make

POINTS = st.builds(
    Point, st.just("Model"), st.floats(0.001, 10_000), st.floats(0, 1), st.booleans()
)


def test_the_front_holds_what_nobody_beats_on_both_counts() -> None:
    cheap, dear, beaten = Point("a", 1, 0.3), Point("b", 10, 0.8), Point("c", 20, 0.7)
    same_price = Point("d", 1, 0.2)

    assert scatter.front_of([dear, beaten, same_price, cheap]) == [cheap, dear]


@pytest.mark.parametrize("cost", [0.0, -1.0])
def test_what_costs_nothing_has_no_place_on_a_logarithmic_axis(cost: float) -> None:
    points = [*[Point("a", 1, 0.5)] * 4, Point("free", cost, 0.5)]

    assert scatter.pictures(points) == []


@given(st.lists(POINTS, min_size=5, max_size=40))
def test_every_dot_lies_in_its_frame(points: list[Point]) -> None:
    for picture in scatter.pictures(points):
        assert len(picture.dots) == len(points)
        for dot in picture.dots:
            assert picture.frame.left <= dot.x <= picture.frame.x_end
            assert picture.frame.top <= dot.y <= picture.frame.y_end


@pytest.mark.django_db
def test_the_board_opens_with_it_when_costs_are_known(client: Client) -> None:
    for number in range(5):
        entry = make.published_entry(f"Model {number}")
        PublishedRow.objects.create(
            snapshot=entry.benchmark.snapshots.get(),
            entry=entry,
            position=number + 1,
            name="<b>",
            figures="{}",
            overall=0.5 + number / 100,
            cost=1.0 + number,
        )

    page = client.get("/bfcl-v4/").text

    assert page.count('<svg class="chart') == 2
    assert "Model 4</text>" in page


@pytest.mark.django_db
def test_a_board_without_costs_opens_without_it(client: Client) -> None:
    make.finished_run()

    assert '<svg class="chart' not in client.get("/bfcl-v4/").text


def test_no_label_covers_another() -> None:
    crowded = [
        Point(f"Some model {index}", 1 + index / 100, 0.5 + index / 1000) for index in range(6)
    ]

    for picture in scatter.pictures(crowded):
        assert len(picture.labels) == 1
        assert picture.labels[0].text == "Some model 5"
