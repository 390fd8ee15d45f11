"""JavaScript source text turned into the value it stands for, as the official checker does it.

What cannot be read stays the text it is. Quirks kept: arrays end at the first ``]``, objects at
the first ``}``, and both are split at every comma.
"""

from __future__ import annotations

import re
from typing import Any

from evaluation.benchmarks.bfcl_v4.bracket_groups import end_of_groups
from evaluation.benchmarks.bfcl_v4.convert import (
    MAX_COLLECTION,
    Convert,
    boolean,
    integer,
    number_or_text,
    or_keep,
    pieces,
)

_FLOAT = re.compile(r"^-?\d+(\.\d+)?$")
_BIGINT = re.compile(r"^-?\d+n$")
_GROUPS = re.compile(r"\[\s*\[")
_NEW_GROUPS = re.compile(r"new\s+Array\(\s*\[")
_ROW = re.compile(r"\[(.*?)\]")
_ARRAY = re.compile(r"\[(.*?)\]|new\s+Array\((.*?)\)")
_OBJECT = re.compile(r"\{(.*?)\}")
_PAIR = re.compile(r"([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)")


def converter_for(word: str, element: str | None) -> Convert:
    """The conversion for one declared type word, and the element's type word if it has one.

    The conversion never raises: a text it cannot read comes back unchanged.
    """
    return or_keep(_converter(word, element))


def _converter(word: str, element: str | None = None) -> Convert:
    if word == "array":
        return lambda text: _array(text.strip(), element)
    return _CONVERTERS.get(word, str)  # "any" stays text


def _string(text: str) -> str:
    is_quoted = any(text.startswith(quote) and text.endswith(quote) for quote in ('"', "'"))
    return text[1:-1] if is_quoted else text


def _float(text: str) -> Any:
    return float(text) if _FLOAT.match(text) else text


def _bigint(text: str) -> Any:
    return int(text[:-1]) if _BIGINT.match(text) else text


def _array(text: str, element: str | None) -> Any:
    if len(text) > MAX_COLLECTION:
        return text
    end = _end_of_rows(text)
    if end is not None:
        return [
            _row(piece, is_first=not place) for place, piece in enumerate(_ROW.findall(text[:end]))
        ]
    found = _ARRAY.match(text)
    if found is None:
        return text
    content = (found.group(1) if found.group(1) is not None else found.group(2)).strip()
    convert = _converter(element) if element else _guess
    return [convert(piece) for piece in pieces(content)] if content else []


def _end_of_rows(text: str) -> int | None:
    """Where an array of arrays ends that begins the text; None for any other text."""
    for start, closing in ((_GROUPS, "]"), (_NEW_GROUPS, ")")):
        found = start.match(text)
        if found:
            return end_of_groups(text, found.end(), "[]", closing, within_line=True)
    return None


def _row(content: str, *, is_first: bool) -> list[Any]:
    """Quirk: the outer bracket is part of the first row's text; elements are always guessed."""
    content = content.strip()
    if is_first and content.startswith("["):
        content = content[1:]
    return [_guess(piece) for piece in pieces(content)]


def _object(text: str) -> Any:
    text = text.strip()
    found = _OBJECT.match(text) if len(text) <= MAX_COLLECTION else None
    if found is None:
        return text
    return {
        key.strip().strip("'\""): _object_value(value.strip())
        for key, value in _PAIR.findall(found.group(1))
    }


def _object_value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return _array(text, None)
    if text.startswith("{") and text.endswith("}"):
        return _object(text)
    return _guess(text.strip("'\""))  # quirk: the quotes go first, so "5" becomes 5


def _guess(text: str) -> Any:
    """Read an element whose type is not declared."""
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if _string(text) != text:
        return text[1:-1]
    return number_or_text(text)


_CONVERTERS: dict[str, Convert] = {
    "String": _string,
    "integer": integer,
    "float": _float,
    "Bigint": _bigint,
    "Boolean": boolean,
    "dict": _object,
}
