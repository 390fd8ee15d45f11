"""Storing many rows at once, each only once."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, connection, transaction
from django.db.models import Model


def store(rows: Sequence[Model]) -> None:
    """Store rows of one table; those that are there already stay as they are.

    COPY takes a third of the time of an INSERT, and is all or nothing: only where something of
    the same is there already are the rest inserted one by one.
    """
    if not rows:
        return
    try:
        with transaction.atomic():
            _copy(rows)
    except IntegrityError:
        type(rows[0])._default_manager.bulk_create(rows, ignore_conflicts=True)


def _copy(rows: Sequence[Model]) -> None:
    meta = rows[0]._meta
    fields = [field for field in meta.concrete_fields if not field.primary_key]
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    attributes = [field.attname for field in fields]
    table = connection.ops.quote_name(meta.db_table)
    with (
        connection.wrap_database_errors,  # COPY raises the driver's own
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row([getattr(row, attribute) for attribute in attributes])
