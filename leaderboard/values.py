"""Values of calls as text: how they are written, and when two of them read alike. Pure."""

from __future__ import annotations

import json
import re

from evaluation.engine.types import JSON

LONGEST = 2_000  # characters of one value on a page
IGNORED = re.compile(r"[ ,./\-_*^'\"“”‘’()]")
KINDS: dict[type, str] = {
    str: "text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    type(None): "nothing",
    list: "a list",
    dict: "an object",
}


def as_text(value: JSON) -> str:
    """A value as JSON text, cut where it is longer than a page can bear."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value).__name__)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def plainly(text: str) -> str:
    """A text without what suites do not look at: case, blanks, punctuation."""
    return IGNORED.sub("", text).lower()


def listed(values: JSON) -> list[JSON]:
    """Alternatives as a list, also where there is only one."""
    return values if isinstance(values, list) else [values]


def hint(value: JSON, alternatives: JSON) -> str:
    """For a value that reads like an accepted one and is of another type: true and "True"."""
    kind = KINDS.get(type(value), "")
    for wanted in listed(alternatives):
        accepted = KINDS.get(type(wanted), "")
        if _letters(value) == _letters(wanted):
            return f"{kind}; accepted is {accepted}" if kind != accepted else "of other types"
    return ""


def _letters(value: JSON) -> str:
    """How a value reads without quotation marks and case: Python's True as JSON's true."""
    text = plainly(value if isinstance(value, str) else as_text(value))
    return {"none": "null"}.get(text, text)
