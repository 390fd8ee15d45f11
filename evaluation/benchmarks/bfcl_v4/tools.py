"""Function descriptions as the `tools` of a chat completion request (FC mode)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.engine.copying import copied
from evaluation.engine.types import JSON, Tool

# The benchmark's type words, by the JSON Schema type that stands for them; others are strings.
_SCHEMA_TYPES = {
    "integer": ("integer", "byte", "short", "long", "Bigint"),
    "number": ("number", "float", "double"),
    "boolean": ("boolean", "bool"),
    "array": ("array", "list", "tuple", "ArrayList", "Array", "Queue", "Stack"),
    "object": ("object", "dict", "HashMap", "Hashtable"),
}
SCHEMA_TYPE = {word: schema for schema, words in _SCHEMA_TYPES.items() for word in words}
_FLOAT_NOTE = " This is a float type value."


def as_tools(functions: Sequence[JSON], *, underscore: bool) -> tuple[Tool, ...]:
    """Write function descriptions as OpenAI-style tools, leaving the originals untouched.

    Args:
        functions: Descriptions with `name`, `description`, `parameters`.
        underscore: Send dots in names as underscores, which most endpoints demand.
    """
    return tuple(
        {"type": "function", "function": _function(function, underscore)} for function in functions
    )


def _function(function: JSON, underscore: bool) -> dict[str, Any]:
    described: dict[str, Any] = copied(dict(function))
    if underscore:
        described["name"] = described["name"].replace(".", "_")
    parameters = described["parameters"]
    parameters["type"] = "object"
    _cast_all(parameters["properties"])
    return described


def _cast_all(properties: dict[str, Any]) -> None:
    for schema in properties.values():
        _cast(schema)


def _cast(schema: dict[str, Any]) -> None:
    declared = schema.get("type")
    if declared == "float":
        schema["format"] = "float"
        schema["description"] = schema.get("description", "") + _FLOAT_NOTE
    schema["type"] = _schema_type(declared)
    if schema["type"] not in ("array", "object"):
        return
    if "properties" in schema:
        _cast_all(schema["properties"])
    elif "items" in schema:
        _cast_items(schema["items"])


def _cast_items(items: dict[str, Any]) -> None:
    """Quirk: elements get no float note, and are followed two levels down, not further."""
    items["type"] = _schema_type(items.get("type"))
    if items["type"] == "array" and "items" in items:
        items["items"]["type"] = _schema_type(items["items"].get("type"))
    elif items["type"] == "object" and "properties" in items:
        _cast_all(items["properties"])


def _schema_type(declared: object) -> str:
    return SCHEMA_TYPE.get(declared, "string") if isinstance(declared, str) else "string"
