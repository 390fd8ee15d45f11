"""Formulas as the methodology page prints them, computed as printed, give what the code gives."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import intervals, paired
from leaderboard.methods import Method

SIGNS = str.maketrans(
    {"·": "*", "÷": "/", "−": "-", "²": "**2", "√": "sqrt", "Σ": "total", "₁": "1", "₂": "2"}
)
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {"sqrt": np.sqrt, "total": np.sum, "min": min}


def compute(method: Method, sign: str = "+", **given: Any) -> float:
    """A formula as it is printed; ± is taken as `sign`. Letters that are given stay as given."""
    told = {name: formula for name, formula in method.where if name not in given}

    def value(node: ast.expr) -> Any:
        match node:
            case ast.BinOp(left, act, right):
                return OPERATORS[type(act)](value(left), value(right))
            case ast.Call(ast.Name(name), arguments):
                return FUNCTIONS[name](*map(value, arguments))
            case ast.Name(name) if name in given:
                return given[name]
            case ast.Name(name):
                return read(told[name])
            case ast.Constant(number):
                return number
        raise AssertionError(f"{ast.dump(node)} is not part of any formula")

    def read(formula: str) -> Any:
        return value(ast.parse(formula.replace("±", sign).translate(SIGNS), mode="eval").body)

    return float(read(method.formula))


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_computed_as_printed(counts: tuple[int, int]) -> None:
    correct, n = counts

    found = intervals.wilson(correct / n, n)

    printed = [compute(intervals.WILSON, sign, correct=correct, n=n) for sign in "-+"]
    assert found == pytest.approx(printed, abs=1e-4)  # z is printed with three decimals


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(90, 400)), min_size=1, max_size=6),
)
def test_the_interval_of_an_average_is_computed_as_printed(
    categories: Sequence[tuple[int, int]],
) -> None:
    correct, n = (np.array(column) for column in zip(*categories, strict=True))
    weight = 1 / len(categories)
    mean = float(np.mean(correct / n))
    spread = intervals.variance_of_average(
        {str(at): weight for at in range(len(n))},
        {str(at): intervals.variance(correct[at] / n[at], int(n[at])) for at in range(len(n))},
    )

    low, high = intervals.around(mean, spread)

    printed = [
        compute(intervals.MEAN, sign, M=mean, w=weight, correct=correct, n=n) for sign in "-+"
    ]
    assert (low, high) == pytest.approx((max(0, printed[0]), min(1, printed[1])), abs=1e-4)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0.01, 0.5))
def test_a_paired_mean_is_tested_as_printed(b: int, c: int, difference: float) -> None:
    spread = sum(0.25 * paired.variance_of_difference(b, c, 60) for _ in range(2))

    printed = compute(
        paired.PAIRED, M1=difference, M2=0.0, w=0.5, n=60, b=np.array([b, b]), c=np.array([c, c])
    )

    assert difference / sqrt(spread) == pytest.approx(printed)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_what_is_printed(b: int, c: int) -> None:
    def tail(k: int) -> float:
        return float(sum(comb(b + c, i) for i in range(k + 1)) / 2 ** (b + c))

    strength = float(paired.mcnemar(np.array([[0, b], [c, 0]], np.int64))[0, 1])

    formula = paired.MCNEMAR.formula
    assert formula == "min(1, 2·P(X ≤ min(b, c)))"  # what the next line computes
    assert strength == pytest.approx(paired.strength(min(1.0, 2 * tail(min(b, c)))), abs=1e-6)


def test_the_correction_is_what_is_printed() -> None:
    level = 1 - intervals.LEVEL

    thresholds = paired._thresholds(5)

    assert f"≤ {level:.2f} ÷ (N − k)" in paired.HOLM.formula
    assert list(thresholds[:-1]) == [
        pytest.approx(paired.strength(level / (5 - k))) for k in range(1, 5)
    ]


def test_a_range_is_what_is_printed() -> None:
    first, last = intervals.Comparisons(better=2, worse=3, apart_below=None).span(9)

    low, high = intervals.RANGE.formula.split(" … ")
    formulas = [Method("", low), Method("", high)]
    assert [first, last] == [compute(one, better=2, N=9, worse=3) for one in formulas]


@pytest.mark.django_db
def test_the_page_prints_them(client: Client) -> None:
    page = client.get("/methodology/").text

    for method in (*intervals.METHODS, *paired.METHODS):
        assert f"<dt>{method.title}</dt><dd>{method.written}" in page
        assert method.source in page
