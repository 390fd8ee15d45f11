"""A line of a result file: what is kept of it, and what is wrong with it, in a sentence."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from evaluation.engine.stats import flat
from evaluation.engine.types import JSON

MAX_DEPTH = 100  # brackets open at once
MAX_ERROR = 2_000  # characters kept of what a failed request said
MAX_COUNT = 2**31 - 1
FIGURES = ("input_token_count", "output_token_count", "latency")
ERROR_TEXT = "Error during inference:"  # the official generator's result for a failed request
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Result:
    """One case's result line, held small: hostile values take many times the room of their text.

    `body` is the zlib-compressed JSON text of the result value. Numbers are sums over the case;
    where the line has lists of them, turn by turn and step by step, `figures` is their JSON text.
    """

    id: str
    body: bytes
    is_error: bool = False  # the generator failed, not the model: neither right nor wrong
    error: str = ""  # what it said then
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency: float | None = None  # seconds
    figures: str = ""

    @property
    def result(self) -> JSON:
        return json.loads(zlib.decompress(self.body))


def parse(line: bytes) -> Result:
    """One line as a result. Raises ValueError with a sentence."""
    if _depth(line) > MAX_DEPTH:
        raise ValueError(f"it nests deeper than {MAX_DEPTH} levels.")
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _NotANumber) else "it is not JSON."
        raise ValueError(reason) from error
    if not isinstance(row, dict):
        raise ValueError("a line is an object with “id” and “result”; this one is not.")
    if not isinstance(row.get("id"), str):
        raise ValueError("“id” is missing or no text.")
    if "result" not in row:
        raise ValueError(f"{shown_id(row['id'])} has no “result”.")
    result = row["result"]
    is_error = isinstance(result, str) and result.startswith(ERROR_TEXT)
    figures = {name: numbers(row, name) for name in FIGURES}
    has_lists = any(isinstance(value, list) for value in figures.values())
    return Result(
        id=row["id"],
        body=zlib.compress(json.dumps(result).encode()),
        is_error=is_error,
        error=result[:MAX_ERROR] if is_error else "",
        tokens_in=_whole(figures["input_token_count"]),
        tokens_out=_whole(figures["output_token_count"]),
        latency=_sum(figures["latency"]),
        figures=json.dumps(figures, separators=(",", ":")) if has_lists else "",
    )


class _NotANumber(ValueError):
    """NaN or Infinity in a line: no JSON, and poison for every later sum."""


def _refuse_constant(name: str) -> NoReturn:
    raise _NotANumber(f"{name} is not JSON; give a number or null.")


def _depth(line: bytes) -> int:
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for match in _BRACKETS.finditer(line):
        if match[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in b"]}":
            depth -= 1
    return deepest


def numbers(row: Mapping[str, JSON], name: str) -> JSON:
    """A count or time: a number ≥ 0, or lists of such. Raises ValueError."""
    value = row.get(name)
    if value is None:
        return None
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending.extend(each)
        elif each is not None and (isinstance(each, bool) or not _is_amount(each)):
            raise ValueError(f"“{name}” of {shown_id(row['id'])} is no number of at least 0.")
    return value


def _sum(value: JSON) -> float | None:
    numbers = flat(value)
    return float(sum(numbers)) if numbers else None


def _whole(value: JSON) -> int | None:
    """A count as a database can hold it; a larger one is no count."""
    total = _sum(value)
    return int(total) if total is not None and total <= MAX_COUNT else None


def _is_amount(value: JSON) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e12


def shown_id(text: str) -> str:
    """An id as it may stand in a sentence: short, printable."""
    return "".join(letter if letter.isprintable() else "�" for letter in text[:80])
