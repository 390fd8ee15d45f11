"""Judging one call against one that is due: small rules, in the order of the benchmark.

The order decides which fault is published when a call has several, and lets each rule rely on
what those before it have checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.benchmarks.bfcl_v4 import faults
from evaluation.benchmarks.bfcl_v4.accepted import Expected, Parameter
from evaluation.benchmarks.bfcl_v4.faults import wrong
from evaluation.benchmarks.bfcl_v4.values import OMITTED
from evaluation.engine.text import shown
from evaluation.engine.types import Judgement

SHOWN_CHOICES = 4  # most accepted values named in a sentence
_NATIVE_ERRORS = {"java": faults.TYPE_JAVA, "javascript": faults.TYPE_JAVASCRIPT}
_NATIVE_NAMES = {"java": "Java", "javascript": "JavaScript"}


def first_fault(call: Mapping[str, Any], expected: Expected, language: str) -> Judgement | None:
    """Judge one call ``{name: {parameter: value}}``: None if right, else its first fault."""
    if expected.name not in call:
        return _wrong_name(call, expected)
    arguments = call[expected.name]
    for name in expected.required:
        if name not in arguments:
            message = f"{expected.name} needs {name}, which is missing."
            return wrong(faults.MISSING_REQUIRED, message, name)
    check = _python_fault if language == "python" else _native_fault
    for name, value in arguments.items():
        parameter = expected.parameters.get(name)
        fault = (
            _unexpected(name, expected) if parameter is None else check(parameter, value, language)
        )
        if fault is not None:
            return fault
    for name in expected.obligatory:
        if name not in arguments:
            message = f"{name} was left out, and every accepted answer to this question has it."
            return wrong(faults.MISSING_OPTIONAL, message, name)
    return None


def _wrong_name(call: Mapping[str, Any], expected: Expected) -> Judgement:
    called = ", ".join(map(str, call))[:200] or "nothing"
    return wrong(
        faults.WRONG_NAME, f"{called} was called; {expected.name} was due.", expected.name
    )


def _unexpected(name: Any, expected: Expected) -> Judgement:
    if name is None:
        message = f"An argument of {expected.name} has no name."
        return wrong(faults.UNEXPECTED, message)
    message = f"{expected.name} was given {shown(name)}, which no accepted answer has."
    return wrong(faults.UNEXPECTED, message, str(name)[:200])


def _python_fault(parameter: Parameter, value: Any, _language: str) -> Judgement | None:
    """Quirks: a tuple may stand for a declared tuple, and an integer for a declared float.

    Both at the top level only; inside a list an integer is no float.
    """
    if parameter.word == "tuple" and type(value) is tuple:
        value = list(value)
    elif parameter.word == "float" and type(value) is int:
        try:
            value = float(value)
        except OverflowError:  # no float is that large, so the type is wrong
            return _wrong_type(parameter, value)
    return _value_fault(parameter, value)


def _native_fault(parameter: Parameter, value: Any, language: str) -> Judgement | None:
    """In Java and JavaScript every argument is asked for as a text of source code."""
    if type(value) is not str:
        message = (
            f"{parameter.name} must be a text with {_NATIVE_NAMES[language]} source;"
            f" it is {_described(value)}."
        )
        return wrong(_NATIVE_ERRORS[language], message, parameter.name)
    return _value_fault(parameter, parameter.convert(value) if parameter.convert else value)


def _value_fault(parameter: Parameter, value: Any) -> Judgement | None:
    kind = type(value)
    if kind is parameter.kind:
        if parameter.element_kinds is not None and not _elements_fit(parameter, value):
            return _wrong_element(parameter, value)
        error = parameter.of_kind(value)
    elif kind is parameter.answer_kind:
        error = parameter.of_answer_kind(value)
    else:
        return _wrong_type(parameter, value)
    return None if error is None else _wrong_value(error, parameter, value)


def _elements_fit(parameter: Parameter, value: list[Any]) -> bool:
    alternatives = parameter.element_kinds or ()
    return any(all(type(item) in kinds for item in value) for kinds in alternatives)


def _wrong_element(parameter: Parameter, value: Any) -> Judgement:
    if not parameter.accepted:  # quirk: with no accepted value, not even the outer type is right
        return _wrong_type(parameter, value)
    message = (
        f"{parameter.name} is {shown(value)}, whose elements are not of the type that is due."
    )
    return wrong(faults.TYPE_NESTED, message, parameter.name)


def _wrong_type(parameter: Parameter, value: Any) -> Judgement:
    message = f"{parameter.name} is {_described(value)}; the declared type is {parameter.word}."
    return wrong(faults.TYPE_SIMPLE, message, parameter.name)


_VALUE_SENTENCES = {
    faults.DICT_KEY: "lacks an entry that is due or has one that is not accepted",
    faults.DICT_VALUE: "has an entry with a value that is not accepted",
    faults.DICTS_COUNT: "does not have as many entries as an accepted answer",
}


def _wrong_value(error: str, parameter: Parameter, value: Any) -> Judgement:
    what = _VALUE_SENTENCES.get(error, "is not among the accepted values")
    message = f"{parameter.name} is {shown(value)}, which {what}; accepted: {_choices(parameter)}."
    return wrong(error, message, parameter.name)


def _choices(parameter: Parameter) -> str:
    options = [shown(value) for value in parameter.accepted if value != OMITTED]
    more = len(options) - SHOWN_CHOICES
    listed = " or ".join(options[:SHOWN_CHOICES]) or "none"
    return f"{listed} and {more} more" if more > 0 else listed


def _described(value: Any) -> str:
    return "null" if value is None else f"{shown(value)}, {_kind_name(type(value))}"


def _kind_name(kind: type) -> str:
    return {
        str: "a text",
        int: "an integer",
        float: "a float",
        bool: "a boolean",
        list: "a list",
        tuple: "a tuple",
        dict: "a dict",
    }.get(kind, kind.__name__)
