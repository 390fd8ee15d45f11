"""A database of another version is told apart before anything is read from it."""

from __future__ import annotations

import pytest
from django.db import connection

from leaderboard.embedded.errors import CannotStart
from leaderboard.schema import check_tables

pytestmark = pytest.mark.django_db


def test_tables_as_migrated_fit() -> None:
    check_tables()


def test_a_missing_column_is_named_with_the_mend() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE evaluation_run DROP COLUMN reason CASCADE")

    with pytest.raises(CannotStart, match=r"no evaluation_run\.reason.*start anew"):
        check_tables()
