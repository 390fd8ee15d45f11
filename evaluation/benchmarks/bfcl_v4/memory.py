"""Memory categories: what a model is told about its memory, and the world that holds it."""

from __future__ import annotations

import ast
import json
from functools import cache

from evaluation.benchmarks.bfcl_v4 import package
from evaluation.benchmarks.bfcl_v4.prompts import texts
from evaluation.benchmarks.suite import BenchmarkBroken
from evaluation.engine.play import World
from evaluation.engine.types import JSON

FACTORY = "evaluation.benchmarks.bfcl_v4.memory_worlds:build"
SOURCES = "eval_checker/multi_turn_eval/func_source_code"
DESCRIBE = "_dump_core_memory_to_context"  # the official method that describes a memory


def world(class_name: str) -> World:
    """The world of one memory class; its `start` is the snapshot recalled."""
    return World(FACTORY, {"class": class_name})


def instruction(category: str, scenario: str, snapshot: JSON) -> str:
    """The system prompt that says who the model is, and shows the memory it always sees."""
    words = texts()
    is_unified = category == "memory_rec_sum"
    template: str = words[
        "MEMORY_BACKEND_INSTRUCTION_UNIFIED"
        if is_unified
        else "MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL"
    ]
    return template.format(
        scenario_setting=words["MEMORY_AGENT_SETTINGS"][scenario],
        memory_content=_content(category.removeprefix("memory_"), snapshot),
    )


def _content(backend: str, snapshot: JSON) -> str:
    if backend == "rec_sum":
        return (snapshot or {}).get("memory") or _nothing_yet(backend)
    core = (snapshot or {}).get("core_memory", {})
    if backend == "vector":  # quirk: an empty vector memory is shown as an empty object
        return json.dumps(core.get("store", {}), indent=4)
    return json.dumps(core, indent=4) if core else _nothing_yet(backend)


@cache
def _nothing_yet(backend: str) -> str:
    """The benchmark's sentence for an empty memory: the first text its method can return."""
    path = package.root() / SOURCES / f"memory_{backend}.py"
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise BenchmarkBroken(f"{path.name} cannot be read: {error}") from error
    for method in ast.walk(tree):
        if isinstance(method, ast.FunctionDef) and method.name == DESCRIBE:
            for node in ast.walk(method):
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
                    return str(node.value.value)
    raise BenchmarkBroken(f"{path.name} does not say what an empty memory looks like")
