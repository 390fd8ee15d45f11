"""What happened in the worlds of a multi-turn case, turn by turn, for people. Sandbox only.

The model's calls and the accepted ones are executed again, as for the verdict, and their worlds
are compared part by part. This decides nothing: the verdict's own comparison is the official one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.benchmarks.bfcl_v4.multi_turn_judge import clock_of, fresh, turns_of
from evaluation.benchmarks.bfcl_v4.worlds import FixedClock, Instances
from evaluation.engine.types import JSON, CaseData, Setup

MAX_DEPTH = 8  # levels of a state that are told apart; deeper ones are one part
MAX_TEXT = 400  # characters of a value, MAX_REPLY of a reply
MAX_REPLY = 4000
MAX_PARTS = 40  # differences of one turn that are told
MAX_CALLS = 60  # of one turn
ABSENT = None

Parts = dict[str, str]  # path within the world → value as text


def tell(case: CaseData, result: JSON, setup: Setup) -> JSON:
    """For each turn: calls with their replies, accepted ones too; what changed; what differs.

    `[{calls, accepted: [[call, reply]], changes, differences: [[path, before or accepted, now]]}]`
    """
    FixedClock.at = clock_of(setup)
    made, wanted = fresh(case), fresh(case)
    before = _parts(made)
    story = []
    turns = turns_of(result, setup) if isinstance(result, list) else []
    for number, due in enumerate(case.answer):
        steps = turns[number] if number < len(turns) else []
        calls = [call for step in steps for call in step][:MAX_CALLS]
        replies = made.perform_guarded(calls)
        expected = wanted.perform(due)
        now, goal = _parts(made), _parts(wanted)
        story.append(
            {
                "calls": _paired(calls, replies),
                "accepted": _paired(due, expected),
                "changes": list(_differing(before, now)),
                "differences": list(_differing(goal, now)),
            }
        )
        before = now
    return story


def _paired(calls: Sequence[str], replies: Sequence[str]) -> list[list[str]]:
    return [
        [_short(call, MAX_REPLY), _short(reply, MAX_REPLY)]
        for call, reply in zip(calls, replies, strict=True)
    ]


def _differing(one: Parts, other: Parts) -> Iterator[list[str | None]]:
    paths = [path for path in {**one, **other} if one.get(path) != other.get(path)]
    for path in paths[:MAX_PARTS]:
        yield [path, one.get(path, ABSENT), other.get(path, ABSENT)]


def _parts(instances: Instances) -> Parts:
    return {
        path: text
        for name in instances.by_class
        for path, text in _walk(name, instances.public_state(name), 0)
    }


def _walk(path: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Every part of a state with its path; what holds nothing is a part itself."""
    inner = _inner(value) if depth < MAX_DEPTH else {}
    if not inner:
        yield path, _text(value)
    for name, part in inner.items():
        yield from _walk(f"{path}.{name}", part, depth + 1)


def _inner(value: Any) -> Mapping[str, Any]:
    """What a value is made of: a dict's items, an object's public attributes, but no way back."""
    if isinstance(value, dict):
        return {str(key): part for key, part in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, type):
        named = vars(value).items()
        return {key: part for key, part in named if not key.startswith("_") and key != "parent"}
    return {}


def _text(value: Any) -> str:
    try:
        return _short(value if isinstance(value, str) else repr(value), MAX_TEXT)
    except (RecursionError, ValueError):
        return "a value that cannot be shown"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"
