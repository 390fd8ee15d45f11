"""Storing many verdicts at once, each only once."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, connection, transaction

from evaluation.models import Verdict

COLUMNS = (
    *("scoring_id", "case_id", "outcome", "error_type", "fault", "where", "message"),
    "attempts",
    "measure",
)


def store(rows: Sequence[Verdict]) -> None:
    """Store verdicts; those that another process has stored meanwhile stay as they are.

    COPY takes a third of the time of an INSERT, and is all or nothing: only where something of
    the same is there already are the rest inserted one by one.
    """
    if not rows:
        return
    try:
        with transaction.atomic():
            _copy(rows)
    except IntegrityError:
        Verdict.objects.bulk_create(rows, ignore_conflicts=True)


def _copy(rows: Sequence[Verdict]) -> None:
    names = ", ".join(connection.ops.quote_name(name) for name in COLUMNS)
    table = connection.ops.quote_name(Verdict._meta.db_table)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row([getattr(row, name) for name in COLUMNS])
