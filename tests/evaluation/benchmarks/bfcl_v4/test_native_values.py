"""Java and JavaScript source turned into values, quirks included."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4 import convert_java, convert_javascript


@pytest.mark.parametrize(
    ("word", "element", "text", "value"),
    [
        ("integer", None, "-5", -5),
        ("integer", None, "5L", "5L"),
        ("long", None, "5L", 5),
        ("long", None, "5", "5"),
        ("float", None, "1.5f", 1.5),
        ("float", None, "1.5", "1.5"),
        ("double", None, "1e3", 1000.0),
        ("boolean", None, "True", "True"),
        ("char", None, "'x'", "'x'"),
        ("String", None, '"s"', '"s"'),
        ("integer", None, "1" * 5000, "1" * 5000),
        ("Array", "String", 'new String[]{"a", "b"}', ['"a"', '"b"']),
        ("Array", "integer", "new int[]{1, , 2}", [1, 2]),
        ("Array", "integer", "[1, 2]", "[1, 2]"),
        ("ArrayList", "String", 'new ArrayList<>(Arrays.asList("a", "b"))', ["a", "b"]),
        ("ArrayList", "String", 'new ArrayList<String>() {{ add("a"); add("b"); }}', ["a", "b"]),
        ("ArrayList", "long", "new ArrayList<>(Arrays.asList(1L, 2))", [1, "2"]),
        ("ArrayList", "any", "new ArrayList<>()", []),
        (
            "HashMap",
            None,
            'new HashMap<String, Object>() {{ put("k", 1); put("t", true); }}',
            {"k": 1, "t": True},
        ),
        ("HashMap", None, "new HashMap<>()", {}),
        ("HashMap", None, "Map.of()", "Map.of()"),
    ],
)
def test_java(word: str, element: str | None, text: str, value: Any) -> None:
    read = convert_java.converter_for(word, element)(text)

    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("word", "element", "text", "value"),
    [
        ("String", None, "'s'", "s"),
        ("integer", None, "1.0", "1.0"),
        ("float", None, "1e3", "1e3"),
        ("float", None, "3", 3.0),
        ("Bigint", None, "5n", 5),
        ("Boolean", None, "true", True),
        ("any", None, "'s'", "'s'"),
        ("array", "String", '["a", "b"]', ["a", "b"]),
        ("array", "integer", "new Array(1, 2)", [1, 2]),
        ("array", "float", "[[1, 2], [3]]", [[1, 2], [3]]),
        ("array", "String", '["a,b"]', ['"a', 'b"']),
        ("array", "String", "x", "x"),
        ("dict", None, "{}", {}),
        ("dict", None, '{a: "5", b: [1, "x"], c: true}', {"a": 5, "b": [1, "x"], "c": True}),
        ("dict", None, "{a: {b: 1}, c: 2}", {"a": "{b: 1"}),
    ],
)
def test_javascript(word: str, element: str | None, text: str, value: Any) -> None:
    read = convert_javascript.converter_for(word, element)(text)

    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "[" + "[1]," * 1300,  # officially exponential
        "[[" + "],[" * 1300,
        "{" + "a:,   " * 600,
        "new HashMap<" * 330,
        "new HashMap<>() {{ " + 'put("' * 700 + "}}",
        "new ArrayList<>() {{" + " " * 3900,
        "new ArrayList<>(Arrays.asList(" * 130,
    ],
)
def test_crafted_text_is_read_without_backtracking(text: str) -> None:
    for word in ("ArrayList", "Array", "HashMap"):
        convert_java.converter_for(word, "String")(text)
    for word in ("array", "dict"):
        convert_javascript.converter_for(word, "String")(text)


def test_collections_beyond_the_cap_stay_text() -> None:
    text = "[" + "1," * 5000 + "1]"

    assert convert_javascript.converter_for("array", "integer")(text) == text
