"""Every address × every method that writes: strangers change nothing, whatever they send where."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tests.security.test_who_may import FIELDS, GET, POST, readers, things

__all__ = ["readers", "things"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)
OURS = ("evaluation_", "submissions_", "auth_")
# When one's own token was last used, and which mail one wants.
OWN = {"submissions_apitoken", "submissions_mailchoice"}
UNHEARD = ("put", "patch", "delete")


def content() -> dict[str, str]:
    """A digest of every table that holds what people brought in, or who they are."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall() if name.startswith(OURS)]
        found = {}
        for table in tables:
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{table}" AS t ORDER BY 1')
            rows = "\n".join(row for (row,) in cursor.fetchall())
            found[table] = hashlib.sha256(rows.encode()).hexdigest()
    return found


def addresses(things: dict[str, Any]) -> list[str]:
    return sorted({path.format(**things) for path, _ in (*GET.values(), *POST.values())})


def send(client: Client, method: str, path: str) -> int:
    return int(getattr(client, method)(path, FIELDS if method == "post" else "").status_code)


@pytest.mark.parametrize("who", ["anonymous", "other"])
def test_a_stranger_changes_nothing_of_others(
    readers: dict[str, Client], things: dict[str, Any], who: str
) -> None:
    client, before = readers[who], content()

    answers = {
        (method, path): send(client, method, path)
        for path in addresses(things)
        for method in ("post", *UNHEARD)
        if "sign-out" not in path and "/invitations/" not in path  # who has the link may join
    }
    changed = [table for table, now in content().items() if now != before[table]]

    assert {key: status for key, status in answers.items() if status >= 500} == {}
    assert set(changed) <= OWN


def test_methods_that_no_page_of_ours_knows_are_refused_to_everybody(
    readers: dict[str, Client], things: dict[str, Any]
) -> None:
    library = ("account_", "mfa_", "usersessions_")  # its forms take PUT for POST, and its checks
    theirs = {row[0] for name, row in GET.items() if name.startswith(library)}
    done = {
        (method, path): status
        for path in addresses(things)
        for method in UNHEARD
        if path not in theirs
        if (status := send(readers["admin"], method, path)) < 300
    }

    assert done == {}
