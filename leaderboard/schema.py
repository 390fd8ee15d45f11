"""Whether the tables in the database are the ones that this program's models describe."""

from __future__ import annotations

from django.apps import apps
from django.db import connection

from leaderboard.embedded.errors import CannotStart

_COLUMNS = """
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = ANY (current_schemas(false))
"""


def check_tables() -> None:
    """To be asked after migrating: a database of a build between releases cannot be migrated.

    Raises:
        CannotStart: A column is missing; the message says what to do.
    """
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        known = set(cursor.fetchall())
    for model in apps.get_models():
        for field in model._meta.local_concrete_fields:
            if (model._meta.db_table, field.column) not in known:
                raise CannotStart(
                    "The database was made by another version of Callboard: it has no "
                    f"{model._meta.db_table}.{field.column}. Go back to that version, or move "
                    "the data away (mv .data .data.old) and start anew."
                )
