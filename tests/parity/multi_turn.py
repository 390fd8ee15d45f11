"""Compares verdicts and requests of the categories of several steps with the recorded ones.

    python -m tests.parity.multi_turn FOLDER/bfcl

Prints a line for each file and exits with 1 if anything differs.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Mode, Setup
from evaluation.sandbox.blocking import Sandbox
from tests.parity.playing import requests

AS_CALLS = Setup(Mode.FC, options={"decoded": True})
PREFIXES = ("multi_turn_", "memory_", "web_search_")


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def all_cases(category: str) -> dict[str, CaseData]:
    """The cases of a category and the conversations before them, by id, in official order."""
    before = [case for chain in SUITE.chains(category) for case in chain.prerequisites]
    return {case.id: case for case in (*before, *SUITE.cases(category))}


def differing_verdicts(sandbox: Sandbox, category: str, rows: list[dict[str, Any]]) -> list[str]:
    """Ids and variants of the recorded traces on which our verdict or error type differs."""
    cases = all_cases(category)
    jobs = [(cases[row["id"]], row["decoded"], AS_CALLS) for row in rows]
    judgements = sandbox.judge_all(SUITE.slug, jobs)
    return [
        f"{row['id']} {row['variant']}: {row['error_type']} there, {judgement.error_type} here"
        for row, judgement in zip(rows, judgements, strict=True)
        if (row["valid"], row["error_type"]) != (judgement.valid, judgement.error_type)
    ]


def differing_requests(category: str, mode: Mode, rows: list[dict[str, Any]]) -> list[str]:
    """Ids and turns of the recorded requests that we would not send, or not in this order."""
    cases = all_cases(category)
    setup = Setup(mode, underscore=mode is Mode.FC)
    wanted = {row["id"]: None for row in rows}  # a dict keeps the order
    ours = [sent for case_id in wanted for sent in requests(SUITE, cases[case_id], setup)]
    return [
        f"{mode} {row['id']} turn {row['turn']}"
        for row, sent in zip_all(rows, ours)
        if not _is_same(row, sent)
    ]


def zip_all(
    rows: list[dict[str, Any]], ours: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    for place, row in enumerate(rows):
        yield row, ours[place] if place < len(ours) else {}


def _is_same(row: Mapping[str, Any], sent: Mapping[str, Any]) -> bool:
    return json.dumps(row, sort_keys=True) == json.dumps(sent, sort_keys=True)


def main(folder: Path) -> int:
    """The number of differences, each printed."""
    found = 0
    with Sandbox() as sandbox:
        for path in sorted((folder / "multi_turn").glob("*.jsonl.gz")):
            rows = list(lines(path))
            differing = differing_verdicts(sandbox, path.name.partition(".")[0], rows)
            found += _report(f"verdicts {path.name}", len(rows), differing)
    for mode in Mode:
        for path in sorted((folder / "requests" / mode.value).glob("*.jsonl.gz")):
            category = path.name.partition(".")[0]
            if category.startswith(PREFIXES):
                rows = list(lines(path))
                differing = differing_requests(category, mode, rows)
                found += _report(f"requests {mode} {path.name}", len(rows), differing)
    return found


def _report(title: str, rows: int, differing: list[str]) -> int:
    print(f"{title}: {rows} rows, {len(differing)} differ")  # noqa: T201 - its purpose
    for difference in differing[:20]:
        print(f"  {difference}")  # noqa: T201
    return len(differing)


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
