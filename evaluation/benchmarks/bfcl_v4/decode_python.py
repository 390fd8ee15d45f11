"""Prompt mode's Python format: ``[name(key=value, …), …]`` read as calls, nothing run.

The quirks of the official decoder are kept, one comment each; they are part of the benchmark.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from evaluation.engine.literals import Refused, evaluate, parse_expression

Decoded = list[dict[str, Any]]


class Undecodable(Exception):
    """The reply cannot be read as calls; the message says why, in words for a reader."""


def padded(reply: object) -> str:
    """Strip fences and blanks around a reply and add the square brackets it may lack.

    Only backticks, newlines and spaces are stripped: a language word after the fence stays.

    Raises:
        Undecodable: The reply is not a text.
    """
    if not isinstance(reply, str):
        raise Undecodable("the reply is not a text")
    text = reply.strip("`\n ")
    if not text.startswith("["):
        text = "[" + text
    return text if text.endswith("]") else text + "]"


def decode(text: str) -> Decoded:
    """Read ``[f(a=1), g(b=2)]`` as ``[{"f": {"a": 1}}, {"g": {"b": 2}}]``.

    Values may be anything Python literals can be, tuples, bytes and Ellipsis texts included.

    Raises:
        Undecodable: Not a list of calls, or a value of a kind that is not read.
    """
    try:
        return [_call(node) for node in _call_nodes(parse_expression(text.strip().strip("'")))]
    except Refused as error:
        raise Undecodable(str(error)) from error
    except (TypeError, ValueError, RecursionError, MemoryError) as error:
        raise Undecodable("a value in the reply cannot be read") from error


def _call_nodes(body: ast.expr) -> list[ast.Call]:
    if isinstance(body, ast.Call):
        return [body]
    if not isinstance(body, ast.List | ast.Tuple | ast.Set):
        raise Refused("the reply is not a list of calls")
    calls = [node for node in body.elts if isinstance(node, ast.Call)]
    if len(calls) != len(body.elts):
        raise Refused("the reply's list holds something that is not a call")
    return calls


def _call(node: ast.Call) -> dict[str, Any]:
    """Quirk: positional arguments vanish, `**x` is kept under None, the last repeat wins."""
    return {_name(node.func): {pair.arg: _value(pair.value) for pair in node.keywords}}


def _name(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):  # anything else at the root is left out of the name
        parts.append(node.id)
    return ".".join(reversed(parts))


def _value(node: ast.expr | None) -> Any:
    read = _READERS.get(type(node))
    if read is None:
        raise Refused(f"a value of the kind {type(node).__name__} is not read")
    return read(node)


def _constant(node: ast.Constant) -> Any:
    return "..." if node.value is Ellipsis else node.value


def _negated(node: ast.UnaryOp) -> Any:
    """Quirk: every unary operator negates, so `+1` is -1 and `not True` is -1."""
    if not isinstance(node.operand, ast.Constant):
        raise Refused("only a constant can follow a sign")
    value: Any = node.operand.value
    return -value


def _nested_call(node: ast.Call) -> Any:
    return _call(node) if node.keywords else ast.unparse(node)


def _dict(node: ast.Dict) -> Any:
    return {_value(key): _value(item) for key, item in zip(node.keys, node.values, strict=True)}


def _subscript(node: ast.Subscript) -> str:
    return f"{ast.unparse(node.value)}[{ast.unparse(node.slice)}]"


_READERS: dict[type, Callable[[Any], Any]] = {
    ast.Constant: _constant,
    ast.UnaryOp: _negated,
    ast.List: lambda node: [_value(item) for item in node.elts],
    ast.Tuple: lambda node: tuple(_value(item) for item in node.elts),
    ast.Dict: _dict,
    ast.BinOp: evaluate,  # the official decoder runs it as code; here only arithmetic is done
    ast.Name: lambda node: node.id,  # quirk: a bare name is its text, so `true` is "true"
    ast.Call: _nested_call,
    ast.Subscript: _subscript,
}
