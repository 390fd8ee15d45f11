"""Prompt mode, Java: the first method invocation in the reply, read with tree-sitter.

Quirks kept: bare identifiers go under the key None, an initialiser's body is lost, and pieces
are cut at byte offsets of a text of characters, so that a letter outside ASCII shifts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from evaluation.benchmarks.bfcl_v4 import trees
from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable

if TYPE_CHECKING:
    from tree_sitter import Node

_WHOLE = ("identifier", "class_literal", "type_identifier", "method_invocation")
_QUOTED = ("string_literal", "character_literal")
_PUNCTUATION = (",", "(", ")")


def decode(text: str) -> object:
    """Read the first call: ``[{name: {parameter: text}}]``, or ``{}`` where there is none.

    Raises:
        Undecodable: Not Java, or two arguments with one name.
    """
    source = text[1:-1]  # the square brackets around it, or whatever stands in their place
    root = trees.parse("java", source)
    found = _first_invocation(root)
    if found is None:
        return {}
    return [_Reader(source).call(found)]


def _first_invocation(root: Node) -> Node | None:
    """Depth first, in the order of the text; nothing inside an invocation is looked at."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "method_invocation":
            # Quirk: an invocation always ends the search, since it always has arguments.
            return node
        waiting.extend(reversed(node.children))
    return None


class _Reader:
    """Texts of the nodes of one source."""

    def __init__(self, source: str) -> None:
        self.source = source

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte]  # quirk: bytes into characters

    def call(self, node: Node) -> dict[str, Any]:
        name = self.text(trees.field(node, "name"))
        owner = node.child_by_field_name("object")
        if owner is not None:
            name = f"{self.text(owner)}.{name}"
        return {name: self.arguments(trees.field(node, "arguments"))}

    def arguments(self, node: Node) -> dict[str | None, str]:
        found: dict[str | None, str] = {}
        for child in node.children:
            if child.type == "assignment_expression":
                key, value = self.text(child.children[0]), self.value(child.children[2])
            elif child.type in ("identifier", "class_literal"):
                key, value = None, self.value(child)
            else:
                continue
            if key in found:
                raise Undecodable(f"two arguments are named {str(key)[:100]}")
            found[key] = value
        return found

    def value(self, node: Node) -> str:
        if node.type in _QUOTED:
            return self.text(node)[1:-1]
        return self.nested(node)

    def nested(self, node: Node) -> str:
        """The text of a part of a value, rendered again where it creates an object."""
        if node.type in _QUOTED or node.type in _WHOLE:
            return self.text(node)
        render = _RENDERERS.get(node.type)
        if render is not None:
            return render(self, node)
        if node.child_count:
            return "".join(self.nested(child) for child in node.children)
        return self.text(node)

    def new_array(self, node: Node) -> str:
        kind = self.nested(trees.field(node, "type"))
        return f"new {kind}[]{self.nested(trees.field(node, 'value'))}"

    def new_object(self, node: Node) -> str:
        kind = self.nested(trees.field(node, "type"))
        arguments = node.child_by_field_name("arguments")
        parts = arguments.children if arguments is not None else []
        texts = [self.nested(part) for part in parts if part.type not in _PUNCTUATION]
        return f"new {kind}({', '.join(texts)})"


_RENDERERS: dict[str, Callable[[_Reader, Node], str]] = {
    "array_creation_expression": _Reader.new_array,
    "object_creation_expression": _Reader.new_object,
}
