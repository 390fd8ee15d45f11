"""A step's result value as call texts to execute (officially `decode_execute`).

The call texts are what simulated worlds execute, what prompt mode shows back to the model, and
what multi-turn verdicts are reached from. The official quirks are kept, one comment each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable, decode, padded
from evaluation.engine.types import JSON, Mode


def call_texts(result: JSON, mode: Mode) -> list[str]:
    """Read one step's result value as call texts; an empty list where it holds no call.

    Raises:
        Undecodable: The value cannot be read as calls, which ends a turn like an empty one.
    """
    try:
        if mode is Mode.FC:
            return _from_tool_calls(result)
        return [_rendered(*pair) for call in decode(padded(result)) for pair in call.items()]
    except (AttributeError, IndexError, TypeError, ValueError, RecursionError) as error:
        raise Undecodable(f"the step cannot be read as calls: {error}") from error


def is_empty(steps: Sequence[Sequence[object]]) -> bool:
    """True for nothing, and for a single item that holds nothing (but not for two of them)."""
    return not steps or (len(steps) == 1 and not steps[0])


def _from_tool_calls(result: JSON) -> list[str]:
    """Quirk: one object may hold several calls, and may stand without a list around it."""
    calls = [result] if type(result) is dict else result
    texts = []
    for call in calls:
        for name, written in call.items():
            arguments = json.loads(written) if type(written) is str else written
            pairs = ",".join(f"{key}={value!r}" for key, value in arguments.items())
            texts.append(f"{name}({pairs})")
    return texts


def _rendered(name: str, arguments: dict[Any, Any]) -> str:
    pairs = ", ".join(f"{key}={_value(value)}" for key, value in arguments.items())
    return f"{name}({pairs})"


def _value(value: Any) -> str:
    """Quirk: a dict of dicts is taken for a nested call, and an empty dict cannot be read."""
    if not isinstance(value, dict):
        return repr(value)
    if all(isinstance(inner, dict) for inner in value.values()):
        name, arguments = list(value.items())[0]  # noqa: RUF015 - IndexError is the quirk
        return _rendered(name, arguments)
    return "{" + ", ".join(f"'{key}': {_value(inner)}" for key, inner in value.items()) + "}"
