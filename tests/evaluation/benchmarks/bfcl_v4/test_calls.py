"""A call text is parsed, never evaluated; whatever is refused is an error reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks.bfcl_v4.calls import Methods, perform


class Shop:
    """Two methods a call may name, and one it may not."""

    def price(self, item: str, count: int = 1) -> dict[str, Any]:
        return {"item": item, "total": count * 2}

    def echo(self, value: object) -> object:
        return value


SHOP = Shop()
METHODS: Methods = {"price": SHOP.price, "echo": SHOP.echo}


@pytest.mark.parametrize(
    ("call", "reply"),
    [
        pytest.param("price(item='a')", '{"item": "a", "total": 2}', id="a-dict-is-json"),
        pytest.param("price('a', 3)", '{"item": "a", "total": 6}', id="positional-literals"),
        pytest.param("echo(value='as it is')", "as it is", id="text-stays-as-it-is"),
        pytest.param("echo(value=[1, (2.5, None), -3])", "[1, (2.5, None), -3]", id="else-str"),
        pytest.param("echo({'a': {1, 2}})", "{'a': {1, 2}}", id="a-dict-json-cannot-write"),
        pytest.param("echo(echo(value=echo('in')))", "in", id="nested-calls"),
        pytest.param("echo(2 * 3)", "6", id="arithmetic-on-literals"),
        pytest.param(" echo(value=1)", "1", id="leading-space"),
    ],
)
def test_a_call_gets_the_reply_the_benchmark_would_give(call: str, reply: str) -> None:
    assert perform(call, METHODS) == reply


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("__import__('os').getpid()", "only methods can be called"),
        ("echo(value=__import__('os').getpid())", "only methods can be called"),
        ("echo(value=(1).__class__)", "an argument of the kind Attribute is not read"),
        ("echo(value=[x for x in (1, 2)])", "an argument of the kind ListComp is not read"),
        ("echo(value=f'{1}')", "an argument of the kind JoinedStr is not read"),
        ("echo(value=lambda: 1)", "an argument of the kind Lambda is not read"),
        ("echo(value=9**9**9)", "only arithmetic on literals is worked out"),
        ("echo(value='a' * 10**10)", "only arithmetic on literals is worked out"),
        ("echo(**{'value': 1})", "arguments cannot be unpacked here"),
        ("echo(*[1])", "an argument of the kind Starred is not read"),
        ("echo(value=true)", "name 'true' is not defined"),
        ("echo(value=1, value=2)", "keyword argument repeated: value (<string>, line 1)"),
        ("unknown(a=1)", "name 'unknown' is not defined"),
        ("Shop.price(item='a')", "name 'Shop' is not defined"),
        ("price", "this is not a call"),
        ("price() or echo(1)", "this is not a call"),
        ("exit()", "Function call exit is not allowed."),
        ("price()", "Shop.price() missing 1 required positional argument: 'item'"),
        ("price(", "'(' was never closed (<string>, line 1)"),
        ("", "invalid syntax (<string>, line 0)"),
    ],
)
def test_anything_else_is_refused_in_a_reply(call: str, why: str) -> None:
    assert perform(call, METHODS) == f"Error during execution: {why}"


def test_a_call_deeper_than_the_interpreter_goes_is_an_error_reply() -> None:
    reply = perform("echo(" + "[" * 5000 + "]" * 5000 + ")", METHODS)

    assert reply.startswith("Error during execution: ")


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    assert isinstance(perform(text, METHODS), str)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=8))
def test_a_literal_arrives_as_it_was_written(value: object) -> None:
    reply = perform(f"echo(value={value!r})", METHODS)

    assert reply == (value if isinstance(value, str) else str(value))


def test_arguments_written_as_json_arrive_as_python_values() -> None:
    reply = perform("echo(value={'a': True, 'b': None})", METHODS)

    assert json.loads(reply) == {"a": True, "b": None}
