"""One table decides what a response without an answer means; its first fitting row wins."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.client.complaints import retry_after
from evaluation.client.errors import (
    EFFECTS,
    TABLE,
    Effect,
    Situation,
    TroubleKind,
    classify,
)
from evaluation.client.limits import LONGEST_WAIT, MAX_ATTEMPTS, wait_before

LATER = Situation(has_accepted_reply=True)
DOTS = Situation(dots_sent=True)
MALFORMED = Situation(history_has_malformed_call=True)


def kind(
    status: int,
    message: str = "",
    situation: Situation | None = None,
    headers: dict[str, str] | None = None,
    **parts: Any,
) -> TroubleKind:
    body = json.dumps({"error": {"message": message, **parts}}).encode()
    return classify(status, headers or {}, body, situation or Situation()).kind


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529, 599])
def test_what_may_pass_is_transient(status: int) -> None:
    assert kind(status) is TroubleKind.TRANSIENT
    assert kind(status, "", LATER) is TroubleKind.TRANSIENT
    assert classify(status, {"content-type": "text/html"}, b"<html>").effect is Effect.RETRY


@pytest.mark.parametrize("status", [401, 403, 404, 301, 302, 303, 307, 308])
def test_being_turned_away_is_configuration_at_first_and_a_pause_later(status: int) -> None:
    assert kind(status).effect is Effect.STOP
    assert kind(status, "", LATER).effect is Effect.PAUSE


@pytest.mark.parametrize("status", [400, 405, 406, 410, 411, 413, 415, 422, 451])
def test_any_other_refusal_leaves_the_case_unscored(status: int) -> None:
    assert kind(status, "Something is wrong with this request.").effect is Effect.UNSCORED


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"choices": []}',
        b'{"choices": null, "error": {"message": "overloaded", "code": 502}}',
        b'{"object": "list", "data": []}',
        b'{"id": "chatcmpl-x", "choi',
        b"plain text",
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
)
def test_a_200_that_is_no_completion_is_transient(body: bytes) -> None:
    assert classify(200, {}, body).kind is TroubleKind.TRANSIENT


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><html>", b"  <HTML>", b"<!-- x --><html>"])
def test_a_web_page_is_configuration(page: bytes) -> None:
    assert classify(200, {}, page).effect is Effect.STOP
    assert classify(200, {"content-type": "text/html; charset=utf-8"}, b"Hi").effect is Effect.STOP
    assert classify(400, {}, page).effect is Effect.STOP


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", None),
        (400, "the request exceeds the available context size, try increasing it", None),
        (400, "Input length 9000 exceeds the maximum length 8192 tokens", None),
        (400, "Please reduce the length of the messages.", None),
        (413, "Context window exceeded", None),
        (422, "inputs tokens + max_new_tokens must be <= 4096; context limit", None),
        (400, "The input token count (33000) exceeds the maximum number of tokens", None),
        (400, "", "exceed_context_size_error"),
    ],
)
def test_a_question_too_long_for_the_model_is_wrong(
    status: int, message: str, code: str | None
) -> None:
    assert kind(status, message, code=code) is TroubleKind.CONTEXT_OVERFLOW


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "The response was filtered due to the prompt.", "content_filter"),
        (400, "Azure OpenAI's content management policy", None),
        (403, "Your input was flagged by moderation", None),
        (400, "Input data may contain inappropriate content.", "data_inspection_failed"),
        (400, "Your prompt was flagged as potentially violating our usage policy", None),
        (200, "blocked", "content_filter"),
    ],
)
def test_a_content_filter_is_wrong(status: int, message: str, code: str | None) -> None:
    assert kind(status, message, code=code) is TroubleKind.REFUSED


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("Invalid 'tools[0].function.name': does not match '^[a-zA-Z0-9_-]{1,64}$'.", None),
        ("Invalid schema for function 'f': 'dict' is not valid under any schemas", None),
        ("tools.0.custom.input_schema: JSON schema is invalid", None),
        ("[{'loc': ['body', 'tools', 0, 'function']}]", None),
        ("Invalid value", "tools[3].function.parameters"),
        ("Tool names must match a pattern", None),
    ],
)
def test_a_refused_tool_schema_is_ours_unless_dots_were_sent_or_others_were_taken(
    message: str, param: str | None
) -> None:
    assert kind(400, message, param=param).effect is Effect.OURS
    assert kind(400, message, DOTS, param=param).effect is Effect.STOP
    assert kind(422, message, LATER, param=param).effect is Effect.UNSCORED


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("Unsupported value: 'temperature' does not support 0.001 with this model.", None),
        ("Unsupported parameter", "temperature"),
        ("Unrecognized request argument supplied: seed", None),
        ("temperature must be between 0.01 and 1", None),
        ("`top_p` and `temperature` cannot both be set", None),
        ("The model `gpt-9` does not exist", "model"),
        ("Model not found: gpt-9", None),
        ("gpt-9 is not a valid model ID", None),
        ("max_tokens is too large: 100000", None),
        (
            "'max_tokens' is too large: 20000. This model's maximum context length is 16384",
            None,
        ),
        ("Extra inputs are not permitted", None),
        ("Input should be less than 2", ["body", "temperature"]),
        ("API key not valid. Please pass a valid API key.", None),
    ],
)
def test_a_setting_that_is_not_accepted_is_configuration(message: str, param: Any) -> None:
    assert kind(400, message, param=param) is TroubleKind.CONFIGURATION
    assert kind(422, message, LATER, param=param) is TroubleKind.CONFIGURATION


@pytest.mark.parametrize(
    "message",
    [
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "registry.ollama.ai/library/llama2 does not support tools",
        "tools param requires --jinja flag",
        "This model does not support function calling",
    ],
)
def test_a_server_started_without_tool_calls_is_told_so_rather_than_its_settings(
    message: str,
) -> None:
    body = json.dumps({"error": {"message": message}}).encode()

    trouble = classify(400, {}, body)

    assert trouble.effect is Effect.STOP
    assert "takes no tools" in trouble.sentence
    assert message in trouble.sentence


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("Invalid value: 'tool'. Supported values are 'user'.", "messages[2].role"),
        ("string does not match", "messages[1].tool_calls[0].function.name"),
        ("Input should be a valid string", ["body", "messages", 1, "content"]),
        ('Cannot parse arguments: {"temperature": 5, "stop": "x"}', None),
        ("Failed to parse the call get_temperature(city='model town')", None),
        ("Something went wrong with “set the model's temperature”", None),
    ],
)
def test_an_error_about_the_conversation_is_no_setting(message: str, param: Any) -> None:
    assert kind(400, message, DOTS, param=param).effect is Effect.UNSCORED


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (402, "", None),
        (429, "You exceeded your current quota", "insufficient_quota"),
        (429, "check your plan and billing details", None),
        (429, "Insufficient balance", None),
        (429, "You have run out of credits", None),
    ],
)
def test_a_used_up_quota_pauses_without_repetition(
    status: int, message: str, code: str | None
) -> None:
    assert kind(status, message, code=code) is TroubleKind.QUOTA
    assert TroubleKind.QUOTA.effect is Effect.PAUSE


def test_a_body_too_large_for_a_proxy_says_nothing_about_the_model() -> None:
    assert kind(413, "The request is too large.").effect is Effect.UNSCORED


def test_a_model_s_own_call_that_its_server_refuses_is_no_fault_of_the_tools() -> None:
    said = "tool call validation failed: parameters for tool f did not match schema"
    body = json.dumps({"error": {"message": said, "code": "tool_use_failed"}}).encode()

    assert classify(400, {}, body).kind is TroubleKind.REJECTED


def test_a_rate_limit_is_no_quota() -> None:
    assert kind(429, "Too many requests at the load balancer") is TroubleKind.TRANSIENT
    assert kind(429, "Rate limit reached: 60 requests per minute") is TroubleKind.TRANSIENT


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_failing_on_the_model_s_own_malformed_call_counts_against_it(status: int) -> None:
    assert kind(status, "", MALFORMED).effect is Effect.RETRY_THEN_WRONG
    assert kind(429, "", MALFORMED).effect is Effect.RETRY


def test_the_order_of_the_table_decides_between_two_reasons() -> None:
    filtered = "content_filter; maximum context length; tools[0]; 'temperature'"
    too_long = "maximum context length; tools[0]; 'temperature'"
    tools = "tools[0]; 'temperature'"

    assert kind(400, filtered) is TroubleKind.REFUSED
    assert kind(400, too_long) is TroubleKind.CONTEXT_OVERFLOW
    assert kind(400, tools) is TroubleKind.TOOL_SCHEMA


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("30", 30.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 40.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("inf", None),
        ("nan", None),
        ("9" * 400, None),
        ("Thu, 99 Jan 9999999 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_in_both_forms(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}, now=60.0) == seconds


def test_a_long_wait_pauses_the_run() -> None:
    assert kind(429, headers={"retry-after": "600"}) is TroubleKind.TRANSIENT
    assert kind(429, headers={"retry-after": "601"}) is TroubleKind.LONG_WAIT
    assert kind(503, headers={"retry-after": "86400"}) is TroubleKind.LONG_WAIT
    assert kind(404, headers={"retry-after": "86400"}) is TroubleKind.CONFIGURATION


def test_waits_double_and_an_endpoint_that_names_its_own_is_believed() -> None:
    waits = [wait_before(attempt, None) for attempt in range(2, MAX_ATTEMPTS + 1)]

    assert waits == [1.0, 2.0, 4.0, 8.0]
    assert wait_before(2, 30.0) == 30.0
    assert wait_before(5, 1.0) == 8.0
    assert wait_before(2, 1e9) == LONGEST_WAIT


def test_a_sentence_holds_the_endpoint_s_words_on_one_clean_line() -> None:
    message = "bad\r\nkey \x1b[31m\u202eevil\x00" + "x" * 5000

    sentence = classify(400, {}, json.dumps({"error": {"message": message}}).encode()).sentence

    assert sentence.isprintable()
    assert len(sentence) < 400


@pytest.mark.parametrize(
    "document",
    [
        {"error": "overloaded"},
        {"error": {"message": "overloaded"}},
        {"errors": [{"message": "overloaded"}]},
        {"detail": "overloaded"},
        {"detail": [{"loc": ["body", "x"], "msg": "overloaded"}]},
        {"message": "overloaded", "code": 5},
        [{"error": {"message": "overloaded"}}],
    ],
)
def test_error_bodies_are_understood_in_the_shapes_servers_use(document: object) -> None:
    assert "“overloaded”" in classify(503, {}, json.dumps(document).encode()).sentence


def test_every_kind_has_an_effect_and_every_row_reads_as_a_sentence() -> None:
    assert set(EFFECTS) == set(TroubleKind)
    assert all(row.when and row.advice.endswith(".") for row in TABLE)
    assert {row.kind for row in TABLE} == set(TroubleKind)
    assert all(len(kind) <= 20 for kind in TroubleKind)
