"""The API's description as a page shows it. Pure: an OpenAPI document in, sections out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

METHODS = ("get", "post")


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str  # query, path, body or form
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One door: what it gives, what it takes, and an answer to look at."""

    method: str
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
    found = [
        (path, method, one)
        for path, item in document["paths"].items()
        for method, one in item.items()
        if method in METHODS
    ]
    return [
        Section(str(tag).capitalize(), tuple(_operation(document, *one) for one in group))
        for tag, group in groupby(found, key=lambda one: one[2]["tags"][0])
    ]


def _operation(
    document: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]
) -> Operation:
    parameters = (*_parameters(operation), *_fields(document, operation))
    summary = operation.get("summary", "").replace("`", "")
    return Operation(method.upper(), path, summary, parameters, _example(operation))


def _fields(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[Parameter]:
    """Of each kind of body it takes: what can stand in it."""
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        name = content["schema"].get("$ref", "").rpartition("/")[2]
        body = document["components"]["schemas"].get(name, content["schema"])
        place = "form" if media.startswith("multipart/") else "body"
        for field, schema in body.get("properties", {}).items():
            yield Parameter(field, place, _kind(schema), schema.get("description", ""))


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
    answers = operation["responses"]
    answer: Mapping[str, Any] = next(
        (answers[status] for status in ("200", "201") if status in answers), {}
    )
    content = answer.get("content", {}).get("application/json", {})
    for example in content.get("examples", {}).values():
        return json.dumps(example.get("value"), ensure_ascii=False, indent=2)
    return ""
