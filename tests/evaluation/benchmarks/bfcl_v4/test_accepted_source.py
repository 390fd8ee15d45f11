"""The accepted answers of the Java and JavaScript cases, written as source, are judged right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData
from tests.evaluation.benchmarks.bfcl_v4.accepted import OMITTED, value_of
from tests.evaluation.benchmarks.bfcl_v4.setups import FC, called

pytestmark = pytest.mark.usefixtures("data")

# Arrays of String: a text's quotes stay, and the accepted texts have none.
QUOTED = {f"simple_java_{number}" for number in (35, 78, 83, 85, 86, 89, 90, 91)}
# Lists of anything: every element stays text, and the answers hold a number and truth values.
MIXED = {"simple_java_36", "simple_java_65"}
IMPOSSIBLE: dict[str, set[str]] = {"simple_java": QUOTED | MIXED, "simple_javascript": set()}


def in_java(value: Any, word: str, element: str) -> str:
    """A value as Java source of a declared type; names and expressions stand for themselves."""
    if isinstance(value, list):
        items = ", ".join(plain(item) if element != "long" else f"{item}L" for item in value)
        is_list = word == "ArrayList"
        return f"new ArrayList<>(Arrays.asList({items}))" if is_list else f"new T[]{{{items}}}"
    if isinstance(value, dict):
        puts = "".join(f"put({json.dumps(key)}, {plain(item)}); " for key, item in value.items())
        return f"new HashMap<String, Object>() {{{{ {puts}}}}}"
    if word == "long":
        return f"{value}L"
    return value if isinstance(value, str) else plain(value)


def in_javascript(value: Any, word: str, element: str) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value)
    return value if isinstance(value, str) else plain(value)


def plain(value: Any) -> str:
    return json.dumps(value)


def source_of(case: CaseData) -> list[dict[str, str]]:
    """An FC result with the first accepted values, what may be left out left out."""
    write = in_java if case.category == "simple_java" else in_javascript
    ((name, accepted),) = case.answer[0].items()
    declared = case.question["function"][0]["parameters"]["properties"]
    arguments = {
        key: write(value_of(options), declared[key]["type"], element_of(declared[key]))
        for key, options in accepted.items()
        if OMITTED not in options
    }
    return [called(name.replace(".", "_"), **arguments)]


def element_of(declared: dict[str, Any]) -> str:
    return str(declared.get("items", {}).get("type", ""))


@pytest.mark.parametrize("category", IMPOSSIBLE)
def test_the_accepted_answer_is_right(category: str) -> None:
    wrong = {
        case.id: verdict.message
        for case in SUITE.cases(category)
        if not (verdict := SUITE.judge(case, source_of(case), FC)).valid
    }

    assert wrong.keys() == IMPOSSIBLE[category], wrong
