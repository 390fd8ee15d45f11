"""A result value read as calls, by mode, language and prompt configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evaluation.benchmarks.bfcl_v4 import (
    decode_fc,
    decode_java,
    decode_javascript,
    decode_json,
    decode_python,
    decode_xml,
)
from evaluation.benchmarks.bfcl_v4.decode_python import Decoded, Undecodable, padded
from evaluation.engine.types import Mode

__all__ = ["Decoded", "Undecodable", "calls_in", "is_calls"]

_TAG, _END_TAG = "<TOOLCALL>", "</TOOLCALL>"
_DECODERS: dict[str, Callable[[str], object]] = {
    "python": decode_python.decode,
    "java": decode_java.decode,
    "javascript": decode_javascript.decode,
    "json": decode_json.decode,
    "verbose_xml": decode_xml.decode_verbose,
    "concise_xml": decode_xml.decode_concise,
}


def calls_in(result: object, mode: Mode, form: str = "python", *, has_tag: bool = False) -> Any:
    """Decode one step's result value into ``[{name: {parameter: value}}, …]``.

    What comes back need not have that shape: `is_calls` tells.

    Args:
        result: The official result value: a list of calls or a text.
        form: In prompt mode, the format of the answer: a language or a return format.
        has_tag: In prompt mode, whether the calls stand between TOOLCALL tags.

    Raises:
        Undecodable: It cannot be read; the message says why.
        BenchmarkMissing: Reading this language needs a package that is not installed.
    """
    if mode == Mode.FC:
        return decode_fc.decode(result)
    text = padded(result)
    try:
        return _DECODERS[form](_tagged(text) if has_tag else text)
    except RecursionError as error:
        raise Undecodable("the reply is nested too deeply") from error


def _tagged(text: str) -> str:
    """What stands between the first tags. Quirk: brackets were added before, outside of them."""
    start = text.find(_TAG)
    end = text.find(_END_TAG, start + len(_TAG)) if start >= 0 else -1
    if end < 0:
        raise Undecodable(f"the reply has no {_TAG} element")
    return text[start + len(_TAG) : end].strip()


def is_calls(decoded: object) -> bool:
    """Whether a decoded value is a list of dicts with one key, each holding a dict."""
    return type(decoded) is list and all(
        type(call) is dict and len(call) == 1 and type(next(iter(call.values()))) is dict
        for call in decoded
    )
