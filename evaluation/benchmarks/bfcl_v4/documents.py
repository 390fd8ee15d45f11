"""Function descriptions as text inside a system prompt: JSON, docstrings or XML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from evaluation.engine.types import JSON

_PYTHON_TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_LISTS = ("array", "list", "tuple")
_DICTS = ("object", "dict")


def as_text(functions: Sequence[JSON], document_format: str) -> str:
    """Write function descriptions in one of the formats "json", "python", "xml"."""
    return _WRITERS[document_format](functions)


def _json(functions: Sequence[JSON]) -> str:
    return json.dumps(list(functions), indent=4)


def _python(functions: Sequence[JSON]) -> str:
    # Quirk: each description is followed by a lone newline as an item of its own.
    pieces = [piece for function in functions for piece in (_docstring(function), "\n")]
    return "\n\n".join(pieces)


def _docstring(function: JSON) -> str:
    lines = [
        f"# Function: {function['name']}",
        '    """',
        f"    {function.get('description', '')}",
        "",
    ]
    properties = function.get("parameters", {}).get("properties", {})
    if properties:
        lines.append("    Args:")
        lines += _arguments(properties, depth=2)
    return "\n".join([*lines, '    """', ""])


def _arguments(properties: Mapping[str, JSON], depth: int) -> Iterator[str]:
    for name, schema in properties.items():
        default = f", default={schema['default']!r}" if "default" in schema else ""
        described = f"{name} ({_python_type(schema)}{default}): {_description(schema)}"
        yield " " * 4 * depth + described
        yield from _arguments(schema.get("properties", {}), depth + 1)


def _python_type(schema: JSON) -> str:
    declared: str = schema.get("type", "string")
    if declared in _LISTS and "items" in schema:
        return f"list[{_python_type(schema['items'])}]"
    if declared in _DICTS:
        values = schema.get("additionalProperties")
        return "dict" if values is None else f"dict[str, {_python_type(values)}]"
    return _PYTHON_TYPES.get(declared, declared)


def _description(schema: JSON) -> str:
    choices = f" Enum values: {schema['enum']}." if "enum" in schema else ""
    return f"{schema.get('description', '')}{choices}"


def _xml(functions: Sequence[JSON]) -> str:
    return "\n".join(_xml_function(function) for function in functions)


def _xml_function(function: JSON) -> str:
    parameters = function["parameters"]
    lines = [
        f'<function name="{function["name"]}">',
        f"  <desc>{function.get('description', '')}</desc>",
        "  <params>",
        *_xml_parameters(parameters, depth=2),
        "  </params>",
        "</function>",
        "",
    ]
    return "\n".join(lines)


def _xml_parameters(schema: JSON, depth: int) -> Iterator[str]:
    """Quirks: no escaping; every comma in the attributes is dropped; all required if unsaid."""
    indent = " " * 2 * depth
    required = schema.get("required")
    for name, inner in schema.get("properties", {}).items():
        is_required = required is None or name in required
        attributes = (
            f'name="{name}", type="{_xml_type(inner)}", required="{str(is_required).lower()}"'
        )
        if "default" in inner:
            attributes += f' default="{inner["default"]!r}"'
        yield f"{indent}<param {attributes.replace(',', '')}>"
        yield f"{indent}  <desc>{_description(inner)}</desc>"
        if "properties" in inner:
            yield f"{indent}  <params>"
            yield from _xml_parameters(inner, depth + 2)
            yield f"{indent}  </params>"
        yield f"{indent}</param>"


def _xml_type(schema: JSON) -> str:
    declared = schema.get("type", "string")
    if "type" in schema.get("items", {}):
        return f"{declared}[{schema['items']['type']}]"
    if "additionalProperties" in schema:
        return f"{declared}[{schema['additionalProperties'].get('type', 'string')}]"
    return str(declared)


_WRITERS = {"json": _json, "python": _python, "xml": _xml}
