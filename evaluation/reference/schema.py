"""Tools as a request describes them, in both spellings: JSON Schema and the prompt's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.reference.words import content_stems, name_stems

TYPES = {
    "dict": "object", "hashmap": "object", "list": "array", "tuple": "array",
    "arraylist": "array", "float": "number", "double": "number", "int": "integer",
    "long": "integer", "short": "integer", "byte": "integer", "bool": "boolean",
    "str": "string", "char": "string", "any": "string",
}  # fmt: skip
EXAMPLES = re.compile(
    r"(?:e\.g\.?|such as|for example|examples?:|like|i\.e\.?|options?:|either|can be|one of"
    r"|values?:|include)\s*[,:]?\s*([^.;)]{2,200})",
    re.IGNORECASE,
)
EXAMPLE = re.compile(r"'([^']{1,60})'|\"([^\"]{1,60})\"|\b([\w-]+(?: [\w-]+)?)\b")
MAX_TOOLS = 200
MAX_PARAMETERS = 200
MAX_DESCRIPTION = 3000  # characters that are looked at
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, with all that its description gives away."""

    name: str
    type: str
    description: str
    is_required: bool
    enum: tuple[Any, ...] = ()
    default: Any = None
    item: Parameter | None = None
    members: tuple[Parameter, ...] = ()
    stems: tuple[str, ...] = ()
    about: frozenset[str] = frozenset()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: tuple[Parameter, ...]
    stems: tuple[str, ...]
    about: frozenset[str]
    inside: frozenset[str] = field(default_factory=frozenset)  # what its parameters are about


def read_tools(listed: Any) -> list[Tool]:
    """The tools of a request; what is no tool is passed over."""
    tools = []
    for entry in listed[:MAX_TOOLS] if isinstance(listed, list) else ():
        function = entry.get("function", entry) if isinstance(entry, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            tools.append(_tool(function))
    return tools


def _tool(function: Mapping[str, Any]) -> Tool:
    description = str(function.get("description") or "")[:MAX_DESCRIPTION]
    parameters = _members(_schema(function), 0)
    inside = {stem for one in parameters for stem in (*one.stems, *one.about)}
    about = content_stems(description.partition(" Note that the provided")[0])
    name = function["name"]
    return Tool(name, description, parameters, name_stems(name), about, frozenset(inside))


def _schema(function: Mapping[str, Any]) -> Any:
    """A tool's JSON Schema; made from a plain list of inputs where it has none.

    Every input is required there, unless its description calls it optional.
    """
    inputs = function.get("input_parameters")
    if "parameters" in function or not isinstance(inputs, dict):
        return function.get("parameters")
    described = {name: one for name, one in inputs.items() if isinstance(one, dict)}
    needed = [
        name
        for name, one in described.items()
        if "optional" not in str(one.get("description") or "")[:MAX_DESCRIPTION].lower()
    ]
    return {"properties": described, "required": needed}


def _members(schema: Any, depth: int) -> tuple[Parameter, ...]:
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return ()
    properties = schema.get("properties")
    required = schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    if not isinstance(properties, dict):
        return ()
    return tuple(
        _parameter(str(name), found, str(name) in needed, depth)
        for name, found in list(properties.items())[:MAX_PARAMETERS]
        if isinstance(found, dict)
    )


def _parameter(name: str, schema: Mapping[str, Any], is_required: bool, depth: int) -> Parameter:
    description = str(schema.get("description") or "")[:MAX_DESCRIPTION]
    kind = str(schema.get("type") or "string").lower().partition("(")[0]  # list(str): a list
    enum = schema.get("enum")
    items = schema.get("items")
    item = None
    if isinstance(items, dict) and depth < MAX_DEPTH:
        item = _parameter(name, items, True, depth + 1)
    return Parameter(
        name=name,
        type=TYPES.get(kind, kind),
        description=description,
        is_required=is_required,
        enum=tuple(enum) if isinstance(enum, list) else (),
        default=schema.get("default"),
        item=item,
        members=_members(schema, depth + 1),
        stems=name_stems(name),
        about=content_stems(description),
        examples=tuple(_examples(description)),
    )


def _examples(description: str) -> Iterable[str]:
    """Values a description names; a question that uses one of them probably means it."""
    for match in EXAMPLES.finditer(description):
        for found in EXAMPLE.finditer(match[1]):
            text = found[1] or found[2] or found[3]
            if len(text) > 2:
                yield text
    for match in re.finditer(r"'([^']{2,60})'", description):
        yield match[1]
