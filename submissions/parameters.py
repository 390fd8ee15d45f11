"""Sampling parameters as people write them: a JSON object, or one `name = value` a line."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import ValidationError

MAX_TEXT = 4_000  # characters; the allow-list is short, and so is everything one can set in it


def read_parameters(text: str) -> dict[str, Any]:
    """Return the parameters written in `text`; which names are allowed is asked elsewhere.

    Raises:
        ValidationError: The text cannot be read; the message says which part and how to mend it.
    """
    text = text.strip()
    if not text:
        return {}
    return _read_object(text) if text.startswith("{") else _read_lines(text)


def write_parameters(parameters: dict[str, Any]) -> str:
    """The inverse of read_parameters, one `name = value` a line."""
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in parameters.items())


def _read_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValidationError("These parameters are nested too deeply to be read.") from error
    except ValueError as error:
        raise ValidationError(
            'This is not valid JSON. Write an object such as {"temperature": 0.2}, '
            "or one name = value a line."
        ) from error
    if not isinstance(value, dict):
        raise ValidationError('Write a JSON object such as {"temperature": 0.2}.')
    return value


def _read_lines(text: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, equals, value = (part.strip() for part in line.partition("="))
        if not (equals and name and value):
            raise ValidationError(
                "“%(line)s” is not a parameter. Write one name = value a line, "
                "such as temperature = 0.2.",
                params={"line": line[:60]},
            )
        if name in parameters:
            raise ValidationError("“%(name)s” is set twice.", params={"name": name[:60]})
        parameters[name] = _read_value(value)
    return parameters


def _read_value(text: str) -> Any:
    """A JSON value where it is one, else the text itself: `reasoning_effort = high` is meant."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")
