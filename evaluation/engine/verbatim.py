"""Whether a result is the accepted answer letter by letter, as a made-up file would have it.

Accepted answers list what each argument may be; whoever copies them takes the first of each, in
the order in which they stand there. A model writes some of its arguments otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from evaluation.engine.types import JSON

LEFT_OUT = ""  # as a first choice: the argument is best not given
SPACE = re.compile(r"\s+")


def is_verbatim(result: JSON, accepted: JSON) -> bool | None:
    """None where the question has no accepted answer that could be copied.

    Args:
        result: The official result value: calls, text, or turns of steps of either.
        accepted: Calls with choices for each argument, or turns of calls as text.
    """
    if not isinstance(accepted, list) or not accepted:
        return None
    if all(isinstance(one, Mapping) for one in accepted):
        return _written(result) == [_first_choice(one) for one in accepted]
    if all(isinstance(turn, list) for turn in accepted) and isinstance(result, list):
        nothing: list[JSON] = []
        turns = zip_longest(result, accepted, fillvalue=nothing)
        return all(_turn(steps) == [_plain(call) for call in calls] for steps, calls in turns)
    return None


def _first_choice(call: Mapping[str, JSON]) -> str:
    name, arguments = next(iter(call.items()), ("", {}))
    if not isinstance(arguments, Mapping):
        return ""
    chosen = {
        key: choices[0]
        for key, choices in arguments.items()
        if isinstance(choices, list) and choices and choices[0] != LEFT_OUT
    }
    return _call(name, chosen)


def _written(result: JSON) -> list[str]:
    """Calls as text in one spelling; what is neither calls nor text gives nothing."""
    if isinstance(result, str):
        return [_plain(result.strip().removeprefix("[").removesuffix("]"))] if result else []
    calls = result if isinstance(result, Sequence) else ()
    return [text for call in calls if isinstance(call, Mapping) for text in _from_fc(call)]


def _from_fc(call: Mapping[str, JSON]) -> Iterator[str]:
    for name, text in call.items():
        try:
            arguments = json.loads(text) if isinstance(text, str) else text
        except (ValueError, RecursionError):
            arguments = None
        yield _call(name, arguments) if isinstance(arguments, Mapping) else str(text)


def _turn(steps: JSON) -> list[str]:
    if not isinstance(steps, list):
        return []
    return [call for step in steps for call in _written(step)]


def _call(name: str, arguments: Mapping[str, JSON]) -> str:
    inside = ",".join(f"{key}={value!r}" for key, value in arguments.items())
    return _plain(f"{name}({inside})")


def _plain(call: JSON) -> str:
    """Without spaces, and with dots as they travel in names of functions."""
    name, bracket, rest = SPACE.sub("", str(call)).partition("(")
    return name.replace(".", "_") + bracket + rest
