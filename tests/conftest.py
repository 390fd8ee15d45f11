"""What every test may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from pytest_django import DjangoDbBlocker

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
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Threads and processes that a test has ended may not have left its database when it goes."""
    from django.db import connection

    yield
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {others}"
        )
