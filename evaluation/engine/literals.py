"""Python source written by a model, read without running any of it.

Parsing itself can be made expensive, so the text is measured first; arithmetic on literals is
worked out by walking the tree with every size capped. Everything refused or broken ends in
`Refused`, so that no hostile text can raise anything else.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from typing import Any

MAX_CHARACTERS = 100_000
MAX_TOKENS = 20_000
MAX_DEPTH = 90  # brackets inside brackets
MAX_BITS = 14_000  # of an integer that arithmetic yields; about the 4300 digits Python prints
MAX_LENGTH = 10_000  # of a text or list that arithmetic yields
# Characters and items, at every depth, that one repetition yields: a short reply can hold
# thousands of them, and lists of one repeated list grow with each level.
MAX_REPEATED = 1_000
UNMEASURED = 4_096  # texts up to this length can hold no token flood

_OPENING = re.compile(r"[\[({]")
_MAYBE_FSTRING = re.compile(r"""[fF][rR]?["']|[rR][fF]["']""")
_FSTRING_PREFIXES = frozenset({"f", "rf", "fr"})
# One token at a time: a string with its prefix, a word or number, a bracket, any other sign.
_TOKEN = re.compile(
    r"""(?P<prefix>\w*)(?P<quote>'''|\"\"\"|'|")|(?P<word>\w+)|(?P<open>[\[({])"""
    r"""|(?P<close>[\])}])|(?P<comment>\#[^\n]*)|(?P<sign>[^\s\w])"""
)
_STRING_ENDS = {
    "'": re.compile(r"(?:[^'\\\n]|\\.)*'", re.DOTALL),
    '"': re.compile(r'(?:[^"\\\n]|\\.)*"', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*'''", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*"""', re.DOTALL),
}


class Refused(ValueError):
    """The text is not Python, or more of it than is read; the message says what."""


def parse_expression(text: str) -> ast.expr:
    """Parse one Python expression.

    Raises:
        Refused: Too long, too deep, an f-string, or not a Python expression.
    """
    measure(text)
    try:
        with warnings.catch_warnings():  # odd escapes and literals are the model's affair
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused("this is not a Python expression") from error


def literal(text: str) -> Any:
    """Read a Python literal such as ``[1, {'a': (2.5, None)}]``.

    Raises:
        Refused: Not a literal, or too much of one.
    """
    measure(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise Refused("this is not a Python literal") from error


def measure(text: str) -> None:
    """Refuse a text that would be slow to parse, in time linear in its length.

    Raises:
        Refused: Too many characters, tokens or nested brackets, or an f-string.
    """
    if len(text) > MAX_CHARACTERS:
        raise Refused(f"the text is longer than {MAX_CHARACTERS} characters")
    if (
        len(text) > UNMEASURED
        or len(_OPENING.findall(text)) > MAX_DEPTH
        or _MAYBE_FSTRING.search(text)
    ):
        _count_tokens(text)


def _count_tokens(text: str) -> None:
    tokens = depth = position = 0
    while token := _TOKEN.search(text, position):
        tokens += 1
        position = token.end()
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if tokens > MAX_TOKENS or depth > MAX_DEPTH:
            raise Refused(f"more than {MAX_TOKENS} tokens or {MAX_DEPTH} nested brackets")
        if token.lastgroup == "quote":
            position = _end_of_string(text, token)


def _end_of_string(text: str, token: re.Match[str]) -> int:
    if token["prefix"].lower() in _FSTRING_PREFIXES:
        raise Refused("f-strings are not read")
    end = _STRING_ENDS[token["quote"]].match(text, token.end())
    if end is None:
        raise Refused("a string is not closed")
    return end.end()


def evaluate(node: ast.expr) -> Any:
    """Work out arithmetic on literals, such as ``2 * 3.5`` or ``'a' + 'b'``.

    Raises:
        Refused: Anything but operators, numbers, texts and collections of them; a result too
            large; an operation that Python itself refuses, such as a division by zero.
    """
    try:
        return _EVALUATORS[type(node)](node)
    except (
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise Refused("only arithmetic on literals is worked out") from error


def _constant(node: ast.Constant) -> Any:
    return _bounded(node.value)


def _unary(node: ast.UnaryOp) -> Any:
    return _UNARY[type(node.op)](evaluate(node.operand))


def _binary(node: ast.BinOp) -> Any:
    left, right = evaluate(node.left), evaluate(node.right)
    operation = type(node.op)
    if operation in _GROWING:
        _GROWING[operation](left, right)
    return _bounded(_BINARY[operation](left, right))


def _list(node: ast.List) -> Any:
    return [evaluate(item) for item in node.elts]


def _tuple(node: ast.Tuple) -> Any:
    return tuple(evaluate(item) for item in node.elts)


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Refused("the number is too large")
    if isinstance(value, str | bytes | list | tuple) and len(value) > MAX_LENGTH:
        raise Refused("the text or list is too long")
    return value


def _product_fits(left: Any, right: Any) -> None:
    for many, times in ((left, right), (right, left)):
        is_repetition = isinstance(many, str | bytes | list | tuple) and isinstance(times, int)
        if is_repetition and _size(many) * max(times, 0) > MAX_REPEATED:
            raise Refused("the repeated text or list is too long")


def _size(value: Any) -> int:
    """Characters of a text; items of a list with all that is inside them."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, list | tuple):
        return len(value) + sum(_size(item) for item in value)
    return 0


def _power_fits(left: Any, right: Any) -> None:
    are_integers = isinstance(left, int) and isinstance(right, int)
    if are_integers and left.bit_length() * abs(right) > MAX_BITS:
        raise Refused("the power is too large")


def _shift_fits(left: Any, right: Any) -> None:
    if left.bit_length() + right > MAX_BITS:
        raise Refused("the shifted number is too large")


def _remainder_is_arithmetic(left: Any, _right: Any) -> None:
    if isinstance(left, str | bytes):
        raise Refused("texts are not formatted")  # '%999999999d' % 1


_GROWING: dict[type[ast.operator], Callable[[Any, Any], None]] = {
    ast.Mult: _product_fits,
    ast.Pow: _power_fits,
    ast.LShift: _shift_fits,
    ast.Mod: _remainder_is_arithmetic,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_EVALUATORS: dict[type[ast.expr], Callable[[Any], Any]] = {
    ast.Constant: _constant,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.List: _list,
    ast.Tuple: _tuple,
}
