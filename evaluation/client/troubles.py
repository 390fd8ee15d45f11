"""The nouns of going wrong: what the client raises, what it reports, what the caller should do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ClientError(Exception):
    """Root of what this package raises; the message is a sentence for people."""


class AddressRefused(ClientError):
    """An address we must not or cannot ask."""


class NotACompletion(ClientError):
    """A body that is no chat completion."""


class Effect(StrEnum):
    """What the caller should do about a kind of trouble."""

    RETRY = "ask again within bounds, then leave the case unscored"
    RETRY_THEN_WRONG = "ask again within bounds, then the case is wrong"
    UNSCORED = "leave the case unscored"
    WRONG = "the case is wrong"
    PAUSE = "pause the run and try again later"
    STOP = "stop the run and tell the submitter what to change"
    OURS = "stop the run: the fault is ours, and no quota is charged"


class TroubleKind(StrEnum):
    """Why there is no answer."""

    TRANSIENT = "transient"
    MALFORMED_HISTORY = "malformed_history"
    REJECTED = "rejected"
    REFUSED = "refused"
    CONTEXT_OVERFLOW = "context_overflow"
    QUOTA = "quota"
    LONG_WAIT = "long_wait"
    LOCKED_OUT = "locked_out"
    CONFIGURATION = "configuration"
    TOOL_SCHEMA = "tool_schema"

    @property
    def effect(self) -> Effect:
        return EFFECTS[self]


EFFECTS = {
    TroubleKind.TRANSIENT: Effect.RETRY,
    TroubleKind.MALFORMED_HISTORY: Effect.RETRY_THEN_WRONG,
    TroubleKind.REJECTED: Effect.UNSCORED,
    TroubleKind.REFUSED: Effect.WRONG,
    TroubleKind.CONTEXT_OVERFLOW: Effect.WRONG,
    TroubleKind.QUOTA: Effect.PAUSE,
    TroubleKind.LONG_WAIT: Effect.PAUSE,
    TroubleKind.LOCKED_OUT: Effect.PAUSE,
    TroubleKind.CONFIGURATION: Effect.STOP,
    TroubleKind.TOOL_SCHEMA: Effect.OURS,
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """One attempt that brought no answer.

    `sentence` says what happened and what to do next, with the endpoint's own words cut and
    cleaned. `retry_after` is the wait the endpoint asked for, in seconds. `status` is the HTTP
    status, None when no response came.
    """

    kind: TroubleKind
    sentence: str
    retry_after: float | None = None
    status: int | None = None

    @property
    def effect(self) -> Effect:
        return self.kind.effect


@dataclass(frozen=True, slots=True)
class Situation:
    """What the caller knows that a response does not say."""

    has_accepted_reply: bool = False  # this run already has an answer from this endpoint
    dots_sent: bool = False  # a tool's name went out with a dot in it
    history_has_malformed_call: bool = False  # the model's own, in the messages sent


NOTHING_KNOWN = Situation()
