"""Small JSON files that only their owner can read: keys, ports, processes."""

from __future__ import annotations

import base64
import json
import os
import secrets
from pathlib import Path
from typing import Any

from leaderboard.embedded.errors import CannotStart


def read(path: Path) -> dict[str, Any]:
    """The record, or an empty one if there is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise CannotStart(f"{path} is damaged: restore it from a backup, or delete it.") from None
    if not isinstance(content, dict):
        raise CannotStart(f"{path} is damaged: restore it from a backup, or delete it.")
    return content


def write(path: Path, content: dict[str, Any]) -> None:
    """Replace the record in one step: a reader or a crash never meets half of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def keys(base: Path) -> dict[str, str]:
    """This clone's own secrets, generated once; those a newer version adds are added."""
    path = base / "keys.json"
    known = read(path)
    fresh = {
        "secret_key": secrets.token_urlsafe(48),
        "sealing_key": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "postgres_owner": secrets.token_urlsafe(24),
        "postgres": secrets.token_urlsafe(24),
        "valkey": secrets.token_urlsafe(24),
        "admin": secrets.token_urlsafe(9),
    }
    if fresh.keys() - known.keys():
        known = fresh | known
        write(path, known)
    return known
