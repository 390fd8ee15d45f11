"""Everything that can go wrong between a question and its answer, and what to do about it.

ClientError
├── AddressRefused    an address we must not or cannot ask; the message says what to change
└── NotACompletion    a response with status 200 that holds no chat completion

Neither leaves `EndpointClient.ask`, which reports a `Trouble` instead: a *kind*, whose *effect*
says what the caller should do, and a sentence for people. TABLE decides the kind: its rows are
tried in order and the first that applies wins. It is pure data over pure questions, so that the
methodology page can show it and every row can be tested without a server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.client import words
from evaluation.client.complaints import Complaint, is_html, read_complaint, retry_after
from evaluation.client.limits import LONGEST_WAIT
from evaluation.client.troubles import (
    EFFECTS,
    NOTHING_KNOWN,
    AddressRefused,
    ClientError,
    Effect,
    NotACompletion,
    Situation,
    Trouble,
    TroubleKind,
)

__all__ = [
    "EFFECTS",
    "NO_RESPONSE",
    "TABLE",
    "AddressRefused",
    "ClientError",
    "Effect",
    "NotACompletion",
    "Row",
    "Situation",
    "Trouble",
    "TroubleKind",
    "classify",
    "no_response",
]


@dataclass(frozen=True, slots=True)
class Facts:
    """A response without a completion, read once for all rows of the table."""

    status: int
    complaint: Complaint
    is_html: bool
    retry_after: float | None
    situation: Situation

    def says(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.complaint.text) is not None


def _is_filter(facts: Facts) -> bool:
    return facts.status not in RETRYABLE and facts.status < 500 and facts.says(words.FILTERED)


def _is_overflow(facts: Facts) -> bool:
    named = facts.says(words.TOO_LONG) and not facts.says(words.ANSWER_TOO_LONG)
    return facts.status in (400, 413, 422) and named


def _is_about_messages(facts: Facts) -> bool:
    """A message of the conversation is objected to: neither a setting nor the tools on offer."""
    return facts.complaint.param.strip("\"[('").removeprefix('body", "').startswith("messages")


def _is_about_tools(facts: Facts) -> bool:
    is_named = facts.says(words.TOOL_SCHEMA) and not facts.says(words.CALL_REFUSED)
    return facts.status in (400, 422) and is_named and not _is_about_messages(facts)


def _takes_no_tools(facts: Facts) -> bool:
    is_named = facts.says(words.NO_TOOLS) and not _is_about_messages(facts)
    return facts.status in (400, 422) and is_named


def _is_about_settings(facts: Facts) -> bool:
    names_one = words.SETTING_NAME.search(facts.complaint.param.lower()) is not None
    is_named = names_one or facts.says(words.PARAMETER) or facts.says(words.MODEL)
    return facts.status in (400, 422) and is_named and not _is_about_messages(facts)


def _is_out_of_quota(facts: Facts) -> bool:
    return facts.status == 402 or (facts.status == 429 and facts.says(words.QUOTA))


def _wants_long(facts: Facts) -> bool:
    return _may_answer_later(facts) and (facts.retry_after or 0.0) > LONGEST_WAIT


def _chokes_on_history(facts: Facts) -> bool:
    return facts.status >= 500 and facts.situation.history_has_malformed_call


def _may_answer_later(facts: Facts) -> bool:
    return facts.status in RETRYABLE or facts.status >= 500


def _is_no_api(facts: Facts) -> bool:
    return facts.status in (401, 403, 404) or 300 <= facts.status < 400 or facts.is_html


RETRYABLE = (408, 409, 425, 429)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: `when` in words for readers, `applies` for the machine."""

    when: str
    applies: Callable[[Facts], bool]
    kind: TroubleKind
    advice: str  # what the submitter reads


TABLE: tuple[Row, ...] = (
    Row(
        "A content filter answered instead of the model",
        _is_filter,
        TroubleKind.REFUSED,
        "The endpoint's content filter blocked this question.",
    ),
    Row(
        "400, 413 or 422 naming the context length",
        _is_overflow,
        TroubleKind.CONTEXT_OVERFLOW,
        "The question does not fit the model's context.",
    ),
    Row(
        "400 or 422 about the tools, with dots in tool names sent as they are",
        lambda facts: _is_about_tools(facts) and facts.situation.dots_sent,
        TroubleKind.CONFIGURATION,
        "The endpoint does not accept the tools, whose names hold dots: turn on"
        " “dots become underscores” and submit again.",
    ),
    Row(
        "400 or 422 about the tools, before the endpoint accepted any question",
        lambda facts: _is_about_tools(facts) and not facts.situation.has_accepted_reply,
        TroubleKind.TOOL_SCHEMA,
        "The endpoint does not accept our description of the tools. The fault is ours;"
        " nothing is charged.",
    ),
    Row(
        "400 or 422 about the tools, later in a run",
        _is_about_tools,
        TroubleKind.REJECTED,
        "The endpoint does not accept this question's tools.",
    ),
    Row(
        "400 or 422 saying that tool calls are off",
        _takes_no_tools,
        TroubleKind.CONFIGURATION,
        "The endpoint takes no tools: start it with its flags for tool calls, or evaluate this"
        " model in prompt mode.",
    ),
    Row(
        "400 or 422 naming a parameter or the model",
        _is_about_settings,
        TroubleKind.CONFIGURATION,
        "The endpoint does not accept a setting: check the model name and the parameters"
        " (temperature can be unset).",
    ),
    Row(
        "402, or 429 naming quota or billing",
        _is_out_of_quota,
        TroubleKind.QUOTA,
        "The endpoint's quota is used up: raise it, and the run goes on by itself.",
    ),
    Row(
        "Retry-After of more than 10 minutes",
        _wants_long,
        TroubleKind.LONG_WAIT,
        "The endpoint asks us to wait for more than 10 minutes.",
    ),
    Row(
        "5xx while the conversation holds this model's own malformed call",
        _chokes_on_history,
        TroubleKind.MALFORMED_HISTORY,
        "The endpoint fails on a conversation in which its model made a malformed call.",
    ),
    Row(
        "408, 409, 425, 429 or 5xx",
        _may_answer_later,
        TroubleKind.TRANSIENT,
        "The endpoint is overloaded or broken at the moment.",
    ),
    Row(
        "401, 403, 404, a redirect or a web page, after an accepted reply",
        lambda facts: _is_no_api(facts) and facts.situation.has_accepted_reply,
        TroubleKind.LOCKED_OUT,
        "The endpoint answered before and now turns us away: check key, address and model.",
    ),
    Row(
        "401 or 403",
        lambda facts: facts.status in (401, 403),
        TroubleKind.CONFIGURATION,
        "The endpoint refuses the key: check it, and the header it is sent in.",
    ),
    Row(
        "404",
        lambda facts: facts.status == 404,
        TroubleKind.CONFIGURATION,
        "The endpoint knows no such address or model: check the base URL and the model name.",
    ),
    Row(
        "A redirect, which is never followed",
        lambda facts: 300 <= facts.status < 400,
        TroubleKind.CONFIGURATION,
        "The address redirects elsewhere, which we do not follow: enter the final base URL.",
    ),
    Row(
        "A web page instead of JSON",
        lambda facts: facts.is_html,
        TroubleKind.CONFIGURATION,
        "The address answers with a web page, not with JSON: check the base URL; it"
        " usually ends in /v1.",
    ),
    Row(
        "200 with an error, without choices, or that is no chat completion",
        lambda facts: facts.status < 300,
        TroubleKind.TRANSIENT,
        "The endpoint's response is no chat completion.",
    ),
    Row(
        "Any other 4xx",
        lambda facts: True,
        TroubleKind.REJECTED,
        "The endpoint rejects this question.",
    ),
)
NO_RESPONSE = "No response, a response cut off, or one beyond the limits of time and size"


def classify(
    status: int, headers: Mapping[str, str], body: bytes, situation: Situation = NOTHING_KNOWN
) -> Trouble:
    """Say what a response that holds no completion means.

    Args:
        status: HTTP status of the response.
        headers: Its headers, names in lower case.
        body: Its decoded body with the key already blotted out.
        situation: What the caller knows beyond the response.

    Returns:
        The trouble of the first row of TABLE that applies; the last row always does.
    """
    complaint = read_complaint(body)
    facts = Facts(status, complaint, is_html(headers, body), retry_after(headers), situation)
    row = next(row for row in TABLE if row.applies(facts))
    said = f" It says: “{complaint.excerpt}”" if complaint.excerpt else ""
    return Trouble(row.kind, f"HTTP {status}. {row.advice}{said}", facts.retry_after, status)


def no_response(sentence: str) -> Trouble:
    """Trouble of a request that brought no whole response: it may go better next time."""
    return Trouble(TroubleKind.TRANSIENT, sentence)
