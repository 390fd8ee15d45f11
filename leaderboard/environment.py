"""How environment variables are read into settings, and refused in one sentence."""

from __future__ import annotations

import os
from urllib.parse import parse_qsl, unquote, urlsplit

from cryptography.fernet import Fernet, MultiFernet
from django.core.exceptions import ImproperlyConfigured


def required(name: str, *, local: str | None, what: str) -> str:
    """The variable; `local` in its place on one machine, where it is not None.

    Raises:
        ImproperlyConfigured: It is missing; `what` says what to do.
    """
    value = os.environ.get(name, "").strip() or local
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: {what}")
    return value


def listed(text: str) -> list[str]:
    """What stands between the commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def sealing_keys(text: str) -> list[str]:
    """Fernet keys, checked: a site that cannot open its secrets should not start."""
    keys = listed(text)
    try:
        MultiFernet([Fernet(key) for key in keys])
    except ValueError:
        sentence = "CALLBOARD_KEYS holds something that is no Fernet key: docs/operations.md."
        raise ImproperlyConfigured(sentence) from None
    return keys


def database(url: str) -> dict[str, object]:
    """A PostgreSQL address as Django wants it; its query string goes to libpq (sslmode=…)."""
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,  # a restarted server is met by a new connection, not an error
        "OPTIONS": {"connect_timeout": 5, **dict(parse_qsl(parts.query))},
    }
