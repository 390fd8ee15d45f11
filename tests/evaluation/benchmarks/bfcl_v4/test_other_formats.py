"""Prompt mode's other answer formats, and Java and JavaScript source."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4 import trees
from evaluation.benchmarks.bfcl_v4.decode import Undecodable, calls_in, is_calls
from evaluation.benchmarks.suite import BenchmarkMissing
from evaluation.engine.types import Mode

PARAMETER = (
    '<functions><function name="f"><param name="a" type="{}">{}</param></function></functions>'
)


def read(text: str, form: str, *, has_tag: bool = False) -> Any:
    return calls_in(text, Mode.PROMPT, form, has_tag=has_tag)


def test_the_first_tag_holds_the_calls_and_its_lack_is_an_error() -> None:
    assert read("so: <TOOLCALL>f(a=1)</TOOLCALL> end", "python", has_tag=True) == [{"f": {"a": 1}}]
    with pytest.raises(Undecodable):
        read("f(a=1)", "python", has_tag=True)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param('[{"function": "f", "parameters": {"a": 1}}]', [{"f": {"a": 1}}], id="plain"),
        pytest.param(
            '```json\n[{"function":"f","parameters":{}}]\n```', [{"f": {}}], id="in-a-fence"
        ),
        pytest.param("not json", [], id="no-json-is-no-call"),
        pytest.param(
            '[{"function": "f", "parameters": {"a": [{"b": 1}]}}]',
            [],
            id="cut-short-at-inner-list",
        ),
        pytest.param("[1, 2]", [], id="numbers-are-no-calls"),
    ],
)
def test_json_answers(text: str, calls: list[Any]) -> None:
    assert read(text, "json") == calls


def test_a_json_call_without_parameters_is_undecodable() -> None:
    with pytest.raises(Undecodable):
        read('[{"function": "f"}]', "json")


def test_xml_values_have_the_type_they_name() -> None:
    verbose = (
        '<functions><function name="f"><params><param name="a" value="1" type="integer"/>'
        '<param name="b" value="[1, (2,)]" type="array"/><param name="c" value="TRUE"'
        ' type="boolean"/></params></function></functions>'
    )
    concise = (
        '<functions><function name="f"><param name="a" type="float"> 1 </param>'
        '<param name="b"></param></function></functions>'
    )

    assert read(verbose, "verbose_xml") == [{"f": {"a": 1, "b": [1, (2,)], "c": True}}]
    assert read(concise, "concise_xml") == [{"f": {"a": 1.0, "b": ""}}]


@pytest.mark.parametrize(
    "text",
    [
        "<functions><function name='f'>",
        "<functions><function/></functions>",
        PARAMETER.format("integer", "x"),
        PARAMETER.format("dict", "f()"),
        "<functions>&a;</functions>",
    ],
)
def test_broken_xml_is_undecodable(text: str) -> None:
    with pytest.raises(Undecodable):
        read(text, "concise_xml")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param('[a.f(x="s", y=5L)]', [{"a.f": {"x": "s", "y": "5L"}}], id="named"),
        pytest.param("[f(x=new int[]{1, 2})]", [{"f": {"x": "new int[]{1,2}"}}], id="array"),
        pytest.param(
            '[f(m=new HashMap<String, Object>() {{ put("k", 1); }})]',
            [{"f": {"m": "new HashMap<String,Object>()"}}],
            id="initialiser-is-lost",
        ),
        pytest.param(
            "[f(x=String.class, y=c)]", [{"f": {"x": "String.class", "y": "c"}}], id="names"
        ),
    ],
)
def test_java_source(text: str, calls: list[Any]) -> None:
    assert read(text, "java") == calls


def test_a_letter_outside_ascii_shifts_what_is_cut_from_java_source() -> None:
    calls = read('[f(x="é", y="ab")]', "java")

    assert calls == [{"f": {"x": 'é"', "=": 'b"'}}]


def test_without_tree_sitter_a_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    trees.parser.cache_clear()

    with pytest.raises(BenchmarkMissing, match="tree-sitter"):
        read("[f()]", "java")


@pytest.mark.parametrize(("form", "nothing"), [("java", {}), ("javascript", None)])
def test_source_without_a_call_is_no_list_of_calls(form: str, nothing: object) -> None:
    calls = read("[;]", form)

    assert calls == nothing
    assert not is_calls(calls)


@pytest.mark.parametrize("form", ["java", "javascript"])
@pytest.mark.parametrize("text", ["f(", "[f(x=1, x=2)]", "f(x=\ud800)", "f(" * 20_000])
def test_broken_source_is_undecodable(form: str, text: str) -> None:
    with pytest.raises(Undecodable):
        read(text, form)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param("[f(x='s', y=[1, 2])]", [{"f": {"x": "s", "y": "[1, 2]"}}], id="named"),
        pytest.param("[a.b(c, true)]", None, id="two-bare"),
        pytest.param("[f(x=1), g(y=2)]", None, id="two-calls-are-none"),
    ],
)
def test_javascript_source(text: str, calls: Any) -> None:
    if text.startswith("[a.b"):
        with pytest.raises(Undecodable):
            read(text, "javascript")
    else:
        assert read(text, "javascript") == calls
