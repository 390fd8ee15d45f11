"""Accepted answers written in the formats of format sensitivity."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Calls = Sequence[tuple[str, Mapping[str, Any]]]


def answer_to(case: Any) -> str:
    """A right answer in the format that the case asks for, as far as its values can be written."""
    from tests.bench.scoring import arguments_of

    calls = [
        (name, arguments_of(accepted)) for call in case.answer for name, accepted in call.items()
    ]
    return written(case.id, calls)


def written(case_id: str, calls: Calls) -> str:
    """Calls in the format that a case asks for."""
    from evaluation.benchmarks.bfcl_v4 import formats

    form = formats.of_case(case_id)
    text = _WRITERS[form.returns](calls)
    return f"<TOOLCALL>{text}</TOOLCALL>" if form.has_tag else text


def _as_python(calls: Calls) -> str:
    written = (
        f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
        for name, arguments in calls
    )
    return f"[{', '.join(written)}]"


def _as_json(calls: Calls) -> str:
    return json.dumps([{"function": name, "parameters": dict(given)} for name, given in calls])


def _as_verbose_xml(calls: Calls) -> str:
    def one(key: str, value: Any) -> str:
        return (
            f'<param name={quoteattr(key)} value={quoteattr(str(value))} type="{_word(value)}"/>'
        )

    return _as_xml(calls, one, "<params>{}</params>")


def _as_concise_xml(calls: Calls) -> str:
    def one(key: str, value: Any) -> str:
        return f'<param name={quoteattr(key)} type="{_word(value)}">{escape(str(value))}</param>'

    return _as_xml(calls, one, "{}")


def _as_xml(calls: Calls, one: Any, around: str) -> str:
    written = (
        f"<function name={quoteattr(name)}>"
        f"{around.format(''.join(one(key, value) for key, value in arguments.items()))}</function>"
        for name, arguments in calls
    )
    return f"<functions>{''.join(written)}</functions>"


_WORDS = {bool: "boolean", int: "integer", float: "float", list: "array", dict: "dict"}


def _word(value: Any) -> str:
    return _WORDS.get(type(value), "string")


_WRITERS = {
    "python": _as_python,
    "json": _as_json,
    "verbose_xml": _as_verbose_xml,
    "concise_xml": _as_concise_xml,
}
