"""Departures from the protocol that were read with leniency and counted, in words."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.client.wire import Deviation

WORDS: dict[str, str] = {
    Deviation.ARGUMENTS_OBJECT: "Arguments sent as an object, not as text",
    Deviation.ARGUMENTS_EMPTY: "Empty arguments, read as {}",
    Deviation.ARGUMENTS_MISSING: "No arguments at all, read as {}",
    Deviation.UNASKED_STREAM: "An event stream nobody asked for, read as its final message",
    Deviation.REASONING_REMOVED: "Reasoning text removed up to the entry’s own marker",
    Deviation.UNDECODABLE_CALL: "A call whose arguments are not JSON",
    Deviation.CALL_IN_TEXT: "A call written as text instead of in tool_calls",
    Deviation.REPEATED_CALL_ID: "One id for several calls",
    Deviation.MISSING_CALL_ID: "A call without an id",
    Deviation.CONTENT_NOT_TEXT: "Content that is not text",
    Deviation.USAGE_MISSING: "No token counts",
    Deviation.TRUNCATED: "Cut off at a token limit",
    Deviation.REFUSED: "Refused by a content filter or by the model",
}


def in_words(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """What was seen and in how many replies, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(one_in_words(name), count) for name, count in ordered]


def one_in_words(name: str) -> str:
    return WORDS.get(name) or name.replace("_", " ").capitalize()
