"""Calls of a conversation turn by turn, beside the accepted ones, differences marked. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.engine.types import JSON
from leaderboard.grades import MOST_CALLS
from leaderboard.values import LONGEST, as_text, plainly

KEYWORD = re.compile(r"(?<=[(, ])[A-Za-z_]\w*=(?!=)")


@dataclass(frozen=True, slots=True)
class Line:
    """One call as written, in a conversation of several turns."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class TurnSides:
    """What was called in one turn, over all its steps, and what is accepted there."""

    made: tuple[Line, ...]
    accepted: tuple[Line, ...]

    @property
    def differs(self) -> bool:
        return any(line.marked for line in (*self.made, *self.accepted))


def turn_sides(decoded: JSON, accepted: JSON, *, is_wrong: bool) -> tuple[TurnSides, ...] | None:
    """Calls turn by turn; None for anything but a conversation of several turns.

    `accepted` is a list of turns of call texts, `decoded` of turns of steps of call texts. Other
    calls may lead to the same end: what is marked is different, not necessarily wrong.
    """
    wanted = _turns_of_texts(accepted)
    if not wanted:
        return None
    made = [_flat(turn) for turn in decoded] if isinstance(decoded, list) else []
    made = (made + [[]] * len(wanted))[: max(len(wanted), len(made))]
    wanted += [[]] * (len(made) - len(wanted))
    return tuple(
        TurnSides(_lines(calls, due, is_wrong), _lines(due, calls, is_wrong))
        for calls, due in zip(made, wanted, strict=True)
    )


def _turns_of_texts(value: JSON) -> list[list[str]]:
    turns = value if isinstance(value, list) else []
    is_right = all(
        isinstance(turn, list) and all(isinstance(text, str) for text in turn) for turn in turns
    )
    return [list(turn) for turn in turns] if is_right else []


def _flat(turn: JSON) -> list[str]:
    """The call texts of a turn's steps; what is no text is written as JSON."""
    steps = turn if isinstance(turn, list) else [turn]
    calls = [call for step in steps for call in (step if isinstance(step, list) else [step])]
    return [call if isinstance(call, str) else as_text(call) for call in calls[:MOST_CALLS]]


def _lines(texts: list[str], others: list[str], is_wrong: bool) -> tuple[Line, ...]:
    known = {_bare(other) for other in others}
    return tuple(
        Line(text[:LONGEST], marked=is_wrong and _bare(text) not in known) for text in texts
    )


def _bare(text: str) -> str:
    """A call's text without the names of its arguments: `sort(name="a")` is `sort("a")`."""
    return plainly(KEYWORD.sub("", text))
