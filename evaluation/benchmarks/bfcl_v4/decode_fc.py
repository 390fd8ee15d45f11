"""FC mode: a stored result ``[{name: "<arguments as JSON text>"}, …]`` read as calls."""

from __future__ import annotations

import json
from typing import Any

from evaluation.benchmarks.bfcl_v4.decode_python import Decoded, Undecodable


def decode(result: object) -> Decoded:
    """Parse the arguments of each call; a reply text is not a list of calls.

    Python's own reading of JSON is the official one: NaN counts, a repeated key's last value
    wins, integers stay exact. Arguments that are no object are kept for the format test.

    Raises:
        Undecodable: Not calls, or arguments that are no JSON.
    """
    if not isinstance(result, list | str | dict):
        raise Undecodable("the result holds no calls")
    return [_call(entry) for entry in result]  # an empty text holds no call, like an empty list


def _call(entry: object) -> dict[str, Any]:
    if not isinstance(entry, dict) or not entry:
        raise Undecodable("the reply is text and holds no calls")
    name, arguments = next(iter(entry.items()))
    if not isinstance(arguments, str):
        raise Undecodable(f"the arguments of {str(name)[:100]} are not a JSON text")
    try:
        return {name: json.loads(arguments)}
    except (ValueError, RecursionError) as error:
        raise Undecodable(f"the arguments of {str(name)[:100]} are not valid JSON") from error
