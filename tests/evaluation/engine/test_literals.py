"""Literals and arithmetic on them, with every size capped."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine import literals
from evaluation.engine.literals import Refused, evaluate, literal, measure, parse_expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14),
        ("-(2) + 3", 1),
        ("2**10", 1024),
        ("[1] + [2]", [1, 2]),
        ("'a' * 3", "aaa"),
    ],
)
def test_arithmetic_is_worked_out(text: str, value: Any) -> None:
    assert evaluate(parse_expression(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "2**100000",
        "1 << 10**9",
        "1.0 << 2",
        "'x' * 10**9",
        "1/0",
        "f() + 1",
        "a + 1",
        "[0] * 10**9",
        "[[[0] * 100] * 100] * 100",
        "(['x' * 100],) * 100",
        "'%9d' % 1",
        "0x" + "f" * 4000 + " + 1",
        "(1, 2)[0] + 1",
        "1 + (x := 2)",
    ],
)
def test_anything_larger_or_else_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        evaluate(parse_expression(text))


@pytest.mark.parametrize(
    "text",
    [
        "f'x'",
        "[rF'x']",
        "x" * (literals.MAX_CHARACTERS + 1),
        "1," * (literals.MAX_TOKENS + 1),
        "(" * (literals.MAX_DEPTH + 1),
    ],
)
def test_texts_slow_to_parse_are_refused_before_parsing(text: str) -> None:
    with pytest.raises(Refused):
        measure(text)


@pytest.mark.parametrize("text", ["\"f'(x)'\"", "'''f\"x\"'''", "'of \\'' + 'x'", "[half'x']"])
def test_what_only_looks_like_an_f_string_is_not_refused(text: str) -> None:
    measure(text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="f'\"\\{}[]()+*-1a,. \n#=:", max_size=60))
def test_only_refused_is_ever_raised(text: str) -> None:
    with suppress(Refused):
        literal(text)
    with suppress(Refused):
        evaluate(parse_expression(text))


@settings(deadline=None)
@given(st.recursive(st.integers() | st.text(max_size=5) | st.none(), st.lists, max_leaves=8))
def test_a_literal_reads_back(value: Any) -> None:
    assert literal(repr(value)) == value == ast.literal_eval(repr(value))
