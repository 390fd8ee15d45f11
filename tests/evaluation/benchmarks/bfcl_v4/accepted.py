"""Answers made of a case's accepted ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evaluation.benchmarks.bfcl_v4 import tree
from evaluation.engine.types import CaseData
from tests.evaluation.benchmarks.bfcl_v4.setups import called

OMITTED = ""
WITH_CALLS = [name for name in tree.SINGLE_TURN if "relevance" not in name and "java" not in name]


def first_value(options: list[Any]) -> Any:
    return next((option for option in options if option != OMITTED), OMITTED)


def value_of(options: list[Any]) -> Any:
    """A value made of the first accepted one; accepted dicts hold lists of accepted values."""
    return built(first_value(options))


def built(value: Any) -> Any:
    if isinstance(value, dict):
        chosen = {
            key: first_value(options)
            for key, options in value.items()
            if isinstance(options, list)
        }
        return {key: item for key, item in chosen.items() if item != OMITTED}
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return [built(item) for item in value]
    return value


def accepted_calls(
    case: CaseData, *, minimal: bool = True, dots: bool = False
) -> list[dict[str, str]]:
    """FC calls made of a case's first accepted values, leaving out what may be, if minimal."""
    calls = [_accepted_call(case, name, arguments, minimal) for name, arguments in pairs(case)]
    if not dots:
        calls = [{name.replace(".", "_"): text for name, text in call.items()} for call in calls]
    return calls


def pairs(case: CaseData) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    for call in case.answer:
        yield from call.items()


def _accepted_call(
    case: CaseData, name: str, accepted: dict[str, list[Any]], minimal: bool
) -> dict[str, str]:
    function = next(doc for doc in case.question["function"] if doc["name"] == name)
    required = function["parameters"]["required"]
    known = function["parameters"]["properties"]

    def is_kept(options: list[Any]) -> bool:
        return OMITTED not in options or (not minimal and first_value(options) != OMITTED)

    kept = {
        key: value_of(options)
        for key, options in accepted.items()
        if key in required or (key in known and is_kept(options))
    }
    return called(name, **kept)


def as_text(calls: list[dict[str, str]]) -> str:
    """The same calls as a reply in prompt mode."""
    made = [
        f"{name}({', '.join(f'{key}={value!r}' for key, value in json.loads(text).items())})"
        for call in calls
        for name, text in call.items()
    ]
    return f"[{', '.join(made)}]"
