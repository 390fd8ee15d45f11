"""Values of a model's answer as text a reader can be shown: bounded, and never raising."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from math import isfinite

from evaluation.engine.types import JSON

SHOWN_CHARACTERS = 120  # longest text of one value in a sentence
SHOWN_ITEMS = 6  # most items of one collection in a sentence
SHOWN_DEPTH = 4
PLAIN_DEPTH = 40  # deepest nesting handed on for display; deeper is cut with an ellipsis
PLAIN_BITS = 4096  # integers beyond are described, not written out
ELLIPSIS = "…"
_BRACKETS = {list: ("[", "]"), tuple: ("(", ")")}


def shown(value: object) -> str:
    """Name a value in a sentence: like `repr`, but short, and safe for every value."""
    return _cut(_shown(value, 0))


def _shown(value: object, depth: int) -> str:
    if isinstance(value, str):
        return _cut(repr(value[: SHOWN_CHARACTERS + 1]))
    if isinstance(value, dict | list | tuple | set | frozenset):
        return _shown_collection(value, depth)
    if isinstance(value, int) and value.bit_length() > PLAIN_BITS:
        return _long_integer(value)
    return "null" if value is None else _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + ELLIPSIS


def _shown_collection(
    value: dict[object, object]
    | list[object]
    | tuple[object, ...]
    | set[object]
    | frozenset[object],
    depth: int,
) -> str:
    opening, closing = _BRACKETS.get(type(value), ("{", "}"))
    if depth >= SHOWN_DEPTH:
        return f"{opening}{ELLIPSIS}{closing}"
    if isinstance(value, dict):
        items = [
            f"{_shown(key, depth + 1)}: {_shown(item, depth + 1)}"
            for key, item in islice(value.items(), SHOWN_ITEMS)
        ]
    else:
        items = [_shown(item, depth + 1) for item in islice(value, SHOWN_ITEMS)]
    if len(value) > SHOWN_ITEMS:
        items.append(ELLIPSIS)
    return opening + ", ".join(items) + closing


def _long_integer(value: int) -> str:
    return f"an integer of {value.bit_length()} bits"


def plain(value: object, depth: int = 0) -> JSON:
    """Turn any decoded value into strict JSON: no tuples, bytes, NaN, huge integers, odd keys.

    Made for display only: what JSON cannot hold becomes the text a reader would expect.
    """
    if depth > PLAIN_DEPTH:
        return ELLIPSIS
    if isinstance(value, Mapping):
        return {_plain_key(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, depth + 1) for item in value]
    return _plain_scalar(value)


def _plain_key(key: object) -> str:
    scalar = key if isinstance(key, str) else shown(key)
    return storable(scalar)


def _plain_scalar(value: object) -> JSON:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int):
        return value if value.bit_length() <= PLAIN_BITS else _long_integer(value)
    if isinstance(value, float) and isfinite(value):
        return value
    return shown(value)


def storable(text: str) -> str:
    """Replace lone surrogates and NUL: neither UTF-8 nor PostgreSQL can hold them."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
