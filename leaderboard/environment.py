"""How environment variables are read into settings, and refused in one sentence."""

from __future__ import annotations

import os
from urllib.parse import parse_qsl, unquote, urlsplit

from cryptography.fernet import Fernet, MultiFernet
from django.core.exceptions import ImproperlyConfigured

DEBUG = os.environ.get("CALLBOARD_DEBUG") == "1"
LOCAL = DEBUG or os.environ.get("CALLBOARD_LOCAL") == "1"  # one machine, plain http on loopback
BEHIND_PROXY = os.environ.get("CALLBOARD_BEHIND_PROXY") == "1"


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


def number(name: str, default: int) -> int:
    """A whole number, 0 or more. Raises ImproperlyConfigured."""
    text = os.environ.get(name, "").strip() or str(default)
    if not text.isdecimal():
        raise ImproperlyConfigured(f"{name} is {text!r}: give a whole number, 0 for no limit.")
    return int(text)


def limits(what: str, **defaults: int) -> dict[str, int]:
    """A limit per account, organisation and host: CALLBOARD_ACCOUNT_RUNS and so on."""
    return {
        whose: number(f"CALLBOARD_{whose.upper()}_{what}", default)
        for whose, default in defaults.items()
    }


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


def mail(url: str, *, local: bool) -> dict[str, object]:
    """Django's settings of a mail server, smtp://user:password@host:port (STARTTLS) or smtps://.

    Without one, mail goes to files on one machine, and nowhere in production.

    Raises:
        ImproperlyConfigured: It is the address of no mail server.
    """
    if not url:
        kind = "filebased" if local else "dummy"
        return {"EMAIL_BACKEND": f"django.core.mail.backends.{kind}.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ImproperlyConfigured(
            "CALLBOARD_MAIL is no mail server: write smtp://user:password@host:587."
        )
    is_tls = parts.scheme == "smtps"
    is_plain = dict(parse_qsl(parts.query)).get("starttls") == "no"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if is_tls else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": is_tls,
        "EMAIL_USE_TLS": not is_tls and not is_plain,
        "EMAIL_TIMEOUT": 10,
    }
