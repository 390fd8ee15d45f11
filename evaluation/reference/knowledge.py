"""Values that a conversation has given already, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.reference.schema import Parameter
from evaluation.reference.words import name_stems

NUMBERS = ("integer", "number")


@dataclass(frozen=True, slots=True)
class Known:
    """Named values; `is_loose` takes one whose name a parameter's words are made of as well."""

    values: Mapping[str, Any] = field(default_factory=dict)
    is_loose: bool = False

    def value_of(self, parameter: Parameter) -> Any:
        """What is known for a parameter, None if nothing is."""
        names = [parameter.name] if parameter.name in self.values else []
        if self.is_loose:
            names += [name for name in self.values if _is_akin(name, parameter)]
        found = (self.values[name] for name in names)
        return next((value for value in found if _suits(parameter, value)), None)


def _is_akin(name: str, parameter: Parameter) -> bool:
    """`description` for weather conditions that are described; `start_time` for a time."""
    stems = set(name_stems(name))
    words = {*parameter.stems, *parameter.about}
    return bool(stems) and (stems <= words or set(parameter.stems) <= stems)


def _suits(parameter: Parameter, value: Any) -> bool:
    if parameter.type in NUMBERS:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if parameter.type == "array":
        return isinstance(value, list)
    return parameter.type == "string" and isinstance(value, str)


NOTHING = Known()
