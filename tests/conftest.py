"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time: a change is judged by what it changed, not by luck.
settings.register_profile("steady", derandomize=True, database=None, deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Recorded data of the benchmark's own tools; skips where CALLBOARD_CORPORA is not set."""
    named = os.environ.get("CALLBOARD_CORPORA")
    if not named:
        pytest.skip("CALLBOARD_CORPORA is not set: recorded corpora are not compared")
    folder = Path(named)
    assert folder.is_dir(), f"CALLBOARD_CORPORA names {folder}, which is no folder"
    return folder


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Each session has servers of its own, which go with all they hold: nothing is dropped first,
    and threads or processes that a test has just ended may take their time to leave.
    """
    return True
