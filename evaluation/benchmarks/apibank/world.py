"""The running tools of a free task. Built by the sandbox child and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from evaluation.benchmarks.apibank.cases import free_state
from evaluation.benchmarks.apibank.reading import Call
from evaluation.benchmarks.apibank.repaired import arguments_of, run
from evaluation.benchmarks.apibank.searching import embedding
from evaluation.benchmarks.apibank.tools import PLANNING_TOOLS
from evaluation.benchmarks.apibank.tools.base import Record, State
from evaluation.engine.text import plain
from evaluation.engine.types import JSON
from evaluation.engine.worlds import GATE, CallStopped


class ToolWorld:
    """Tools over the databases of one task."""

    def __init__(self, state: State) -> None:
        self.state = state

    def act(self, call: str) -> str:
        """Run one call `{"name", "arguments"}` and reply with its output, or what was wrong."""
        try:
            GATE.get().admit()
            written = json.loads(call)
            record = perform(Call(str(written["name"]), dict(written["arguments"])), self.state)
        except CallStopped as stopped:
            return f"Error: {stopped}"
        except (ValueError, KeyError, TypeError, RecursionError):
            return "Error: this is no call."
        if record["exception"]:
            return f"Error: {plain(record['exception'])}"
        return json.dumps(plain(record["output"]), ensure_ascii=False)

    def snapshot(self) -> JSON:
        return None


def perform(call: Call, state: State) -> Record:
    """The record of any call, whatever its name and arguments."""
    record: Record = {"api_name": call.name, "input": call.values, "output": None}
    tool = PLANNING_TOOLS.get(call.name)
    if tool is None:
        return {**record, "exception": f"There is no tool {call.name}."}
    arguments, fault = arguments_of(tool, call)
    if fault is not None:
        return {**record, "exception": fault.message}
    return run(tool, arguments, state)


def build(config: Mapping[str, JSON], start: JSON, clock: datetime) -> ToolWorld:
    """Tasks start from nothing and do not look at the clock."""
    return ToolWorld(free_state(config, embedding(config.get("options", {}))))
