"""The sampling and reasoning parameters a submitter may set: names, types, bounds.

Nothing else travels beside model, messages and tools: what a model is asked must be the same for
everybody, and all of it is public in a run's configuration.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.engine.types import JSON

TEMPERATURE = 0.001  # sent unless set otherwise, or unset with null
MAX_TOKENS = 1_000_000
MAX_OBJECT = 1000  # characters of a nested setting, as JSON
MAX_PARAMETERS = 20


@dataclass(frozen=True, slots=True)
class Parameter:
    """What one parameter may be: `fits` decides, `says` tells people."""

    fits: Callable[[JSON], bool]
    says: str


def _number(low: float, high: float) -> Parameter:
    def fits(value: JSON) -> bool:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and low <= value <= high  # NaN is neither

    return Parameter(fits, f"a number from {low:g} to {high:g}")


def _integer(low: int, high: int) -> Parameter:
    def fits(value: JSON) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return Parameter(fits, f"a whole number from {low} to {high}")


def _choice(*values: JSON) -> Parameter:
    named = ", ".join(json.dumps(value) for value in values)

    def fits(value: JSON) -> bool:
        return any(value == one and type(value) is type(one) for one in values)

    return Parameter(fits, f"one of {named}")


def _is_small_object(value: JSON) -> bool:
    try:
        return isinstance(value, dict) and len(json.dumps(value, allow_nan=False)) <= MAX_OBJECT
    except (ValueError, TypeError, RecursionError):
        return False


def _is_stop(value: JSON) -> bool:
    words = value if isinstance(value, list) else [value]
    good = all(isinstance(word, str) and 0 < len(word) <= 60 for word in words)
    return good and 1 <= len(words) <= 4


FLAG = Parameter(lambda value: isinstance(value, bool), "true or false")
OBJECT = Parameter(_is_small_object, f"an object of at most {MAX_OBJECT} characters")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")

ALLOWED_PARAMETERS: Mapping[str, Parameter] = {
    # How answers are sampled.
    "temperature": _number(0, 2),
    "top_p": _number(0, 1),
    "top_k": _integer(-1, 1000),
    "min_p": _number(0, 1),
    "frequency_penalty": _number(-2, 2),
    "presence_penalty": _number(-2, 2),
    "repetition_penalty": _number(0, 5),
    "seed": _integer(-(2**63), 2**63 - 1),
    "max_tokens": _integer(1, MAX_TOKENS),
    "max_completion_tokens": _integer(1, MAX_TOKENS),
    "stop": Parameter(_is_stop, "a text, or a list of up to 4 texts, of at most 60 characters"),
    "tool_choice": _choice("auto", "required"),
    "parallel_tool_calls": FLAG,
    "store": _choice(False),
    # How much a model thinks first.
    "reasoning_effort": _choice(*EFFORTS),
    "verbosity": _choice("low", "medium", "high"),
    "reasoning": OBJECT,
    "thinking": OBJECT,
    "enable_thinking": FLAG,
    "thinking_budget": _integer(0, MAX_TOKENS),
    "include_reasoning": FLAG,
    "chat_template_kwargs": OBJECT,
}


def check_parameters(parameters: JSON) -> list[str]:
    """Sentences about what is wrong with extra parameters; none when they can be sent.

    `temperature` may be null: then none is sent.
    """
    if not isinstance(parameters, dict):
        return ["Enter the parameters as a JSON object, like {“top_p”: 0.9}."]
    if len(parameters) > MAX_PARAMETERS:
        return [f"Set at most {MAX_PARAMETERS} parameters."]
    problems = [_problem(name, value) for name, value in parameters.items()]
    return [problem for problem in problems if problem]


def _problem(name: JSON, value: JSON) -> str:
    allowed = ALLOWED_PARAMETERS.get(name)
    if allowed is None:
        known = ", ".join(ALLOWED_PARAMETERS)
        return f"“{str(name)[:60]}” cannot be set. Allowed are {known}."
    if value is None and name == "temperature":
        return ""
    return "" if allowed.fits(value) else f"“{name}” must be {allowed.says}."


def sent_parameters(parameters: Mapping[str, JSON]) -> dict[str, JSON]:
    """What travels beside model, messages and tools: temperature first, then the rest by name.

    Raises:
        ValueError: A parameter is not allowed; check_parameters says which and why.
    """
    if problems := check_parameters(dict(parameters)):
        raise ValueError(problems[0])
    settings = {"temperature": TEMPERATURE, **parameters}
    if settings["temperature"] is None:
        del settings["temperature"]
    return {name: settings[name] for name in ALLOWED_PARAMETERS if name in settings}
