"""The smart home: scenes of devices, and switches on a timer."""

from __future__ import annotations

from evaluation.benchmarks.apibank.tools.base import (
    MOMENT,
    Agreement,
    Arguments,
    Record,
    State,
    Tool,
    ToolError,
    as_is,
    as_moment,
    folded,
    look,
    same_inputs,
    texts,
    tidy,
)
from evaluation.engine.types import JSON

HOME = "Smart home"


def _scene_name(given: Arguments) -> str:
    name = str(given["name"]).strip().lower()
    if not name:
        raise ToolError("Scene name cannot be empty.")
    return name


def _devices(given: Arguments) -> list[JSON]:
    """The devices in a common form. Raises ToolError."""
    devices: list[JSON] = []
    for device in given["devices"]:
        if not isinstance(device, dict) or set(device) != {"name", "description"}:
            raise ToolError("Invalid device format.")
        devices.append({key: str(value).strip() for key, value in device.items()})
        devices[-1]["name"] = devices[-1]["name"].lower()
    if len({device["name"] for device in devices}) < len(devices):
        raise ToolError("Device name cannot be duplicated.")
    return devices


def add_scene(state: State, given: Arguments) -> str:
    name = _scene_name(given)
    if name in state.databases["Scenes"]:
        raise ToolError("Scene name already exists.")
    state.databases["Scenes"][name] = _devices(given)
    return "success"


def modify_scene(state: State, given: Arguments) -> str:
    name = _known_scene(state, given)
    state.databases["Scenes"][name] = _devices(given)
    return "success"


def delete_scene(state: State, given: Arguments) -> str:
    del state.databases["Scenes"][_known_scene(state, given)]
    return "success"


def query_scene(state: State, given: Arguments) -> JSON:
    return state.databases["Scenes"][_known_scene(state, given, "Scene not found.")]


def _known_scene(
    state: State, given: Arguments, missing: str = "The scene does not exist."
) -> str:
    name = _scene_name(given)
    if name not in state.databases["Scenes"]:
        raise ToolError(missing)
    return name


def _sorted_devices(devices: JSON) -> JSON:
    if not isinstance(devices, list):
        return devices
    return sorted(
        str(sorted(d.items())).lower() if isinstance(d, dict) else str(d) for d in devices
    )


def scene_alike(compare_output: bool) -> Agreement:
    """Names and sets of devices agree; an addition compares only whether there is an output."""

    def agrees(mine: Record, gold: Record) -> bool:
        if compare_output and mine["output"] != gold["output"]:
            return False
        if not compare_output and gold["output"] is None and mine["output"] is not None:
            return False
        return bool(
            mine["exception"] == gold["exception"]
            and folded(look(mine, "name")) == folded(look(gold, "name"))
            and _sorted_devices(look(mine, "devices")) == _sorted_devices(look(gold, "devices"))
        )

    return agrees


def _device(given: Arguments, message: str) -> str:
    name = str(given["name"]).strip().lower()
    if not name:
        raise ToolError(message)
    return name


def timed_switch(state: State, given: Arguments) -> str:
    name = _device(given, "Name cannot be empty.")
    time = tidy(given["time"], MOMENT)
    switches = state.databases["TimeSwitch"].setdefault(name, [])
    for switch in switches:
        if switch["time"] == time:
            switch["on"] = given["on"]
            return "success"
    switches.append({"time": time, "on": given["on"]})
    return "success"


def cancel_switch(state: State, given: Arguments) -> str:
    name = _device(given, "name cannot be empty.")
    time = tidy(given["time"], MOMENT)
    if name not in state.databases["TimeSwitch"]:
        raise ToolError("device name does not exist.")
    switches = state.databases["TimeSwitch"][name]
    for switch in switches:
        if switch["time"] == time:
            switches.remove(switch)
            return "success"
    raise ToolError("time does not exist.")


SCENE = {**texts("name"), "devices": "list"}

TOOLS = (
    Tool("AddScene", HOME, SCENE, add_scene, scene_alike(compare_output=False)),
    Tool("ModifyScene", HOME, SCENE, modify_scene, scene_alike(compare_output=True)),
    Tool("DeleteScene", HOME, texts("name"), delete_scene, same_inputs(name=folded)),
    Tool("QueryScene", HOME, texts("name"), query_scene, same_inputs(name=folded)),
    Tool(
        "TimedSwitch",
        HOME,
        {**texts("name", "time"), "on": "bool"},
        timed_switch,
        same_inputs(name=folded, time=as_moment, on=as_is),
    ),
    Tool(
        "CancelTimedSwitch",
        HOME,
        texts("name", "time"),
        cancel_switch,
        same_inputs(name=folded, time=as_moment),
    ),
)
