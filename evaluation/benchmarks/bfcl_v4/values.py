"""Is a value among the accepted ones? One rule for each kind of value.

Each rule returns None for an accepted value, else the official error type. They take the
accepted values ready for comparison (see `accepted.py`) and never raise on a model's value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.benchmarks.bfcl_v4 import faults

OMITTED = ""  # among accepted values: the parameter may be left out
_IGNORED = re.compile(r"[ ,./\-_*^]")


def standard(text: str) -> str:
    """Put a text into the form in which texts are compared.

    Blanks and ``, . / - _ * ^`` go, letters become small, ``'`` becomes ``"``. Nothing else:
    tabs, brackets and letters of other widths stay what they are.
    """
    return _IGNORED.sub("", text).lower().replace("'", '"')


def standard_items(values: Sequence[Any]) -> list[Any]:
    """Standardise the texts of a list; lists within it stay as they are."""
    return [standard(value) if type(value) is str else value for value in values]


@dataclass(slots=True)
class AcceptedDict:
    """One acceptable dict: for each key its acceptable values, and the keys it must have."""

    values: Mapping[Any, list[Any]]
    obligatory: tuple[Any, ...]


def text_fault(value: str, accepted: frozenset[str]) -> str | None:
    return None if standard(value) in accepted else faults.VALUE_STRING


def list_fault(value: list[Any], accepted: Sequence[list[Any]]) -> str | None:
    return None if standard_items(value) in accepted else faults.VALUE_LIST


def other_fault(value: Any, accepted: Sequence[Any]) -> str | None:
    """Plain equality: 5.0 is 5, and texts that stand for variables must agree exactly."""
    return None if value in accepted else faults.VALUE_OTHER


def dict_fault(value: dict[Any, Any], accepted: Sequence[AcceptedDict]) -> str | None:
    """Quirk: when no alternative fits, the fault of the last one tried is reported."""
    fault: str | None = faults.DICT_UNCLEAR  # also when only "may be omitted" was accepted
    for alternative in accepted:
        fault = _alternative_fault(value, alternative)
        if fault is None:
            return None
    return fault


def _alternative_fault(value: dict[Any, Any], accepted: AcceptedDict) -> str | None:
    """Quirk: a missing key is reported even where a wrong value was found before it."""
    if any(key not in value for key in accepted.obligatory):
        return faults.DICT_KEY
    for key, item in value.items():
        if key not in accepted.values:
            return faults.DICT_KEY
        compared = standard(item) if type(item) is str else item
        if compared not in accepted.values[key]:
            return faults.DICT_VALUE
    return None


def dicts_fault(value: list[Any], accepted: Sequence[Sequence[AcceptedDict | None]]) -> str | None:
    """A list of dicts: equal length, and each dict fits the accepted one in its place."""
    fault: str | None = faults.DICTS_UNCLEAR
    for alternative in accepted:
        fault = _dicts_fault(value, alternative)
        if fault is None:
            return None
    return fault


def _dicts_fault(value: list[Any], accepted: Sequence[AcceptedDict | None]) -> str | None:
    if len(value) != len(accepted):
        return faults.DICTS_COUNT
    for item, wanted in zip(value, accepted, strict=True):
        if type(item) is not dict:
            # The official checker crashes here, which ends its whole run; this is wrong, no more.
            return faults.TYPE_NESTED
        fault = dict_fault(item, [] if wanted is None else [wanted])
        if fault is not None:
            return fault
    return None
