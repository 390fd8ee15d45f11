"""Prompt mode's Python format: what is read, what is refused, and that nothing is run."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.bfcl_v4.decode import Undecodable, calls_in
from evaluation.benchmarks.bfcl_v4.decode_python import decode, padded
from evaluation.engine.types import Mode


@pytest.mark.parametrize(
    ("value", "read"),
    [
        pytest.param("...", "...", id="ellipsis-is-its-text"),
        pytest.param("-5", -5, id="minus-negates"),
        pytest.param("+1", -1, id="plus-negates-too"),
        pytest.param("not True", -1, id="not-negates-too"),
        pytest.param("true", "true", id="bare-name-is-its-text"),
        pytest.param("(1, [2])", (1, [2]), id="tuple-stays-a-tuple"),
        pytest.param("{'a': x[0]}", {"a": "x[0]"}, id="subscript-is-its-source"),
        pytest.param("g(1)", "g(1)", id="call-without-keywords-is-its-source"),
        pytest.param("g(b=1)", {"g": {"b": 1}}, id="call-with-keywords-is-nested"),
        pytest.param("2 * 3.5", 7.0, id="arithmetic-is-worked-out"),
        pytest.param("'a' + 'b'", "ab", id="texts-are-joined"),
        pytest.param("'f\\'(x)'", "f'(x)", id="what-looks-like-an-f-string-in-a-text"),
        pytest.param("'\\d'", "\\d", id="odd-escape-without-a-warning"),
    ],
)
def test_a_value_is_read_as_officially(value: str, read: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        calls = decode(f"[f(a={value})]")

    assert calls == [{"f": {"a": read}}]
    assert type(calls[0]["f"]["a"]) is type(read)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param("f(1, a=2)", [{"f": {"a": 2}}], id="positional-arguments-vanish"),
        pytest.param("f(**x)", [{"f": {None: "x"}}], id="double-star-has-no-name"),
        pytest.param("a.b.c(x=1), g()", [{"a.b.c": {"x": 1}}, {"g": {}}], id="dotted-names"),
        pytest.param("```\n[f(a=1)]\n```", [{"f": {"a": 1}}], id="plain-fence"),
        pytest.param("'f(a=1)'", [], id="quotes-inside-the-brackets-added"),
        pytest.param("", [], id="empty-text-is-no-call"),
    ],
)
def test_a_reply_is_read_as_officially(text: str, calls: list[Any]) -> None:
    if text.startswith("'"):
        with pytest.raises(Undecodable):
            decode(padded(text))
    else:
        assert decode(padded(text)) == calls


@pytest.mark.parametrize(
    "value",
    [
        "f'{1}'",
        "rf'x'",
        "(lambda: 10)() + 0",
        "__import__('os').getcwd() + 'x'",
        "9**9**9",
        "'x' * 10**9",
        "[1] * 10**9",
        "1 << 10**9",
        "'%999999999d' % 1",
        "1 / 0",
        "{1, 2}",
        "[i for i in x]",
        "1 if y else 2",
        "a == b",
        "-x",
        "- -1",
        "x.y",
        "*x",
        "(" * 300 + ")" * 300,
        "1" * 5000,
        "+".join(["1"] * 5000),
        "x" + ".y" * 5000,
        "[" + "1," * 30_000 + "]",
    ],
)
def test_a_hostile_or_unread_value_ends_as_undecodable(value: str) -> None:
    with pytest.raises(Undecodable):
        decode(f"[f(a={value})]")


@pytest.mark.parametrize("text", ["```python\n[f(a=1)]\n```", "[f(a=1)] Done.", "[1]", "f", "\0"])
def test_text_around_calls_is_undecodable(text: str) -> None:
    with pytest.raises(Undecodable):
        decode(padded(text))


PIECES = st.sampled_from(
    [
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "f",
        "a=",
        "=",
        ",",
        "'",
        '"',
        "\\",
        "f'",
        "*",
        "-",
        "1",
        "\n",
        "`",
        "#",
        "\x00",
        "�",
        "é",
        "<TOOLCALL>",
        "</TOOLCALL>",
        "<functions>",
        "</functions>",
        '<function name="f">',
        "</function>",
        '<param name="a" type="dict">',
        "</param>",
        ":",
        "lambda",
        '"function":',
        '"parameters":',
        "new ",
        "X[]",
        "=>",
        "/*",
        "//",
        ";",
        "null",
        " ",
    ]
)
FORMS = ("python", "java", "javascript", "json", "verbose_xml", "concise_xml")


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60)),
    st.sampled_from(FORMS),
    st.booleans(),
)
def test_no_text_raises_anything_but_undecodable(text: str, form: str, has_tag: bool) -> None:
    with suppress(Undecodable):
        calls_in(text, Mode.PROMPT, form, has_tag=has_tag)


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(JSON_LIKE, st.sampled_from(list(Mode)))
def test_no_result_value_raises_anything_but_undecodable(result: Any, mode: Mode) -> None:
    with suppress(Undecodable):
        calls_in(result, mode)
