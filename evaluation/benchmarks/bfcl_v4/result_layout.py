"""Where the official tool keeps its files: a folder for each model, below it these."""

from __future__ import annotations

import re

_FILE = re.compile(r"BFCL_(v\d+)_([a-z0-9_]{1,60}?)_result\.json(?:l)?(?:\.gz)?")

GROUPS = {  # folder of each group of categories in a result directory
    "multi_turn": "multi_turn",
    "web_search": "agentic",
    "memory_kv": "agentic/memory/kv",
    "memory_vector": "agentic/memory/vector",
    "memory_rec_sum": "agentic/memory/rec_sum",
    "format_sensitivity": "format_sensitivity",
    "live_": "live",
}


def folder_of(category: str) -> str:
    """The official folder of a category's files, below the model's own."""
    return next(
        (folder for start, folder in GROUPS.items() if category.startswith(start)), "non_live"
    )


def path_of(category: str, kind: str = "result") -> str:
    """``non_live/BFCL_v4_simple_python_result.json``; `kind` is result or score."""
    return f"{folder_of(category)}/BFCL_v4_{category}_{kind}.json"


def named(file: str) -> tuple[str, str] | None:
    """Benchmark version and category that the name of a result file promises, else None."""
    found = _FILE.fullmatch(file)
    return (found[1], found[2]) if found else None


def is_beside_the_point(path: str) -> bool:
    """Files that the official tool keeps among the results, and what archives carry along."""
    parts = path.split("/")
    last = parts[-1]
    return (
        last.startswith((".", "_"))
        or "__MACOSX" in parts
        or "memory_snapshot" in parts
        or last.endswith(("_score.json", ".csv", ".lock", "_prereq_result.json"))
        or last == "manifest.json"
    )
