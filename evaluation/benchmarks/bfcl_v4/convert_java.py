"""Java source text turned into the value it stands for, as the official checker does it.

What cannot be read stays the text it is, and then fails the check of its type. The quirks are
kept: collections are split at every comma, Array elements declared String keep their quotes.
"""

from __future__ import annotations

import re
from typing import Any

from evaluation.benchmarks.bfcl_v4.convert import (
    MAX_COLLECTION,
    Convert,
    boolean,
    integer,
    number_or_text,
    or_keep,
    pieces,
)

_LONG = re.compile(r"^-?\d+[lL]$")
_FLOAT = re.compile(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]$")
_DOUBLE = re.compile(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$")
_LONG_SUFFIX = re.compile(r"[lL]$")
_FLOAT_SUFFIX = re.compile(r"[fF]$")
_AS_LIST = re.compile(r"new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)")
_NEW_LIST = re.compile(r"new\s+ArrayList<\w*>\(\)")
_LIST_BODY = re.compile(r"new\s+ArrayList<\w*>\(\)\s*\{\{\s*")
_ADD = re.compile(r"add\((.+?)\)")
_ARRAY = re.compile(r"new\s+\w+\[\]\s*\{(.*?)\}")
_NEW_MAP = re.compile(r"new\s+HashMap<.*?>\s*\(\)")
_MAP_START = re.compile(r"new\s+HashMap<")
_MAP_BODY = re.compile(r">\s*\(\)\s*\{\s*\{?\s*")
_PUT = re.compile(r'put\("(.*?)",\s*(.*?)\)')


def converter_for(word: str, element: str | None) -> Convert:
    """The conversion for one declared type word, and the element's type word if it has one.

    The conversion never raises: a text it cannot read comes back unchanged.
    """
    return or_keep(_element_converter(word, element))


def _element_converter(word: str, element: str | None = None) -> Convert:
    if word == "ArrayList":
        return lambda text: _array_list(text, element)
    if word == "Array":
        return lambda text: _array(text, element)
    return _SCALARS.get(word, str)  # String, any, char (which keeps its quotes) stay text


def _long(text: str) -> Any:
    return int(_LONG_SUFFIX.sub("", text)) if _LONG.match(text) else text


def _float(text: str) -> Any:
    return float(_FLOAT_SUFFIX.sub("", text)) if _FLOAT.match(text) else text


def _double(text: str) -> Any:
    return float(text) if _DOUBLE.match(text) else text


def _array_list(text: str, element: str | None) -> Any:
    if len(text) > MAX_COLLECTION:
        return text
    convert = _list_element(element)
    as_list = _AS_LIST.search(text)
    if as_list:
        return [convert(piece) for piece in pieces(as_list.group(1))]
    body = _list_body(text)
    if body is not None:
        return [convert(piece.strip()) for piece in _ADD.findall(body)]
    return [] if _NEW_LIST.search(text) else text


def _list_element(element: str | None) -> Convert:
    if element in ("char", "String"):  # quirk: loses its first and last character, quotes or not
        return lambda piece: piece[1:-1]
    return _element_converter(element) if element else _guess


def _list_body(text: str) -> str | None:
    """What stands between the double braces of an ArrayList with an initialiser."""
    start = _LIST_BODY.search(text)
    if start is None:
        return None
    end = text.find("}}", start.end() + 1)
    return text[start.end() : end] if end >= 0 else None


def _array(text: str, element: str | None) -> Any:
    found = _ARRAY.search(text) if len(text) <= MAX_COLLECTION else None
    if found is None:
        return text
    convert = _element_converter(element) if element else _guess
    return [convert(piece) for piece in pieces(found.group(1)) if piece]


def _hash_map(text: str) -> Any:
    if len(text) > MAX_COLLECTION:
        return text
    body = _map_body(text)
    if body is not None:
        return {key: _guess(value.strip()) for key, value in _PUT.findall(body)}
    return {} if _NEW_MAP.search(text) else text


def _map_body(text: str) -> str | None:
    """What stands between the braces of a HashMap with an initialiser: up to the first brace."""
    start = _MAP_START.search(text)
    body = _MAP_BODY.search(text, start.end()) if start else None
    if body is None:
        return None
    end = text.find("}", body.end())
    return text[body.end() : end] if end >= 0 else None


def _guess(text: str) -> Any:
    """Read an element whose type is not declared."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith('"') and text.endswith('"'):
        return text[1:-1]
    if _LONG.match(text):
        return int(text[:-1])
    if _FLOAT.match(text):
        return _float(text)
    return number_or_text(text)


_SCALARS: dict[str, Convert] = {
    "byte": integer,
    "short": integer,
    "integer": integer,
    "long": _long,
    "float": _float,
    "double": _double,
    "boolean": boolean,
    "HashMap": _hash_map,
}
