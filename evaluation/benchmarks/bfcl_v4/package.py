"""Where the benchmark's own package lies on disk, and the texts in its source files.

The package is located without importing it, and its source is read as text: nothing of it runs.
"""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing

PACKAGE = "bfcl_eval"
DISTRIBUTION = "bfcl-eval"
INSTALL = "pip install --no-deps --require-hashes -r requirements-benchmarks.txt"


@cache
def root() -> Path:
    """The directory of the installed package. Raises BenchmarkMissing."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise BenchmarkMissing(f"BFCL V4's data is not installed; run: {INSTALL}")
    return Path(next(iter(found.submodule_search_locations)))


def constants(relative: str) -> dict[str, Any]:
    """Read the literal assignments of one of the package's source files.

    Only literals, names bound before, and sums of texts are understood; the rest is skipped.

    Raises:
        BenchmarkMissing: The package is not installed.
        BenchmarkBroken: The file is missing or is not Python.
    """
    try:
        tree = ast.parse((root() / relative).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise BenchmarkBroken(f"{PACKAGE}/{relative} cannot be read: {error}") from error
    known: dict[str, Any] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                known[statement.targets[0].id] = _resolve(statement.value, known)
            except (KeyError, ValueError):
                continue
    return known


def _resolve(node: ast.expr, known: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Dict) and None not in node.keys:
        keys = [_resolve(key, known) for key in node.keys if key is not None]
        return dict(zip(keys, (_resolve(value, known) for value in node.values), strict=True))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _resolve(node.left, known) + _resolve(node.right, known)
    return ast.literal_eval(node)
