"""A database of a benchmark's own, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leaderboard.embedded.servers import Servers


@contextlib.contextmanager
def throwaway(*, pages: bool = False) -> Iterator[None]:
    """Servers with an empty, migrated database; Django is set up to use it.

    With `pages` also the static files that pages name: collecting them takes memory for good.
    """
    folder = Path(tempfile.mkdtemp(prefix="callboard-bench-")).resolve()
    folder.chmod(0o711)
    servers = Servers(folder, given={}, throwaway=True)
    # What was started is ended, also when the bench is told to stop.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        servers.start()
        os.environ |= servers.environment() | {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "CALLBOARD_LOCAL": "1",
            "CALLBOARD_LOG": "warning",
            "CALLBOARD_STATIC": str(folder / "static"),
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
        if pages:
            call_command("collectstatic", interactive=False, verbosity=0)
        yield
    finally:
        servers.stop()
        shutil.rmtree(folder, ignore_errors=True)
        if servers.home.moved:
            shutil.rmtree(servers.home.servers, ignore_errors=True)


@contextlib.contextmanager
def without_indexes(cursor: Any, table: str) -> Iterator[None]:
    """Rows come in many times as fast; what looks up other tables is gone afterwards."""
    cursor.execute(
        "SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = %s::regclass AND contype IN ('f', 'u')",
        [table],
    )
    constraints = cursor.fetchall()
    for name, _, _ in constraints:
        cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    cursor.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s"
        " AND indexname NOT LIKE '%%_pkey'",
        [table],
    )
    indexes = cursor.fetchall()
    for name, _ in indexes:
        cursor.execute(f'DROP INDEX "{name}"')
    yield
    for name, kind, definition in constraints:
        if kind == "u":
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    for _, definition in indexes:
        cursor.execute(definition)
