"""A worker process to drive runs with, closed after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluation.runner import process
from evaluation.runner.process import WorkerProcess


@pytest.fixture
def worker(transactional_db: None) -> Iterator[WorkerProcess]:
    yield process.here()
    process.leave()
