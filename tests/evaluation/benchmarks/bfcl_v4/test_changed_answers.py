"""An accepted answer with one thing changed is wrong and says why; order does not matter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.bfcl_v4 import judge
from evaluation.benchmarks.bfcl_v4.decode import calls_in
from evaluation.benchmarks.bfcl_v4.rules import first_fault
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Fault, Mode
from tests.evaluation.benchmarks.bfcl_v4.accepted import WITH_CALLS, accepted_calls, pairs
from tests.evaluation.benchmarks.bfcl_v4.setups import FC, called, case_of

pytestmark = pytest.mark.usefixtures("data")


@st.composite
def mutated(draw: st.DrawFn) -> tuple[CaseData, list[dict[str, str]], str]:
    """A case, its accepted calls with one thing changed, and what was changed."""
    category = draw(st.sampled_from(WITH_CALLS))
    case = draw(st.sampled_from(SUITE.cases(category)))
    calls = accepted_calls(case)
    place = draw(st.integers(0, len(calls) - 1))
    name, text = next(iter(calls[place].items()))
    arguments = json.loads(text)
    change = draw(st.sampled_from(["name", "extra call", "lost call", "unknown", "lost", "type"]))
    if change == "extra call":
        calls.append(calls[place])
    elif change == "lost call":
        del calls[place]
    elif change == "name":
        calls[place] = {name + "_": text}
    elif change == "unknown":
        calls[place] = called(name, **arguments, zz_unknown=1)
    elif arguments:
        key = draw(st.sampled_from(sorted(arguments)))
        if change == "lost":
            del arguments[key]
        else:
            arguments[key] = {"zz": {"zz": 1}}
        calls[place] = called(name, **arguments)
    else:
        calls.append(calls[place])
    return case, calls, change


@settings(max_examples=400, deadline=None)
@given(mutated())
def test_one_change_makes_the_accepted_answer_wrong_and_says_why(
    changed: tuple[CaseData, list[dict[str, str]], str],
) -> None:
    case, calls, _change = changed

    verdict = SUITE.judge(case, calls, FC)

    assert not verdict.valid
    assert verdict.error_type
    assert verdict.fault in set(Fault)
    assert verdict.message.endswith((".", "…"))


@st.composite
def with_another_value(draw: st.DrawFn) -> tuple[CaseData, list[dict[str, str]], bool]:
    """A case, its accepted calls with one value changed, and whether that is accepted too."""
    case = draw(st.sampled_from(SUITE.cases(draw(st.sampled_from(WITH_CALLS)))))
    calls = accepted_calls(case)
    places = [
        (place, name, key)
        for place, call in enumerate(calls)
        for name, text in call.items()
        for key in json.loads(text)
    ]
    assume(places)
    place, name, key = draw(st.sampled_from(places))
    arguments = json.loads(calls[place][name])
    arguments[key] = draw(others_than(arguments[key]))
    calls[place] = called(name, **arguments)
    (_, accepted) = list(pairs(case))[place]
    return case, calls, arguments[key] in accepted[key]


def others_than(value: Any) -> st.SearchStrategy[Any]:
    """Values of the same type that are near a value, and not equal to it."""
    if isinstance(value, bool):
        return st.just(not value)
    if isinstance(value, int | float):
        return st.sampled_from([value + 1, -value - 1, value * 10 + 1, value + 0.5])
    if isinstance(value, str):
        return st.sampled_from([value + " zz", "zz", value[: len(value) // 2] + "zz"])
    if isinstance(value, list):
        return st.sampled_from([[*value, *value, "zz"], [*value, value[-1] if value else "zz"]])
    return st.just({**value, "zz": "zz"} if isinstance(value, dict) else "zz")


@settings(max_examples=400, deadline=None)
@given(with_another_value())
def test_another_value_is_wrong_unless_it_too_is_accepted(
    changed: tuple[CaseData, list[dict[str, str]], bool],
) -> None:
    case, calls, is_accepted = changed

    verdict = SUITE.judge(case, calls, FC)

    assert verdict.valid == is_accepted
    assert is_accepted or (verdict.error_type and verdict.message)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_parallel_calls_in_any_order_are_paired_greedily_in_the_order_of_the_answers(
    data: st.DataObject,
) -> None:
    category = data.draw(st.sampled_from([name for name in WITH_CALLS if "parallel" in name]))
    case = data.draw(st.sampled_from(SUITE.cases(category)))
    calls = data.draw(st.permutations(accepted_calls(case)))

    verdict = SUITE.judge(case, calls, FC)

    due = judge.prepared(case, underscore=True).due
    made = calls_in(calls, Mode.FC)
    taken: list[int] = []
    for expected in due:
        fitting = [
            place
            for place, call in enumerate(made)
            if place not in taken and first_fault(call, expected, "python") is None
        ]
        taken += fitting[:1]
    assert verdict.valid == (len(taken) == len(due))


def test_a_lonely_expected_call_is_named() -> None:
    case = case_of("parallel_0")
    calls = accepted_calls(case)
    name = next(iter(calls[1]))

    verdict = SUITE.judge(case, [calls[0], {"other": "{}"}], FC)

    assert verdict.fault is Fault.NO_MATCH
    assert name in verdict.message
    assert verdict.where == name
