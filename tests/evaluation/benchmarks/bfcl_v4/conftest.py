"""Tests of BFCL need its data package; they are skipped without it, saying so."""

from __future__ import annotations

import pytest

from tests.suites import real_suite


@pytest.fixture(scope="session")
def data() -> None:
    real_suite("bfcl-v4")
