"""What a model is told about each tool, read from a checkout without running any of it.

Either a list `tools.json`, or the class attributes in the source files, which must be literals.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluation.benchmarks.apibank.tools import DIALOGUE_TOOLS, PLANNING_TOOLS
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.engine.types import JSON

PARTS = ("description", "input_parameters", "output_parameters")
LARGEST_SOURCE = 200_000  # bytes of one tool's source file
FOLDERS = {"dialogue": "apis", "planning": "lv3_apis"}

Descriptions = Mapping[str, Mapping[str, Mapping[str, JSON]]]


def read_descriptions(root: Path) -> Descriptions:
    """`{"dialogue" | "planning": {tool: {name, description, input_parameters, …}}}`.

    Raises BenchmarkMissing, BenchmarkBroken.
    """
    listed = root / "tools.json"
    found = dict(_listed(listed)) if listed.is_file() else dict(_sources(root))
    for group, tools in (("dialogue", DIALOGUE_TOOLS), ("planning", PLANNING_TOOLS)):
        for name, tool in tools.items():
            if name not in found.get(group, {}):
                raise BenchmarkMissing(f"The checkout describes no tool {name} ({group}).")
            parameters = found[group][name]["input_parameters"]
            if {key: value["type"] for key, value in parameters.items()} != tool.parameters:
                raise BenchmarkBroken(f"{name} takes other parameters than expected.")
    return found


def _listed(path: Path) -> Iterator[tuple[str, dict[str, JSON]]]:
    groups: dict[str, dict[str, JSON]] = {"dialogue": {}, "planning": {}}
    for tool in json.loads(path.read_text("utf-8")):
        group = "planning" if "L3" in tool["levels"] else "dialogue"
        shown = {part: tool[part] for part in PARTS}
        groups[group][tool["name"]] = {"name": tool["name"], **shown}
    yield from groups.items()


def _sources(root: Path) -> Iterator[tuple[str, dict[str, JSON]]]:
    for group, folder in FOLDERS.items():
        tools: dict[str, JSON] = {}
        for path in sorted((root / folder).glob("*.py")):
            if path.stat().st_size <= LARGEST_SOURCE:
                tools |= dict(_classes(path))
        yield group, tools


def _classes(path: Path) -> Iterator[tuple[str, JSON]]:
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.ClassDef):
            continue
        parts: dict[str, JSON] = {"name": node.name}
        for line in node.body:
            target = line.targets[0] if isinstance(line, ast.Assign) else None
            if isinstance(target, ast.Name) and target.id in PARTS:
                assert isinstance(line, ast.Assign)
                parts[target.id] = ast.literal_eval(line.value)
        if all(part in parts for part in PARTS):
            yield node.name, parts
