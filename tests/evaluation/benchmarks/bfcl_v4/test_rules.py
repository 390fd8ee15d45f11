"""The rules of one call, each with its official error type and its kind of fault."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4 import faults
from evaluation.benchmarks.bfcl_v4.accepted import expected_call
from evaluation.benchmarks.bfcl_v4.rules import first_fault

DESCRIPTION = {
    "name": "shop.order",
    "parameters": {
        "required": ["item"],
        "properties": {
            "item": {"type": "string"},
            "count": {"type": "integer"},
            "price": {"type": "float"},
            "sizes": {"type": "array", "items": {"type": "float"}},
            "pair": {"type": "tuple", "items": {"type": "integer"}},
            "tags": {"type": "array", "items": {"type": "string"}},
            "box": {"type": "dict"},
            "rows": {"type": "array", "items": {"type": "dict"}},
            "gift": {"type": "boolean"},
            "who": {"type": "integer"},
            "note": {"type": "string"},
            "none": {"type": "array", "items": {"type": "integer"}},
        },
    },
}
ACCEPTED: dict[str, list[Any]] = {
    "item": ["Red, Car"],
    "count": [2, ""],
    "price": [5.0, ""],
    "sizes": [[1.0, 2.5]],
    "pair": [[1, 2], ""],
    "tags": ["", ["A b", "c"]],
    "box": [{"w": [1, 2], "h": ["", "tall"]}, ""],
    "rows": [[{"k": [1]}, {"k": [2]}], ""],
    "gift": [True, ""],
    "who": ["user_id", ""],
    "note": ["", None],
    "none": [],
}
MISSING: dict[str, Any] = {"sizes": [1.0, 2.5], "item": "Red, Car"}


NAMELESS: dict[Any, Any] = {None: "x", **MISSING}


def fault_of(**arguments: Any) -> str | None:
    wanted = {
        key: value for key, value in ACCEPTED.items() if key != "none" or "none" in arguments
    }
    expected = expected_call(DESCRIPTION, wanted, "python", underscore=True)
    found = first_fault({"shop_order": MISSING | arguments}, expected, "python")
    return None if found is None else found.error_type


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({}, None, id="optional-left-out"),
        pytest.param({"item": "RED-CAR ."}, None, id="text-without-blanks-and-signs"),
        pytest.param({"item": "red\tcar"}, faults.VALUE_STRING, id="tab-stays"),
        pytest.param({"item": ["Red, Car"]}, faults.TYPE_SIMPLE, id="list-for-text"),
        pytest.param({"count": 2}, None, id="integer"),
        pytest.param({"count": 2.0}, faults.TYPE_SIMPLE, id="float-is-no-integer"),
        pytest.param({"count": True}, faults.TYPE_SIMPLE, id="true-is-no-integer"),
        pytest.param({"count": 3}, faults.VALUE_OTHER, id="other-integer"),
        pytest.param({"price": 5}, None, id="integer-for-float"),
        pytest.param({"price": 10**400}, faults.TYPE_SIMPLE, id="integer-beyond-float"),
        pytest.param({"price": float("nan")}, faults.VALUE_OTHER, id="nan"),
        pytest.param({"sizes": [1, 2.5]}, faults.TYPE_NESTED, id="integer-in-floats"),
        pytest.param({"sizes": []}, faults.VALUE_LIST, id="empty-list-has-a-type"),
        pytest.param({"sizes": (1.0, 2.5)}, faults.TYPE_SIMPLE, id="tuple-for-array"),
        pytest.param({"pair": (1, 2)}, None, id="tuple-for-tuple"),
        pytest.param({"pair": [1.0, 2]}, None, id="omittable-lets-elements-pass"),
        pytest.param({"tags": ["a B", "C"]}, None, id="texts-in-a-list"),
        pytest.param({"tags": ["c", "a b"]}, faults.VALUE_LIST, id="order-matters"),
        pytest.param({"tags": []}, None, id="empty-list-where-omittable"),
        pytest.param({"box": {"w": 1}}, None, id="dict"),
        pytest.param({"box": {"w": True, "h": "TALL"}}, None, id="true-is-1-inside"),
        pytest.param({"box": {"w": 3}}, faults.DICT_VALUE, id="dict-value"),
        pytest.param({"box": {"w": 3, "x": 1}}, faults.DICT_VALUE, id="first-fault-of-a-dict"),
        pytest.param({"box": {"h": "short"}}, faults.DICT_KEY, id="missing-key-wins"),
        pytest.param({"box": {"w": 1, "x": 1}}, faults.DICT_KEY, id="dict-key"),
        pytest.param({"rows": [{"k": 1}, {"k": 2}]}, None, id="dicts"),
        pytest.param({"rows": []}, None, id="no-dicts-where-omittable"),
        pytest.param({"rows": [{"k": 2}, {"k": 1}]}, faults.DICTS_COUNT, id="last-alternative"),
        pytest.param({"rows": [1, 2]}, faults.DICTS_COUNT, id="officially-a-crash"),
        pytest.param({"gift": 1}, faults.TYPE_SIMPLE, id="1-is-not-true"),
        pytest.param({"who": "user_id"}, None, id="variable"),
        pytest.param({"who": "USER_ID"}, faults.VALUE_OTHER, id="variable-is-exact"),
        pytest.param({"who": 5}, faults.VALUE_OTHER, id="value-for-variable"),
        pytest.param({"note": None}, None, id="null-where-accepted"),
        pytest.param({"note": ""}, None, id="omittable-text-matches-itself"),
        pytest.param({"none": [1]}, faults.TYPE_SIMPLE, id="nothing-accepted"),
        pytest.param({"zz": 1}, faults.UNEXPECTED, id="unknown-parameter"),
    ],
)
def test_arguments(arguments: dict[str, Any], error: str | None) -> None:
    assert fault_of(**arguments) == error


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ({"shop.order": MISSING}, faults.WRONG_NAME),
        ({"shop_order": {"sizes": [1.0, 2.5]}}, faults.MISSING_REQUIRED),
        ({"shop_order": {"item": "red car"}}, faults.MISSING_OPTIONAL),
        ({"shop_order": NAMELESS}, faults.UNEXPECTED),
    ],
)
def test_names_and_missing_arguments(call: dict[str, Any], error: str) -> None:
    wanted = {key: value for key, value in ACCEPTED.items() if key != "none"}
    expected = expected_call(DESCRIPTION, wanted, "python", underscore=True)

    found = first_fault(call, expected, "python")

    assert found is not None
    assert found.error_type == error
    assert found.fault is faults.FAULTS[error]
