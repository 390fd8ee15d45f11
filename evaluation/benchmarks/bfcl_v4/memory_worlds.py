"""The benchmark's memory classes at work. Imported by the sandbox child and nowhere else.

The classes as shipped read and write snapshots as files, through modules that pull in much
else. Here a snapshot comes and goes as a value: stand-ins take the place of those modules
before the classes are imported, and everything that a model can call is the benchmark's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from types import ModuleType
from typing import Any

from evaluation.benchmarks.bfcl_v4 import bm25, vectors
from evaluation.benchmarks.bfcl_v4.worlds import Instances, Simulation
from evaluation.engine.types import JSON

BASE_MODULE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code.memory_api_metaclass"
MAX_MEMORY = 1_000_000  # characters; what may be written at once is bounded by the class itself
PARTS = ("core_memory", "archival_memory", "memory")  # attributes a snapshot is made of


class MemoryAPI:
    """Stands in for the base class of the memories: its snapshot is handed over, not read."""

    def _prepare_snapshot(self, initial_config: Mapping[str, JSON]) -> JSON:
        return initial_config["start"]


class MemoryWorld(Simulation):
    """The world of one conversation about or with a memory: a `LiveWorld`."""

    def snapshot(self) -> JSON:
        (memory,) = self.instances.by_class.values()
        kept = vars(memory)
        return {part: kept[part] for part in PARTS if part in kept}


def _bounded_replace(memory: Any) -> Callable[..., object]:
    """Replacing a letter by a long text, twice, would fill any memory: refuse that at once."""

    def bounded(*args: Any, **named: Any) -> object:
        given = dict(zip(("old_text", "new_text"), args, strict=False)) | named
        old, new = str(given.get("old_text", "")), str(given.get("new_text", ""))
        if len(memory.memory) + memory.memory.count(old) * len(new) > MAX_MEMORY:
            raise ValueError("the memory would become too long")
        replaced: object = memory.memory_replace(*args, **named)
        return replaced

    return bounded


class VectorWorld(Simulation):
    """The world of a vector memory. Its snapshot holds the embeddings too, to save time."""

    def snapshot(self) -> JSON:
        (memory,) = self.instances.by_class.values()
        parts = {part: getattr(memory, part).export() for part in PARTS if hasattr(memory, part)}
        return {**parts, vectors.EMBEDDINGS: vectors.embeddings_of(parts)}


def build(config: Mapping[str, JSON], start: JSON, clock: datetime) -> Simulation:
    """The world of a memory case. `config`: class. `start`: the snapshot, None for nothing."""
    _put_stand_ins()
    name = config["class"]
    world: type[Simulation] = MemoryWorld
    if name == "MemoryAPI_vector":
        world = VectorWorld
        vectors.put_stand_ins()
        vectors.remember((start or {}).get(vectors.EMBEDDINGS, {}))
    instances = Instances([name], {name: {"start": start}}, is_long=False)
    if "memory_replace" in instances.methods:
        instances.methods["memory_replace"] = _bounded_replace(instances.by_class[name])
    return world(instances, clock)


def _put_stand_ins() -> None:
    for name, member in ((BASE_MODULE, MemoryAPI), ("rank_bm25", bm25.BM25Plus)):
        if name not in sys.modules:
            module = ModuleType(name)
            setattr(module, member.__name__, member)
            sys.modules[name] = module
