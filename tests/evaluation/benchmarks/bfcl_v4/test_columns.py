"""The official averages and tables, from categories alone."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evaluation.benchmarks.bfcl_published.layouts import (
    FORMAT_SENSITIVITY,
    OVERALL,
    V4,
    format_configurations,
)
from evaluation.benchmarks.bfcl_published.read import Row, read_snapshot
from evaluation.benchmarks.bfcl_v4.columns import Model, groups, tables
from evaluation.benchmarks.bfcl_v4.sensitivity import Sensitivity, format_of, sensitivity
from evaluation.benchmarks.bfcl_v4.spending import spending
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES

A_ROUNDING = 0.0001  # of a fraction: members are printed with two decimals of a percent
COMPUTED = (  # column of the overall table, group
    ("Non-Live AST Acc", "non_live"),
    ("Non-Live Simple AST", "simple"),
    ("Live Acc", "live"),
    ("Multi Turn Acc", "multi_turn"),
    ("Web Search Acc", "web_search"),
    ("Memory Acc", "memory"),
    ("Irrelevance Detection", "irrelevance"),
    ("Overall Acc", "overall"),
)

NOT_FROM_CATEGORIES = ("Latency", "Cost", "Format")  # columns


def scores(row: Row) -> dict[str, tuple[float, int]]:
    return {name: (share, CATEGORIES[name].cases) for name, share in row.accuracies.items()}


def published(corpora: Path, day: str = "2025-12-16") -> tuple[Row, ...]:
    folder = corpora / "bfcl" / "published" / day
    return read_snapshot({path.name: path.read_bytes() for path in folder.glob("*.csv")}).rows


def test_the_worked_example_comes_out_as_the_official_helpers_say(corpora: Path) -> None:
    case = json.loads((corpora / "cases" / "RK04.json").read_text())

    found = groups({name: (share, n) for name, (share, n) in case["input"].items()})

    for name, expected in case["expected"].items():
        if isinstance(expected, float) and name != "tolerance":
            value = getattr(found, name).accuracy
            assert value == pytest.approx(expected, abs=case["expected"]["tolerance"])


def test_every_published_row_is_computed_from_its_categories(corpora: Path) -> None:
    rows = published(corpora)

    for row in rows:
        found = groups(scores(row))
        for column, group in COMPUTED:
            printed = row.figures[OVERALL][column]
            if printed != "N/A":
                expected = float(printed.rstrip("%")) / 100
                assert getattr(found, group).accuracy == pytest.approx(expected, abs=A_ROUNDING)
    assert len(rows) == 109


def test_shown_and_missing_cells_are_those_of_the_official_tables(corpora: Path) -> None:
    rows = published(corpora)
    models = [Model(row.name, scores(row)) for row in rows]

    made = tables(models)

    for table, header in V4.headers.items():
        if table == FORMAT_SENSITIVITY:
            continue
        at = header.index("Model")
        ours = {line[at]: line for line in made[table][1:]}
        for row in rows:
            for column, cell in zip(header, ours[row.name], strict=True):
                is_share = cell.endswith("%") or cell == "N/A"
                if is_share and not any(word in column for word in NOT_FROM_CATEGORIES):
                    theirs = row.figures[table][column]
                    assert (cell == "N/A") == (theirs == "N/A"), (row.name, column)


def test_a_missing_category_counts_as_zero_and_is_shown_as_missing() -> None:
    scores = dict.fromkeys(CATEGORIES, (1.0, 10))
    del scores["memory_vector"]

    (_, row) = tables([Model("M (FC)", scores)])[OVERALL]

    cells = dict(zip(V4.headers[OVERALL], row, strict=True))
    assert cells["Overall Acc"] == "93.33%"  # 40 % × a half of memory's third
    assert (cells["Memory Acc"], cells["Memory Vector"], cells["Memory KV"]) == (
        "N/A",
        "N/A",
        "100.00%",
    )


def test_rows_are_ranked_by_unrounded_figures_and_missing_ones_come_last() -> None:
    models = [
        Model("none (FC)", {}),
        Model("low (FC)", {"multi_turn_base": (0.50001, 200)}),
        Model("high (FC)", {"multi_turn_base": (0.50002, 200)}),
    ]

    made = tables(models)["data_multi_turn.csv"]

    assert [line[:2] for line in made[1:]] == [
        ["1", "high (FC)"],
        ["2", "low (FC)"],
        ["3", "none (FC)"],
    ]


def test_one_latency_has_no_standard_deviation_and_none_no_mean(corpora: Path) -> None:
    case = json.loads((corpora / "cases" / "RK12.json").read_text())

    one = spending((), (), case["input"]["latencies"])
    none = spending((), (), ())

    assert one.cells[1:] == [1.2, case["expected"]["std_latency"], 1.2]
    assert none.cells == ["N/A"] * 4


def test_zeros_are_no_figures() -> None:
    found = spending([0, 10], [0, 10], [0.0, 1.0, 3.0], prices=(1e6, 1e6))

    assert (found.cost, found.mean, found.p95) == (20.0, 2.0, 2.9)


def test_tokens_without_a_price_are_paid_for_by_time() -> None:
    assert spending([10], [10], [36_000.0]).cost == 2.39


def test_the_spread_over_formats_is_in_points() -> None:
    first, second, third = format_configurations()[:3]
    verdicts = [
        *((f"format_sensitivity_{n}:{first}:simple_python_1", n < 3) for n in range(4)),
        *((f"format_sensitivity_{n}:{second}:simple_python_1", n < 1) for n in range(4)),
        *((f"format_sensitivity_{n}:{third}:simple_python_1", n < 2) for n in range(4)),
    ]

    found = sensitivity(verdicts)

    assert found is not None
    assert (found.max_delta, found.deviation) == (50.0, 25.0)
    assert format_of(verdicts[0][0]) == first


def test_a_published_spread_follows_from_the_printed_formats(corpora: Path) -> None:
    for row in published(corpora):
        printed = row.figures[FORMAT_SENSITIVITY]
        shares = [printed[f"Config {form}"] for form in format_configurations()]
        if "N/A" in shares:
            continue
        by_form = {
            form: float(text.rstrip("%")) / 100
            for form, text in zip(format_configurations(), shares, strict=True)
        }
        found = Sensitivity(by_form)
        delta = float(printed["Format Sensitivity Max Delta"])
        spread = float(printed["Format Sensitivity Standard Deviation"])
        assert found.max_delta == pytest.approx(delta, abs=0.011)
        assert found.deviation == pytest.approx(spread, abs=0.011)


def test_a_comma_in_a_name_is_quoted(tmp_path: Path) -> None:
    from evaluation.benchmarks.bfcl_v4.score_files import as_csv

    rows = tables([Model('A, "B" (FC)', {}, organisation="Lab, Inc.")])[OVERALL]

    (read,) = csv.DictReader(as_csv(rows).decode().splitlines())

    assert (read["Model"], read["Organization"]) == ('A, "B" (FC)', "Lab, Inc.")
