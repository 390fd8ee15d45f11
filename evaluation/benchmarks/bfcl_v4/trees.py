"""Syntax trees of Java and JavaScript, by tree-sitter; the grammars are loaded when first used.

The grammars are those of the official scorer. Which broken code counts as an error depends on
them: with newer ones, four of 60,000 damaged answers got another verdict.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable
from evaluation.benchmarks.bfcl_v4.hints import NATIVE
from evaluation.benchmarks.suite import BenchmarkMissing

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CHARACTERS = 100_000


@cache
def parser(language: str) -> Parser:
    """The parser of "java" or "javascript". Raises BenchmarkMissing."""
    try:
        from tree_sitter import Language, Parser

        grammar = import_module(f"tree_sitter_{language}")
    except ImportError as error:
        raise BenchmarkMissing(
            f"Prompt mode in {NATIVE[language]} needs tree-sitter; run: make setup"
        ) from error
    with warnings.catch_warnings():
        # The official grammars hand themselves over in a way that the current library still
        # takes but warns about.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Parser(Language(grammar.language()))


def parse(language: str, source: str) -> Node:
    """The root of the syntax tree of a program in "java" or "javascript".

    Raises:
        Undecodable: The text is too long or has a syntax error anywhere.
        BenchmarkMissing: tree-sitter or the grammar is not installed.
    """
    if len(source) > MAX_CHARACTERS:
        raise Undecodable(f"the text is longer than {MAX_CHARACTERS} characters")
    try:
        root = parser(language).parse(source.encode("utf-8")).root_node
    except UnicodeEncodeError as error:
        raise Undecodable("the text is not valid Unicode") from error
    if root.has_error and _has_broken_part(root):
        raise Undecodable(f"the reply is no valid {NATIVE[language]}")
    return root


def _has_broken_part(root: Node) -> bool:
    """Quirk: a piece that the parser had to add to make sense of the text is no error."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error:
            return True
        waiting.extend(child for child in node.children if child.has_error)
    return False


def field(node: Node, name: str) -> Node:
    """A part of a node that must be there. Raises Undecodable."""
    child = node.child_by_field_name(name)
    if child is None:
        raise Undecodable(f"a part of the code lacks its {name}")
    return child


def text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
