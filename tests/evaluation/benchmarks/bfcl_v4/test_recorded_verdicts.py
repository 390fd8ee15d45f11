"""A sample of the recorded verdicts and requests; `make parity` compares all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.single_turn import (
    differing_requests,
    differing_verdicts,
    request_files,
    verdict_files,
)

pytestmark = pytest.mark.usefixtures("data")
WHOLE = ("gpt-4-0613-FC.jsonl.gz", "gpt-4-0613.jsonl.gz")  # one model in each mode


def test_verdicts_on_real_and_generated_answers_equal_the_official_ones(corpora: Path) -> None:
    differing: list[str] = []
    compared = 0

    for path in verdict_files(corpora / "bfcl"):
        if path.parent.name == "synthetic" or path.name in WHOLE:
            rows, found = differing_verdicts(path, every=1 if path.name in WHOLE else 20)
            compared += rows
            differing += found

    assert compared > 4000
    assert differing == []


def test_requests_equal_those_the_official_generator_sends(corpora: Path) -> None:
    differing: list[str] = []
    compared = 0

    for mode, path in request_files(corpora / "bfcl"):
        rows, found = differing_requests(path, mode, every=20)
        compared += rows
        differing += found

    assert compared > 200
    assert differing == []
