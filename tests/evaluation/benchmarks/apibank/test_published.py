"""Published figures and the classes of error."""

from __future__ import annotations

import json
import re
from pathlib import Path

from evaluation.benchmarks.apibank.published import COLUMN_SETS, ERROR_SHARES
from evaluation.benchmarks.apibank.taxonomy import FAULTS, PaperClass, paper_class
from evaluation.benchmarks.apibank.verdicts import ErrorClass
from evaluation.engine.types import Fault


def test_every_row_has_a_figure_for_every_column() -> None:
    for table in COLUMN_SETS:
        assert len(table.columns) == len(table.denominators)
        assert all(len(row.percent) == len(table.columns) for row in table.rows)
        assert all(0 <= part <= 1 for row in table.rows for part in row.fractions())


def test_lynx_and_toolace_are_among_the_published_rows() -> None:
    models = {row.model for table in COLUMN_SETS for row in table.rows}

    assert {"Lynx-7B", "ToolACE-8B", "GPT-4"} <= models


def test_every_table_names_its_paper_its_number_and_its_page_or_says_that_none_is_known() -> None:
    for table in COLUMN_SETS:
        assert re.search(r"https://(aclanthology|arxiv)\.org/\S+, ", table.source)
        assert re.search(r", Table \d, page (\d{4}|not known)$", table.source)


def test_the_figures_are_those_of_the_collected_tables(checkout: Path) -> None:
    tables = json.loads((checkout / "paper_results.json").read_text())["tables"]
    levels = ("Call", "Retrieve+Call", "Plan+Retrieve+Call", "Total")

    collected = [
        tuple(row[level]["correctness"] for level in levels)
        for row in tables["emnlp_table3_main"]["rows"]
    ]

    assert [row.percent for row in COLUMN_SETS[0].rows] == collected


def test_every_class_of_a_wrong_call_has_a_fault() -> None:
    assert set(FAULTS) == set(ErrorClass) - {ErrorClass.CORRECT, ErrorClass.EXCLUDED}


def test_every_fault_of_any_benchmark_falls_into_one_class() -> None:
    classes = {fault: paper_class(fault) for fault in Fault}

    assert classes[Fault.WRONG_FUNCTION] is PaperClass.HALLUCINATION
    assert classes[Fault.MALFORMED] is PaperClass.FALSE_FORMAT
    assert set(classes.values()) == set(PaperClass)


def test_published_shares_do_not_exceed_a_whole() -> None:
    assert all(sum(shares.values()) <= 100.02 for shares in ERROR_SHARES.values())
