"""Finding real suites for tests; a missing data package skips, saying so."""

from __future__ import annotations

import pytest

from evaluation.benchmarks import suite
from evaluation.benchmarks.suite import BenchmarkMissing, Suite


def real_suite(slug: str = "bfcl-v4") -> Suite:
    found = suite(slug)
    try:
        found.source()
    except BenchmarkMissing as missing:
        pytest.skip(str(missing))
    return found
