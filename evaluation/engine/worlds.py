"""Worlds in which calls act, and the gate every call of a model passes on its way in."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from evaluation.engine.types import JSON


class LiveWorld(Protocol):
    """A world that has been built. It lives in the sandbox child and nowhere else."""

    def act(self, call: str) -> str:
        """Execute one call text and return its reply. A refusal is a reply, never an exception."""

    def snapshot(self) -> JSON:
        """All that a later world needs to start where this one is, None where that is nothing."""


class CallStopped(Exception):
    """This call ran into a limit before, and is not tried again."""


MAX_STOPPED = 3  # so many calls of one case may take their process with them


class Gate:
    """Counts the calls of one piece of work and knows which of them must not be tried again.

    A call that hangs or balloons takes its process with it. The process outside then knows from
    `note` which one it was, and repeats the work with that number among `stopped`: so the outcome
    is the same whenever the work is repeated. After `MAX_STOPPED` of them no later call is let in.
    """

    def __init__(
        self, stopped: frozenset[int] = frozenset(), note: Callable[[int], None] | None = None
    ) -> None:
        self.number = -1
        self.stopped = stopped
        self.note = note

    def admit(self) -> None:
        """Let the next call in. Raises CallStopped."""
        self.number += 1
        is_spent = len(self.stopped) >= MAX_STOPPED and self.number > max(self.stopped)
        if is_spent or self.number in self.stopped:
            raise CallStopped("the call was stopped because it took too long or too much memory")
        if self.note is not None:
            self.note(self.number)


GATE: ContextVar[Gate] = ContextVar("GATE", default=Gate())  # noqa: B039 - counts, holds nothing
