"""Values of a model's answer, shown: short, strict JSON, never raising."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.text import SHOWN_CHARACTERS, plain, shown

DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]
ODD = [
    (1, 2),
    b"x",
    3j,
    float("nan"),
    float("inf"),
    10**5000,
    {None: 1, (1, 2): {3}},
    "\ud800\0",
    ...,
    DEEP,
    ["x" * 10_000] * 100,
]


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_odd_values_become_strict_json_and_a_short_text(value: Any) -> None:
    kept = plain(value)

    assert json.loads(json.dumps(kept, allow_nan=False)) == kept
    assert len(shown(value)) <= SHOWN_CHARACTERS + 1


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_plain_json_stays_what_it_is(value: Any) -> None:
    if "\0" not in json.dumps(value):
        assert json.dumps(plain(value)) == json.dumps(value).replace("\\u0000", "\\ufffd")
