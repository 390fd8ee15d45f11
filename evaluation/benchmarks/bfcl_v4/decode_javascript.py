"""Prompt mode, JavaScript: a statement that is directly a call, read with tree-sitter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.benchmarks.bfcl_v4 import trees
from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable

if TYPE_CHECKING:
    from tree_sitter import Node


def decode(text: str) -> object:
    """Read the first call: ``[{name: {parameter: text}}]``, or None where there is none.

    Quirk: only a whole statement counts, so two calls with a comma between are no call.

    Raises:
        Undecodable: Not JavaScript, or two arguments with one name.
    """
    root = trees.parse("javascript", text[1:-1])
    if root.type != "program":
        return None
    for statement in root.children:
        if statement.type == "expression_statement":
            for node in statement.children:
                if node.type == "call_expression":
                    return [_call(node)]
    return None


def _call(node: Node) -> dict[str, Any]:
    callee, arguments = node.children[0], node.children[1]
    found: dict[str | None, str] = {}
    for child in arguments.children:
        if child.type == "assignment_expression":
            key, value = trees.text(child.children[0]), _unquoted(trees.text(child.children[2]))
        elif child.type in ("identifier", "true"):
            key, value = None, trees.text(child)
        else:
            continue
        if key in found:
            raise Undecodable(f"two arguments are named {str(key)[:100]}")
        found[key] = value
    return {trees.text(callee): found}


def _unquoted(text: str) -> str:
    is_quoted = any(text.startswith(quote) and text.endswith(quote) for quote in ('"', "'"))
    return text[1:-1] if is_quoted else text
