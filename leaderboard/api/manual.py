"""The API's description as a page shows it. Pure: an OpenAPI document in, sections out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str  # query or path
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One address: what it gives, what it takes, and an answer to look at."""

    path: str
    summary: str
    parameters: tuple[Parameter, ...]
    example: str  # JSON, indented


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    operations: tuple[Operation, ...]


def sections(document: Mapping[str, Any]) -> list[Section]:
    """The description's operations by resource, in the order of their addresses."""
    found = [(path, item["get"]) for path, item in document["paths"].items() if "get" in item]
    return [
        Section(str(tag).capitalize(), tuple(_operation(path, one) for path, one in pairs))
        for tag, pairs in groupby(found, key=lambda pair: pair[1]["tags"][0])
    ]


def _operation(path: str, operation: Mapping[str, Any]) -> Operation:
    parameters = tuple(_parameters(operation))
    return Operation(path, operation.get("summary", ""), parameters, _example(operation))


def _parameters(operation: Mapping[str, Any]) -> Iterator[Parameter]:
    for one in operation.get("parameters", ()):
        if one["in"] != "header":
            kind = _kind(one.get("schema", {}))
            said = one.get("description", "").replace("`", "")
            yield Parameter(one["name"], one["in"], kind, _without_choices(said))


def _without_choices(text: str) -> str:
    """Allowed values stand in a column of their own."""
    lines = (line for line in text.splitlines() if not line.startswith("* "))
    return " ".join(line for line in lines if line)


def _kind(schema: Mapping[str, Any]) -> str:
    if values := schema.get("enum"):
        return ", ".join(str(value) for value in values if value not in ("", None))
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _example(operation: Mapping[str, Any]) -> str:
    content = operation["responses"]["200"].get("content", {}).get("application/json", {})
    for example in content.get("examples", {}).values():
        return json.dumps(example.get("value"), ensure_ascii=False, indent=2)
    return ""
