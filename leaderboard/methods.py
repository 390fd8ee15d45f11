"""How a number is found, in words and as a formula, told by the module that finds it.

The methodology page prints these. The constants in them are the code's own, and a test computes
every formula as it is written here and compares it with what the code gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Method:
    """One formula. `where` says what its letters are, by further formulas, each after its use."""

    title: str
    formula: str
    where: Sequence[tuple[str, str]] = ()
    words: str = ""
    source: str = ""

    @property
    def written(self) -> str:
        """The whole on one line."""
        return ", ".join([self.formula, *(f"{name} = {told}" for name, told in self.where)])
