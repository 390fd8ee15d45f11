"""The benchmark's simulated classes at work. Imported by the sandbox child and nowhere else.

Every world has instances of its own: two plays never meet, whatever their models are called.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime, tzinfo
from functools import cache
from typing import Any, ClassVar, Self

from evaluation.benchmarks.bfcl_v4.calls import FAILED, perform
from evaluation.engine.types import JSON
from evaluation.engine.worlds import GATE, CallStopped

BACKENDS = "bfcl_eval.constants.executable_backend_config"
MAX_DIGITS = 1_000_000  # of a power; from 4300 on Python does not print it anyway
# Simulated classes that look at the clock, with the name under which they know it.
CLOCKED = {"TravelAPI": "datetime"}


class FixedClock(datetime):
    """A datetime whose present is the time of the run, so that a replay sees the same."""

    at: ClassVar[datetime]

    @classmethod
    def today(cls) -> Self:
        return cls.now()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        moment = cls.at if tz is None else cls.at.astimezone(tz)
        return cls.combine(moment.date(), moment.timetz() if tz else moment.time())


@cache
def _class(name: str) -> type:
    """One simulated class, its module imported and its clock fixed."""
    path: str = importlib.import_module(BACKENDS).CLASS_FILE_PATH_MAPPING[name]
    module = importlib.import_module(path)
    if name in CLOCKED:
        setattr(module, CLOCKED[name], FixedClock)
    found: type = getattr(module, name)
    return found


@cache
def _has_scenario(name: str) -> bool:
    return name not in importlib.import_module(BACKENDS).STATELESS_CLASSES


@cache
def _public_methods(name: str) -> tuple[str, ...]:
    members = inspect.getmembers(_class(name), inspect.isfunction)
    return tuple(method for method, _ in members if not method.startswith("_"))


class Instances:
    """One instance of every class a case involves, as a case's initial state has them."""

    def __init__(self, classes: Sequence[str], initial: Mapping[str, JSON], is_long: bool) -> None:
        self.by_class: dict[str, Any] = {}
        self.methods: dict[str, Callable[..., object]] = {}
        for name in classes:
            instance = self.by_class[name] = _class(name)()
            if _has_scenario(name):
                instance._load_scenario(deepcopy(initial.get(name, {})), long_context=is_long)
            for method in _public_methods(name):
                self.methods[method] = getattr(instance, method)
        if "MathAPI" in self.by_class:
            self.methods["power"] = _bounded_power(self.methods["power"])

    def perform(self, calls: Sequence[str]) -> list[str]:
        """Execute call texts that are known to be harmless, such as accepted answers."""
        return [perform(call, self.methods) for call in calls]

    def perform_guarded(self, calls: Sequence[str]) -> list[str]:
        """Execute a model's call texts, each through the gate."""
        gate = GATE.get()
        replies = []
        for call in calls:
            try:
                gate.admit()
            except CallStopped as stopped:
                replies.append(f"{FAILED}{stopped}")
            else:
                replies.append(perform(call, self.methods))
        return replies

    def public_state(self, name: str) -> dict[str, Any]:
        """The attributes of one instance that a verdict looks at; not copies."""
        state = vars(self.by_class[name])
        return {key: value for key, value in state.items() if not key.startswith("_")}


def _bounded_power(power: Callable[..., object]) -> Callable[..., object]:
    """Refuse at once what could only end at the limits of time or memory."""

    def bounded(*args: Any, **named: Any) -> object:
        pair = (*args, *named.values())
        if len(pair) == 2 and all(type(number) is int for number in pair):
            base, exponent = named.get("base", pair[0]), named.get("exponent", pair[-1])
            if exponent > 0 and exponent * math.log10(max(abs(base), 1)) > MAX_DIGITS:
                raise ValueError("the power has too many digits")
        return power(*args, **named)

    return bounded


class Simulation:
    """The world of one play: a `LiveWorld`."""

    def __init__(self, instances: Instances, clock: datetime) -> None:
        self.instances = instances
        self.clock = clock

    def act(self, call: str) -> str:
        FixedClock.at = self.clock
        return self.instances.perform_guarded((call,))[0]

    def snapshot(self) -> JSON:
        return None


def build(config: Mapping[str, JSON], start: JSON, clock: datetime) -> Simulation:
    """The world of a multi-turn case. `config`: classes, initial, long_context."""
    FixedClock.at = clock
    instances = Instances(config["classes"], config["initial"], config["long_context"])
    return Simulation(instances, clock)
