"""A call text executed without evaluating it: parsed, checked, and one method called.

What may stand in a call text: one public method of a class the case involves, with literals
and such calls as arguments. Everything else is refused, and a refusal is a reply like any
error a method raises.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from typing import Any

from evaluation.engine.literals import evaluate

Methods = Mapping[str, Callable[..., object]]

MAX_CHARACTERS = 1_000_000  # of one call text
FAILED = "Error during execution: "
# Names the benchmark forbids outright, and says so in these words.
FORBIDDEN = frozenset(["kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"])


def perform(text: str, methods: Methods) -> str:
    """Execute one call text; its reply as the benchmark writes it. Raises nothing."""
    try:
        return as_reply(value_of(text, methods))
    except Exception as error:
        return f"{FAILED}{error}"


def value_of(text: str, methods: Methods) -> object:
    """What the method named in a call text returns. Raises whatever is wrong with it."""
    return _call(_parsed(text), methods)


def as_reply(value: object) -> str:
    """Text as it is, a dict as JSON where possible, anything else as Python prints it."""
    if type(value) is str:
        return value
    if type(value) is dict:
        try:
            return json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            return str(value)
    return str(value)


def _parsed(text: str) -> ast.Call:
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"the call is longer than {MAX_CHARACTERS} characters")
    node = ast.parse(text.lstrip(" \t"), filename="<string>", mode="eval").body
    if not isinstance(node, ast.Call):
        raise TypeError("this is not a call")
    return node


def _call(node: ast.Call, methods: Methods) -> object:
    method = _method(node.func, methods)
    names = [pair.arg for pair in node.keywords]
    for name in names:
        if name is not None and names.count(name) > 1:
            raise SyntaxError(f"keyword argument repeated: {name}", ("<string>", 1, 0, None))
    positional = [_value(item, methods) for item in node.args]
    named = {_keyword(pair): _value(pair.value, methods) for pair in node.keywords}
    return method(*positional, **named)


def _keyword(pair: ast.keyword) -> str:
    if pair.arg is None:
        raise TypeError("arguments cannot be unpacked here")
    return pair.arg


def _method(node: ast.expr, methods: Methods) -> Callable[..., object]:
    if isinstance(node, ast.Name) and node.id in methods:
        return methods[node.id]
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        raise TypeError("only methods can be called")
    if root.id in FORBIDDEN:
        raise PermissionError(f"Function call {root.id} is not allowed.")
    raise NameError(f"name '{root.id}' is not defined")


def _value(node: ast.expr, methods: Methods) -> Any:
    reader = _READERS.get(type(node))
    if reader is not None:
        return reader(node, methods)
    if isinstance(node, ast.Name):
        raise NameError(f"name '{node.id}' is not defined")
    raise TypeError(f"an argument of the kind {type(node).__name__} is not read")


def _dict(node: ast.Dict, methods: Methods) -> dict[Any, Any]:
    if None in node.keys:
        raise TypeError("dicts cannot be unpacked here")
    keys = [_value(key, methods) for key in node.keys if key is not None]
    return dict(zip(keys, (_value(item, methods) for item in node.values), strict=True))


_READERS: dict[type, Callable[[Any, Methods], Any]] = {
    ast.Constant: lambda node, _: node.value,
    ast.Call: _call,
    ast.List: lambda node, methods: [_value(item, methods) for item in node.elts],
    ast.Tuple: lambda node, methods: tuple(_value(item, methods) for item in node.elts),
    ast.Set: lambda node, methods: {_value(item, methods) for item in node.elts},
    ast.Dict: _dict,
    ast.UnaryOp: lambda node, _: evaluate(node),
    ast.BinOp: lambda node, _: evaluate(node),
}
