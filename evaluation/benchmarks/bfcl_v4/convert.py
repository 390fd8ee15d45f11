"""What reading Java values and JavaScript values has in common."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Convert = Callable[[str], Any]

MAX_COLLECTION = 4_000  # characters of a collection that are read; longer ones stay text

_INTEGER = re.compile(r"^-?\d+$")


def or_keep(convert: Convert) -> Convert:
    """The same conversion, never raising: a text it cannot read comes back unchanged."""

    def convert_or_keep(text: str) -> Any:
        try:
            return convert(text)
        # The official checker would crash on these; here the text fails the check of its type.
        except (ValueError, OverflowError, RecursionError):
            return text

    return convert_or_keep


def pieces(content: str) -> list[str]:
    """The elements of a collection. Quirk: every comma parts them, also one within quotes."""
    return [piece.strip() for piece in content.split(",")]


def integer(text: str) -> Any:
    return int(text) if _INTEGER.match(text) else text


def boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


def number_or_text(text: str) -> Any:
    """An element whose type is not declared, once it is no word and no quoted text."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
