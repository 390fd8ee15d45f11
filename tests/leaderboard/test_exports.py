"""CSV and JSON of what is on the screen."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from evaluation.models import Evidence
from leaderboard.exports import neutral
from tests import make

BOARD = "/bfcl-v4/"


def rows(client: Client, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"{BOARD}?{query}&format=csv".replace("?&", "?"))
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def document(client: Client, query: str = "") -> Any:
    return json.loads(client.get(f"{BOARD}?{query}&format=json".replace("?&", "?")).content)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("＝1", "'＝1"),
        ("  =1", "'  =1"),
        ("Qwen-7B", "Qwen-7B"),
        ("", ""),
        (-0.5, -0.5),
        (7, 7),
    ],
)
def test_no_cell_is_a_formula_and_numbers_stay_numbers(cell: object, expected: object) -> None:
    assert neutral(cell) == expected


@pytest.mark.django_db
def test_csv_has_the_rows_and_the_order_of_the_page(client: Client) -> None:
    make.finished_run(make.entry(make.card("Low")), 0.0)
    make.finished_run(make.entry(make.card("High")), 1.0)
    make.finished_run(make.entry(make.card("Listed"), evidence=Evidence.UPLOADED), 1.0)

    found = rows(client)

    assert [(row["model"], row["rank"], row["standing"]) for row in found] == [
        ("High", "1", "ranked"),
        ("Low", "2", "ranked"),
        ("Listed", "", "listed"),
    ]
    assert [float(row["runnable"]) for row in found] == [1.0, 0.0, 1.0]


@pytest.mark.django_db
def test_an_incomplete_overall_is_empty_with_the_official_figure_beside_it(
    client: Client,
) -> None:
    make.finished_run(make.entry(), {"irrelevance": 1.0})

    (row,) = rows(client)

    assert row["overall"] == ""
    assert float(row["overall_missing_as_zero"]) == pytest.approx(0.05)


@pytest.mark.django_db
def test_csv_keeps_names_with_commas_quotes_and_lines_in_one_cell(client: Client) -> None:
    name = 'Foo, Bar "7B"\nnew'
    make.finished_run(make.entry(make.card(name, slug="foo")), 0.5)

    (row,) = rows(client)

    assert row["model"] == name
    assert None not in row


@pytest.mark.django_db
def test_csv_neutralises_formulas_in_foreign_text(client: Client) -> None:
    card = make.card("=HYPERLINK(1)", slug="formula", organisation="@lab")
    make.finished_run(make.entry(card))

    (row,) = rows(client)

    assert (row["model"], row["organisation"]) == ("'=HYPERLINK(1)", "'@lab")


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["q=ada", "view=multiple", "view=live&sort=-live_simple"])
def test_exports_follow_the_choice(client: Client, query: str) -> None:
    make.finished_run(make.entry(make.card("Ada")), 0.5)
    make.finished_run(make.entry(make.card("Bob")), 0.7)
    expected = 1 if "ada" in query else 2

    assert len(rows(client, query)) == expected
    assert len(document(client, query)["rows"]) == expected


@pytest.mark.django_db
def test_json_says_what_every_figure_rests_on(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")), {"multiple": 2 / 3})

    found = document(client, "view=multiple")

    assert (found["view"], found["ranked_by"], found["benchmark"]) == (
        "multiple",
        "multiple",
        "bfcl-v4",
    )
    (row,) = found["rows"]
    score = row["scores"]["multiple"]
    assert (row["model"], row["rank"], row["rank_range"]) == ("Ada", 1, [1, 1])
    assert score["value"] == pytest.approx(2 / 3)
    assert (score["n"], score["scored"], score["is_ranked"]) == (3, 3, True)


@pytest.mark.django_db
def test_an_export_is_a_file_with_a_name(client: Client) -> None:
    make.finished_run()

    response = client.get(f"{BOARD}?view=live&format=csv")

    assert response.headers["Content-Disposition"] == 'attachment; filename="bfcl-v4-live.csv"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
def test_an_export_holds_all_pages(client: Client) -> None:
    benchmark = make.benchmark({"multiple": 1})
    for _ in range(120):
        make.finished_run(make.entry(make.card(), benchmark), 1.0, endpoint=None)

    assert len(rows(client, "page=2")) == 120


@pytest.mark.django_db
def test_a_private_run_is_in_no_export(client: Client) -> None:
    make.finished_run(make.entry(make.card("Secret model")), published=False)

    for query in ("format=csv", "format=json"):
        assert b"Secret model" not in client.get(f"{BOARD}?{query}").content


@pytest.mark.django_db
def test_names_no_text_encoding_can_hold_still_export(client: Client) -> None:
    make.finished_run(make.entry(make.card("a\u202eb🂡", slug="odd")))

    assert rows(client)[0]["model"] == "a\u202eb🂡"
    assert document(client)["rows"][0]["model"] == "a\u202eb🂡"
