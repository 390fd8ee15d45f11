"""Prompt mode's JSON format: ``[{"function": name, "parameters": {…}}, …]``."""

from __future__ import annotations

import json
import re
from typing import Any

from evaluation.benchmarks.bfcl_v4.bracket_groups import end_of_groups
from evaluation.benchmarks.bfcl_v4.decode_python import Decoded, Undecodable

_START = re.compile(r"\[\s*\{")


def decode(text: str) -> Decoded:
    """Read the first list of objects in the text.

    Quirks: text that is no JSON holds no calls, which is not an error; a list that ends inside
    an argument can cut the text short.

    Raises:
        Undecodable: JSON, but without a function's name or parameters.
    """
    try:
        found = json.loads(_objects(_outermost_list(text)))
    except json.JSONDecodeError:
        return []
    except (ValueError, RecursionError) as error:
        raise Undecodable("the reply's JSON cannot be read") from error
    if not isinstance(found, list | dict | str):
        raise Undecodable("the reply's JSON is no list of calls")
    return [_call(entry) for entry in found if isinstance(entry, dict)]


def _outermost_list(text: str) -> str:
    """From the first opening to the last closing bracket, where both are in that order."""
    first, last = text.find("["), text.rfind("]")
    return text[first : last + 1] if 0 <= first < last else text


def _objects(text: str) -> str:
    """The first list of objects, each ending as early as it can; the text where there is none."""
    start = _START.search(text)
    end = end_of_groups(text, start.end(), "{}", "]", within_line=False) if start else None
    return text[start.start() : end] if start and end is not None else text


def _call(entry: dict[str, Any]) -> dict[Any, Any]:
    try:
        return {entry["function"]: entry["parameters"]}
    except (KeyError, TypeError) as error:
        raise Undecodable("a call lacks its function or its parameters") from error
