"""Cells of tables that people open in a spreadsheet: text stays text there."""

from __future__ import annotations

import unicodedata
from typing import Any

# A spreadsheet takes text that begins with one of these for a formula.
FORMULA_STARTS = frozenset("=+-@\N{MINUS SIGN}")  # also in wide, small and raised forms
SPLITS_CELLS = frozenset("\t\r\n\0")
INVISIBLE = frozenset(("Cc", "Cf", "Zl", "Zp", "Zs"))  # categories of letters that readers skip


def neutral(cell: Any) -> Any:
    """A cell that no spreadsheet runs: text that looks like a formula gets an apostrophe.

    Numbers stay numbers, negative ones too.
    """
    return f"'{cell}" if isinstance(cell, str) and _begins_a_formula(cell) else cell


def _begins_a_formula(text: str) -> bool:
    for letter in text:
        if letter in SPLITS_CELLS:
            return True
        if unicodedata.category(letter) not in INVISIBLE:
            return unicodedata.normalize("NFKC", letter) in FORMULA_STARTS
    return False
