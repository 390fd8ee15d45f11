"""API keys at rest: sealed before they reach the database, opened by the runner alone."""

from __future__ import annotations

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class CannotOpen(Exception):
    """A sealed key that none of our keys opens; the message says what to do."""


def seal(secret: str, bound_to: str = "") -> bytes:
    """Encrypt a secret with the newest of settings.CALLBOARD_KEYS.

    What it is bound to is sealed with it: moved beside another address, it does not open.
    """
    return _fernet().encrypt(f"{bound_to}\n{secret}".encode())


def open_sealed(sealed: bytes | memoryview, bound_to: str | None = None) -> str:
    """The secret that `seal` closed, also under an older key that is still listed.

    Raises:
        CannotOpen: It was sealed with a key we no longer have, for something else than
            `bound_to`, or is damaged.
    """
    bound, secret = _opened(sealed).split("\n", 1)
    if bound_to is not None and bound != bound_to:
        raise CannotOpen(
            "This API key was given for another address: enter it again for this endpoint."
        )
    return secret


def reseal(sealed: bytes | memoryview) -> bytes:
    """The same secret under the newest key, so that older keys can be retired.

    Raises:
        CannotOpen: As `open_sealed`.
    """
    bound, secret = _opened(sealed).split("\n", 1)
    return seal(secret, bound)


def _opened(sealed: bytes | memoryview) -> str:
    try:
        text = _fernet().decrypt(bytes(sealed)).decode()
    except (InvalidToken, UnicodeDecodeError) as error:
        raise CannotOpen(
            "This API key can no longer be opened: enter it again for this endpoint."
        ) from error
    return text if "\n" in text else f"\n{text}"


def _fernet() -> MultiFernet:
    """Raises ImproperlyConfigured when there is no key, or none that Fernet can use."""
    keys = list(getattr(settings, "CALLBOARD_KEYS", ()))
    if not keys:
        raise ImproperlyConfigured("Set CALLBOARD_KEYS to one or more keys, the newest first.")
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError as error:
        raise ImproperlyConfigured(
            "CALLBOARD_KEYS holds something that is no key: make keys with Fernet.generate_key()."
        ) from error
