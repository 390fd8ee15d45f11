"""The sandbox child: raises its walls, then answers messages until its input ends.

It keeps the worlds that are open and the suites it judges for. All it knows comes through its
standard input, all it says goes to its standard output, one frame for each message. The number
of the call under way stands in a small shared file, for the parent to read should this process
have to be killed.
"""

from __future__ import annotations

import importlib
import mmap
import os
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import datetime
from typing import Any

from evaluation.engine.types import JSON
from evaluation.engine.worlds import GATE, Gate, LiveWorld
from evaluation.sandbox import frames, seccomp, walls

COUNTER = struct.Struct("=q")
RECURSION = 2000  # frames; above the parent's, so that what it can write can be read here
MAX_REPLY = 4 * 1024 * 1024  # characters in one reply; the longest of the benchmarks has 100 kB
MAX_REPLIES = 8 * 1024 * 1024  # characters in all replies to one message
TOO_LONG = "Error during execution: the reply is too long"


class Child:
    """The messages a sandbox child answers, one method each."""

    def __init__(self, counter: mmap.mmap, raised: list[str]) -> None:
        self.counter = counter
        self.raised = raised
        self.worlds: dict[str, tuple[LiveWorld, Gate]] = {}

    def note(self, number: int) -> None:
        COUNTER.pack_into(self.counter, 0, number)
        walls.allow_processor_time()

    def gate(self, message: JSON) -> Gate:
        COUNTER.pack_into(self.counter, 0, -1)
        walls.allow_processor_time()
        return Gate(frozenset(message.get("stopped", ())), self.note)

    def status(self, message: JSON) -> JSON:
        return self.raised

    def open(self, message: JSON) -> JSON:
        """Build a world, repeat what happened in it so far, and go on; the new replies."""
        gate = self.gate(message)
        world = _named(message["factory"])(
            message["config"], message["start"], datetime.fromisoformat(message["clock"])
        )
        self.worlds[message["session"]] = (world, gate)
        GATE.set(gate)
        for call in message["history"]:
            world.act(call)
        return self._perform(world, gate, message["calls"])

    def act(self, message: JSON) -> JSON:
        world, gate = self.worlds[message["session"]]
        return self._perform(world, gate, message["calls"])

    def snapshot(self, message: JSON) -> JSON:
        return self.worlds[message["session"]][0].snapshot()

    def close(self, message: JSON) -> JSON:
        return self.worlds.pop(message["session"], None) is not None

    def judge(self, message: JSON) -> JSON:
        suites = importlib.import_module("evaluation.benchmarks").SUITES
        suite = next(suite for suite in suites if suite.slug == message["suite"])
        judgements = []
        for job in message["jobs"]:
            case, result, setup = frames.job_from_json(job)
            GATE.set(self.gate(message))
            judgements.append(frames.judgement_as_json(suite.judge(case, result, setup)))
        return judgements

    def tell(self, message: JSON) -> JSON:
        """What a function of ours says of a case's result, by executing its calls again."""
        case, result, setup = frames.job_from_json(message["job"])
        GATE.set(self.gate(message))
        return _named(message["teller"])(case, result, setup)

    def _perform(self, world: LiveWorld, gate: Gate, calls: list[str]) -> list[str]:
        GATE.set(gate)
        replies = []
        left = MAX_REPLIES
        for call in calls:
            reply = world.act(call)
            replies.append(reply if len(reply) <= min(left, MAX_REPLY) else TOO_LONG)
            left -= len(replies[-1])
        return replies


def _named(path: str) -> Any:
    """The object a dotted path `package.module:name` stands for; ours alone may be named."""
    module, _, name = path.partition(":")
    if not module.startswith("evaluation."):
        raise ValueError(f"{path} is no world of ours")
    return getattr(importlib.import_module(module), name)


def raise_walls() -> list[str]:
    """Raise every wall this system permits; a sentence for each, for the operator to read."""
    walls.limit_resources()
    has_namespace = walls.leave_network()
    has_filter = seccomp.refuse_system_calls()
    walls.watch_interpreter()
    return [
        "Memory, processor time, files written and files open are limited by the kernel.",
        "Network: the child has a network namespace of its own, without any interface."
        if has_namespace
        else "Network: this system permits no network namespace to this user.",
        "System calls: sockets and new programs are refused by the kernel (seccomp)."
        if has_filter
        else "System calls: no seccomp filter on this system.",
        "Interpreter: an audit hook refuses sockets, programs and files outside the libraries.",
    ]


def answer(child: Child, message: JSON) -> JSON:
    """What to say to one message. Our own errors travel as text, the child lives on."""
    handlers: dict[str, Callable[[JSON], JSON]] = {
        "status": child.status,
        "open": child.open,
        "act": child.act,
        "snapshot": child.snapshot,
        "close": child.close,
        "judge": child.judge,
        "tell": child.tell,
    }
    walls.allow_processor_time()
    try:
        return {"value": handlers[message["do"]](message)}
    except Exception:
        return {"error": traceback.format_exc(limit=-6)}


def main(counter_file: int) -> None:
    """Answer messages until the input ends."""
    sys.setrecursionlimit(RECURSION)
    counter = mmap.mmap(counter_file, COUNTER.size)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    child = Child(counter, raise_walls())
    with redirect_stdout(sys.stderr):  # what a simulated class prints must not enter the pipe
        while (message := frames.read(source)) is not None:
            reply = answer(child, message)
            sink.write(_packed(reply))
            COUNTER.pack_into(counter, 0, -1)
            sink.flush()


def _packed(reply: JSON) -> bytes:
    try:
        return frames.pack(reply)
    except (ValueError, TypeError, RecursionError) as error:
        return frames.pack({"error": f"the answer cannot travel: {error}"})
