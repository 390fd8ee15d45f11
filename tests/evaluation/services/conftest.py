"""The benchmark's data loaded as it is, once a test asks for it."""

from __future__ import annotations

import pytest

from evaluation.models import Benchmark
from tests import make

# Whole categories, so that uploads of them are whole as well; the small ones of each kind.
SIZES = {"simple_javascript": 50, "live_parallel": 16, "multi_turn_base": 200, "irrelevance": 240}


@pytest.fixture
def board(db: None) -> Benchmark:
    """A current BFCL V4 of a few whole categories."""
    return make.real_benchmark(SIZES)
