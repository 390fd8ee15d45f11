"""A run's frozen configuration: written once when it is scheduled, hashed, read ever after."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.client.target import Target
from evaluation.engine.types import JSON, Mode, Setup


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the runner needs of the frozen text. It holds no secret."""

    suite: str
    setup: Setup
    target: Target
    in_flight: int


def freeze(values: Mapping[str, JSON]) -> tuple[str, str]:
    """Canonical JSON text and its SHA-256 in hex."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text, hashlib.sha256(text.encode()).hexdigest()


def in_flight_of(text: str) -> int:
    """Requests that the submitter wants in flight at a time."""
    return int(json.loads(text).get("in_flight", 1))


def read(text: str) -> Configuration:
    values = json.loads(text)
    setup = Setup(
        mode=Mode(values["mode"]),
        underscore=values["underscore"],
        profile=values.get("profile", "default"),
        options=values.get("options", {}),
    )
    target = Target(
        base_url=values["base_url"],
        model=values["remote_model"],
        auth_header=values["auth_header"],
        api_version=values["api_version"],
        parameters=values["parameters"],
        reasoning_end=values["reasoning_end"],
        timeout=values["timeout"],
    )
    return Configuration(values["benchmark"], setup, target, values["in_flight"])
