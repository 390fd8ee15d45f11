"""Answers made to hurt: only one error is ever raised, and what is read is bounded."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.bfcl_v4 import trees
from evaluation.benchmarks.bfcl_v4.decode import Undecodable, calls_in
from evaluation.engine import literals
from evaluation.engine.types import Mode

FORMS = ("python", "java", "javascript", "json", "verbose_xml", "concise_xml")
AFFIXES = st.sampled_from(
    [
        *("", "[f(a=", "]", ")", "'", '"', "}", "[{", '[{"function": "f", "parameters": {"a": '),
        *("<functions>", "</functions>", '<functions><function name="f"><param name="a">'),
    ]
)
FLOODS = st.sampled_from(
    [
        *("[", "(", "{", "[1],", "{},", "[{", "]", "1,", "-", "~", "a.", "f(", "f(a=", "'", "\\"),
        *("a[", "2**", "'x'*9*", "9<<9<<", "lambda:", "not ", "b'\\x", "*a,", "é", "\ud800", "\0"),
        *("<a>", "<function name='f'>", "<param name='a' type='dict'>{", "&a;", '{"a":', '"\\'),
        *("new X[]{", "new HashMap<>(){{", "x=>", "`${", "/*", "//", "f(g=", "1e9", "TOOLCALL>"),
        "\n",
    ]
)


@settings(max_examples=250, deadline=None)
@given(AFFIXES, FLOODS, st.integers(1, 40_000), AFFIXES, st.sampled_from(FORMS), st.booleans())
def test_a_flood_raises_nothing_but_its_own_error(
    start: str, flood: str, times: int, end: str, form: str, has_tag: bool
) -> None:
    text = start + flood * times + end
    if has_tag:
        text = f"<TOOLCALL>{text}</TOOLCALL>"

    with suppress(Undecodable):
        calls_in(text, Mode.PROMPT, form, has_tag=has_tag)


@settings(max_examples=60, deadline=None)
@given(FLOODS, st.integers(1, 40_000))
def test_a_flood_of_arguments_raises_nothing_but_its_own_error(flood: str, times: int) -> None:
    with suppress(Undecodable):
        calls_in([{"f": '{"a": ' + flood * times}], Mode.FC)


@given(st.integers(1, 200), st.sampled_from(["python", "java", "javascript"]))
def test_more_characters_than_the_cap_are_not_read(surplus: int, form: str) -> None:
    cap = {"python": literals.MAX_CHARACTERS}.get(form, trees.MAX_CHARACTERS)
    text = f"[f(a='{'x' * (cap + surplus)}')]"

    with pytest.raises(Undecodable, match="longer than"):
        calls_in(text, Mode.PROMPT, form)


@given(st.integers(1, 200), st.sampled_from(["1,", "'',", "-1,", "[],", "a,"]))
def test_more_tokens_than_the_cap_are_not_read(surplus: int, token: str) -> None:
    text = f"[f(a=[{token * (literals.MAX_TOKENS + surplus)}])]"

    with pytest.raises(Undecodable, match=r"tokens|longer than"):
        calls_in(text, Mode.PROMPT)


@given(st.lists(st.sampled_from(["[]", "()", "{}"]), min_size=90, max_size=300))
def test_more_open_brackets_than_the_cap_are_not_read(pairs: list[str]) -> None:
    opened = "".join(pair[0] for pair in pairs)
    closed = "".join(pair[1] for pair in reversed(pairs))

    with pytest.raises(Undecodable, match="nested brackets"):
        calls_in(f"[f(a={opened}{closed})]", Mode.PROMPT)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 99), st.integers(0, 7), st.integers(1, 4_000))
def test_arithmetic_never_works_out_more_than_its_caps(base: int, zeros: int, times: int) -> None:
    power = 10**zeros + times

    for text in (f"{base}**{power}", f"{base}<<{power}", f"'x'*{times}", f"[1]*{times}"):
        with suppress(Undecodable):
            calls: Any = calls_in(f"[f(a={text})]", Mode.PROMPT)
            value = calls[0]["f"]["a"]
            assert isinstance(value, str | list) or value.bit_length() <= literals.MAX_BITS
            assert isinstance(value, int) or len(value) <= literals.MAX_REPEATED


@pytest.mark.parametrize("form", ["verbose_xml", "concise_xml"])
@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE functions [<!ENTITY a "b">]><functions><function name="f">'
        '<param name="x" value="&a;">&a;</param></function></functions>',
        '<functions><!DOCTYPE functions [<!ENTITY a "b">]><function name="f"/></functions>',
        '<functions><function name="f"><param name="x" value="&b;"/></function></functions>',
    ],
)
def test_entities_are_never_declared_nor_expanded(form: str, text: str) -> None:
    with pytest.raises(Undecodable):
        calls_in(text, Mode.PROMPT, form)
