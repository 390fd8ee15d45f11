"""Copies of plain JSON, several times faster than copy.deepcopy."""

from __future__ import annotations

from evaluation.engine.types import JSON


def copied(value: JSON) -> JSON:
    """A deep copy of what json.loads can give; anything else is shared, not copied."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value
