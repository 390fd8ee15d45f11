"""Compares single-turn verdicts and requests with those recorded of the official tools."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.benchmarks.bfcl_v4 import tree
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Mode, Setup
from tests.parity.playing import requests

CATEGORIES = (*tree.SINGLE_TURN, tree.FORMAT_SENSITIVITY.name)


def rows_of(path: Path, *, every: int = 1) -> Iterator[dict[str, Any]]:
    """The rows of a recorded file, or one in `every`."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number % every == 0:
                yield json.loads(line)


@cache
def case_of(case_id: str) -> CaseData:
    category = SUITE.category_of(case_id)
    assert category is not None, f"no case has the id {case_id}"
    return _cases(category)[case_id]


@cache
def _cases(category: str) -> dict[str, CaseData]:
    return {case.id: case for case in SUITE.cases(category)}


def differing_verdicts(path: Path, *, every: int = 1) -> tuple[int, list[str]]:
    """The number of rows compared, and a line for each with another verdict or error type."""
    compared, differing = 0, []
    for row in rows_of(path, every=every):
        compared += 1
        setup = Setup(Mode(row["mode"]), row["underscore"])
        verdict = SUITE.judge(case_of(row["id"]), row["result"], setup)
        if (verdict.valid, verdict.error_type) != (row["valid"], row["error_type"]):
            differing.append(f"{row['id']}: {row['error_type']} there, {verdict.error_type} here")
    return compared, differing


def differing_requests(path: Path, mode: Mode, *, every: int = 1) -> tuple[int, list[str]]:
    """The number of requests compared, and the ids of those that we would not send so."""
    compared, differing = 0, []
    setup = Setup(mode, underscore=mode is Mode.FC)
    for row in rows_of(path, every=every):
        compared += 1
        ours = list(requests(SUITE, case_of(row["id"]), setup))
        if [json.dumps(row, sort_keys=True)] != [
            json.dumps(sent, sort_keys=True) for sent in ours
        ]:
            differing.append(row["id"])
    return compared, differing


def verdict_files(bfcl: Path) -> list[Path]:
    outputs = sorted((bfcl / "outputs").glob("*.jsonl.gz"))
    return [*outputs, *sorted((bfcl / "synthetic").glob("*.jsonl.gz"))]


def request_files(bfcl: Path) -> list[tuple[Mode, Path]]:
    paths = [
        (mode, bfcl / "requests" / mode.value / f"{name}.jsonl.gz")
        for mode in Mode
        for name in CATEGORIES
    ]
    return [(mode, path) for mode, path in paths if path.is_file()]


def main(bfcl: Path) -> int:
    """The number of differences, each printed."""
    found = 0
    for path in verdict_files(bfcl):
        found += _report(f"verdicts {path.name}", *differing_verdicts(path))
    for mode, path in request_files(bfcl):
        found += _report(f"requests {mode} {path.name}", *differing_requests(path, mode))
    return found


def _report(title: str, compared: int, differing: list[str]) -> int:
    print(f"{title}: {compared} rows, {len(differing)} differ")  # noqa: T201 - its purpose
    for difference in differing[:20]:
        print(f"  {difference}")  # noqa: T201
    return len(differing)
