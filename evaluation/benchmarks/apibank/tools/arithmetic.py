"""Sums of whole numbers, worked out by hand: a model's text is never evaluated as code."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from evaluation.benchmarks.apibank.tools.base import Arguments, State, ToolError
from evaluation.engine.types import JSON

TOKEN = re.compile(r"\d+|[-+*/()]")
STEPS: dict[str, tuple[int, Callable[[float, float], float]]] = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
}
LONGEST_FORMULA = 2000  # characters; longer ones are refused before they are read
INVALID = "invalid formula"


def calculate(formula: str) -> float:
    """The value of a formula with + - * / and brackets. Raises ToolError."""
    text = formula.replace(" ", "")
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text or len(text) > LONGEST_FORMULA or len(tokens) < 2:
        raise ToolError(INVALID)
    values: list[float] = []
    waiting: list[str] = []
    try:
        for token in tokens:
            _take(token, values, waiting)
        while waiting:
            _apply(values, waiting.pop())
    except (IndexError, KeyError):
        raise ToolError(INVALID) from None
    except ArithmeticError as fault:
        raise ToolError(str(fault)) from None
    if len(values) != 1:
        raise ToolError(INVALID)
    return float(values[0])


def _take(symbol: str, values: list[float], waiting: list[str]) -> None:
    if symbol == "(":
        waiting.append(symbol)
    elif symbol == ")":
        while waiting[-1] != "(":
            _apply(values, waiting.pop())
        waiting.pop()
    elif symbol in STEPS:
        while waiting and waiting[-1] != "(" and STEPS[waiting[-1]][0] >= STEPS[symbol][0]:
            _apply(values, waiting.pop())
        waiting.append(symbol)
    else:
        values.append(float(int(symbol)))


def _apply(values: list[float], sign: str) -> None:
    right, left = values.pop(), values.pop()
    values.append(STEPS[sign][1](left, right))


def run(state: State, given: Arguments) -> JSON:
    return calculate(given["formula"])
