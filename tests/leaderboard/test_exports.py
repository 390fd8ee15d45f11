"""What is on the screen as a file, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from django.test import Client
from pyarrow import parquet

from evaluation.benchmarks.bfcl_published.layouts import OVERALL, V4
from evaluation.cells import neutral
from evaluation.models import Evidence
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
    assert (row["model"], row["rank"], row["rank_from"], row["rank_to"]) == ("Ada", 1, 1, 1)
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


@pytest.mark.django_db
def test_ndjson_has_a_whole_row_on_each_line(client: Client) -> None:
    make.finished_run(make.entry(make.card('Foo, Bar "7B"\nnew', slug="foo")), 0.5)
    make.finished_run(make.entry(make.card("Bob")), 0.7)

    body = client.get(f"{BOARD}?format=ndjson").content.decode()

    found = [json.loads(line) for line in body.splitlines()]
    assert [row["model"] for row in found] == ["Bob", 'Foo, Bar "7B"\nnew']
    assert found[0]["benchmark"] == "bfcl-v4"
    assert [row["scores"] for row in found] == [row["scores"] for row in document(client)["rows"]]


@pytest.mark.django_db
def test_parquet_has_the_columns_of_the_csv_with_types(client: Client) -> None:
    make.finished_run(make.entry(make.card("=1+1", slug="odd")), 0.5)
    make.published_entry("Theirs")

    body = client.get(f"{BOARD}?format=parquet").content

    table = parquet.read_table(io.BytesIO(body))
    assert table.column_names == list(rows(client)[0])
    found = table.to_pylist()
    assert {row["model"] for row in found} == {"=1+1", "Theirs"}
    assert isinstance(found[0]["rank"], int)
    assert isinstance(found[0]["runnable"], float)
    assert found[0]["overall"] is None
    assert table.schema.metadata[b"benchmark"] == b"bfcl-v4"


@pytest.mark.django_db
def test_markdown_is_a_table_whose_names_can_do_nothing(client: Client) -> None:
    name = "a|b\n<script>alert(1)</script> [x](javascript:y) \u202e`z`"
    make.finished_run(make.entry(make.card(name, slug="odd")), 0.5)

    text = client.get(f"{BOARD}?format=md").content.decode()

    header, rule, line, *rest = text.splitlines()
    cells = re.split(r"(?<!\\)\|", line)
    assert len(cells) == len(re.split(r"(?<!\\)\|", header)) == rule.count("|") + 1
    assert r"a\|b \<script\>" in line
    assert r"\[x\]\(javascript\:y\) ⟨U\+202E⟩\`z\`" in line
    assert "BFCL V4" in rest[1]


@pytest.mark.django_db
def test_latex_compiles_whatever_a_name_holds(client: Client) -> None:
    name = r"100% \input{x} & $a_b^c$ #1 ~ {"
    make.finished_run(make.entry(make.card(name, slug="odd")), 0.5)

    lines = client.get(f"{BOARD}?view=multiple&format=tex").content.decode().splitlines()

    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"):
        assert rule in lines
    row = lines[lines.index(r"\midrule") + 1]
    assert r"100\% \textbackslash{}input\{x\} \& \$a\_b\textasciicircum{}c\$ \#1" in row
    assert row.endswith(r" \\")
    shape = next(line for line in lines if line.startswith(r"\begin{tabular}"))
    columns = len(shape.removeprefix(r"\begin{tabular}").strip("{}"))
    assert len(re.split(r"(?<!\\)&", row)) == columns


@pytest.mark.django_db
def test_the_benchmark_s_own_table_has_its_headers_and_rules(client: Client) -> None:
    make.finished_run(make.entry(make.card("=Ada", slug="ada")), {"multiple": 2 / 3})

    body = client.get(f"{BOARD}?format=bfcl").content.decode()

    (row,) = csv.DictReader(io.StringIO(body, newline=""))
    assert list(row) == list(V4.headers[OVERALL])
    assert (row["Rank"], row["Model"]) == ("1", "'=Ada (FC)")
    assert row["Non-Live Multiple AST"] == "66.67%"
    assert row["Multi Turn Base"] == "N/A"


@pytest.mark.django_db
def test_every_format_of_the_menu_is_there_and_holds_no_private_run(client: Client) -> None:
    make.finished_run(make.entry(make.card("Public")))
    make.finished_run(make.entry(make.card("Secret")), published=False)
    page = client.get(BOARD).text

    keys = re.findall(r"format=(\w+)", page)

    assert set(keys) >= {"csv", "json", "ndjson", "parquet", "md", "tex", "bfcl"}
    for key in keys:
        response = client.get(f"{BOARD}?format={key}")
        assert response.status_code == 200
        assert b"Public" in response.content
        assert b"Secret" not in response.content


@pytest.mark.django_db
def test_numbers_are_numbers_and_are_sorted_as_numbers(client: Client) -> None:
    benchmark = make.benchmark({"multiple": 1000})
    for share in (0.095, 0.852, 1.0):
        make.finished_run(make.entry(make.card(), benchmark), share)

    found = [float(row["multiple"]) for row in rows(client, "view=multiple")]

    assert found == [1.0, 0.852, 0.095]
