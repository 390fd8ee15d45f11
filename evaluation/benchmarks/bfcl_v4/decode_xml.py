"""Prompt mode's two XML formats, ``<functions><function name="…">…</function></functions>``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from evaluation.benchmarks.bfcl_v4.decode_python import Decoded, Undecodable
from evaluation.engine.literals import literal

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_OPENING, _CLOSING = "<functions>", "</functions>"


def decode_verbose(text: str) -> Decoded:
    """Read arguments given as ``<param name="…" value="…" type="…"/>``, in `<params>` or not.

    Raises:
        Undecodable: No `<functions>` element, no XML, or a value not of its stated type.
    """
    return _decode(text, _verbose_arguments)


def decode_concise(text: str) -> Decoded:
    """Read arguments given as ``<param name="…" type="…">value</param>``.

    Raises:
        Undecodable: No `<functions>` element, no XML, or a value not of its stated type.
    """
    return _decode(text, _concise_arguments)


def _decode(text: str, arguments: Callable[[Element], Iterator[tuple[Any, Any]]]) -> Decoded:
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(_element(text))
        return [
            {function.attrib["name"]: dict(arguments(function))}
            for function in root.findall("function")
        ]
    except KeyError as error:
        raise Undecodable(f"an element lacks its {error.args[0]}") from error
    except (ParseError, ValueError, TypeError, RecursionError) as error:
        raise Undecodable("the reply's XML, or a value in it, cannot be read") from error


def _element(text: str) -> str:
    start = text.find(_OPENING)
    end = text.find(_CLOSING, start + len(_OPENING)) if start >= 0 else -1
    if end < 0:
        raise Undecodable(f"the reply has no {_OPENING} element")
    return text[start : end + len(_CLOSING)]


def _verbose_arguments(function: Element) -> Iterator[tuple[Any, Any]]:
    container = function.find("params")
    for parameter in (function if container is None else container).findall("param"):
        word = parameter.attrib.get("type", "string")
        yield parameter.attrib.get("name"), _typed(parameter.attrib.get("value", ""), word)


def _concise_arguments(function: Element) -> Iterator[tuple[Any, Any]]:
    for parameter in function.findall("param"):
        word = parameter.attrib.get("type", "string")
        yield parameter.attrib["name"], _typed((parameter.text or "").strip(), word)


def _typed(text: str, word: str) -> Any:
    read = _READERS.get(word)
    return text if read is None else read(text)


_READERS: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "float": float,
    "boolean": lambda text: text.lower() == "true",
    "null": lambda text: None,
    "array": literal,
    "tuple": literal,
    "object": literal,
    "dict": literal,
}
