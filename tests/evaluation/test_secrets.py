"""Keys are sealed, opened, and moved to newer keys."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from evaluation.secrets import CannotOpen, open_sealed, reseal, seal

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
SECRET = "sk-0123456789abcdef"


def test_what_was_sealed_opens_again(settings: Settings) -> None:
    settings.CALLBOARD_KEYS = [NEW]

    sealed = seal(SECRET)

    assert open_sealed(sealed) == SECRET
    assert open_sealed(memoryview(sealed)) == SECRET
    assert SECRET.encode() not in sealed


def test_sealing_twice_gives_different_bytes(settings: Settings) -> None:
    settings.CALLBOARD_KEYS = [NEW]

    assert seal(SECRET) != seal(SECRET)


def test_an_older_key_still_opens_and_resealing_retires_it(settings: Settings) -> None:
    settings.CALLBOARD_KEYS = [OLD]
    sealed = seal(SECRET)
    settings.CALLBOARD_KEYS = [NEW, OLD]
    moved = reseal(sealed)

    settings.CALLBOARD_KEYS = [NEW]

    assert open_sealed(moved) == SECRET
    with pytest.raises(CannotOpen):
        open_sealed(sealed)


@pytest.mark.parametrize("damaged", [b"", b"nonsense", b"gAAAAA" + b"x" * 100])
def test_damaged_bytes_get_a_sentence(settings: Settings, damaged: bytes) -> None:
    settings.CALLBOARD_KEYS = [NEW]

    with pytest.raises(CannotOpen, match="enter it again"):
        open_sealed(damaged)


@pytest.mark.parametrize("keys", [[], ["no key"], [""]])
def test_keys_that_are_none_are_named_as_the_fault(settings: Settings, keys: list[str]) -> None:
    settings.CALLBOARD_KEYS = keys

    with pytest.raises(ImproperlyConfigured, match="CALLBOARD_KEYS"):
        seal(SECRET)
