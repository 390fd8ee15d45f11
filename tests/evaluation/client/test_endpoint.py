"""One attempt: bounded in time and size, never raising, and never letting the key out."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import zlib
from urllib.parse import quote, quote_plus

import pytest

from evaluation.client.blot import BLOT, Blotter
from evaluation.client.endpoint import EndpointClient, Exchange, Target
from evaluation.client.errors import AddressRefused, Effect, TroubleKind
from evaluation.client.guard import Guard, make_session
from evaluation.client.limits import Limits
from evaluation.client.wire import build_request, request_sha256
from evaluation.engine.types import Question
from tests.evaluation.client.asking import TOOL, USER, WITH_TOOLS, WITHOUT_TOOLS, ask
from tests.fakes import FakeEndpoint, Scripted, completion, error

KEY = 'sk-"a/secret+key\\of=24&chars'
SMALL = Limits(body=20_000, kept_of_oversized=1_000)


def test_an_answer_comes_with_all_that_is_stored() -> None:
    reply = completion(calls={"area": '{"base": 3}'}, usage=(7, 3))
    with FakeEndpoint(reply) as endpoint:
        exchange = ask(endpoint, key=KEY, api_version="2024-10-21")
        request = endpoint.requests[0]

    assert exchange.trouble is None
    assert exchange.completion is not None
    assert exchange.completion.answer.result == [{"area": '{"base": 3}'}]
    assert (exchange.completion.tokens_in, exchange.completion.tokens_out) == (7, 3)
    assert (exchange.status, exchange.body, exchange.redacted) == (200, reply.body, False)
    assert exchange.latency > 0
    assert exchange.sent_at.tzinfo is not None
    assert request.path == "/v1/chat/completions?api-version=2024-10-21"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == build_request(WITH_TOOLS, Target(endpoint.base_url, "m"))
    assert exchange.request_sha256 == request_sha256(request.body)


def test_prompt_mode_is_read_as_text_with_its_reasoning_removed() -> None:
    with FakeEndpoint(completion("<think>x</think>[f()]")) as endpoint:
        exchange = ask(endpoint, WITHOUT_TOOLS, reasoning_end="</think>")

    assert exchange.completion is not None
    assert exchange.completion.answer.result == "[f()]"
    assert b"<think>x" in exchange.body


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Scripted(is_dropped=True), id="dropped"),
        pytest.param(Scripted(body=completion("x").body[:40], is_cut_off=True), id="cut-off"),
        pytest.param(Scripted(body=b"x", headers={"content-encoding": "gzip"}), id="not-gzip"),
        pytest.param(error(503), id="overloaded"),
    ],
)
def test_a_broken_delivery_is_transient(reply: Scripted) -> None:
    with FakeEndpoint(reply) as endpoint:
        exchange = ask(endpoint)

    assert exchange.completion is None
    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY
    assert exchange.trouble.sentence


def test_nobody_listening_is_transient_and_says_so() -> None:
    with FakeEndpoint(completion("x")) as endpoint:
        pass

    exchange = ask(endpoint)

    assert exchange.status is None
    assert exchange.trouble is not None
    assert exchange.trouble.sentence.startswith("No connection")


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Scripted(delay=30), id="no-first-byte"),
        pytest.param(Scripted(body=b" " * 1000, bytes_per_write=1, pause=0.05), id="drip"),
        pytest.param(Scripted(body=b"xy", bytes_per_write=1, pause=30), id="silence"),
    ],
)
def test_the_total_deadline_ends_every_delay(reply: Scripted) -> None:
    with FakeEndpoint(reply) as endpoint:
        exchange = ask(endpoint, timeout=0.3)

    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY
    assert "within 0.3 seconds" in exchange.trouble.sentence


def test_silence_in_the_middle_of_a_body_ends_before_the_total_deadline() -> None:
    with FakeEndpoint(Scripted(body=b"xy", bytes_per_write=1, pause=30)) as endpoint:
        exchange = ask(endpoint, limits=Limits(between_chunks=0.2), timeout=60)

    assert exchange.trouble is not None
    assert exchange.latency < 30


def test_a_model_may_think_longer_than_a_body_may_be_silent() -> None:
    thinking = Scripted(body=completion("x").body, delay_after_headers=0.4)
    with FakeEndpoint(thinking) as endpoint:
        exchange = ask(endpoint, limits=Limits(between_chunks=0.1))

    assert exchange.completion is not None


@pytest.mark.parametrize("status", [200, 400])
def test_a_body_over_the_limit_is_read_no_further(status: int) -> None:
    with FakeEndpoint(Scripted(status, body=b"x" * 1_000_000)) as endpoint:
        exchange = ask(endpoint, limits=SMALL)

    assert len(exchange.body) == SMALL.kept_of_oversized
    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY
    assert "more than" in exchange.trouble.sentence


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b" " * 200_000_000, 9)),
        ("deflate", zlib.compress(b" " * 50_000_000, 9)),
    ],
    ids=["gzip", "deflate"],
)
def test_a_compression_bomb_is_bounded_while_it_unpacks(encoding: str, packed: bytes) -> None:
    bomb = Scripted(headers={"content-encoding": encoding}, body=packed)
    with FakeEndpoint(bomb) as endpoint:
        exchange = ask(endpoint, limits=SMALL)

    assert len(exchange.body) <= SMALL.kept_of_oversized
    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY


def test_a_compressed_answer_is_stored_as_it_reads() -> None:
    plain = completion("hello").body
    packed = Scripted(headers={"content-encoding": "gzip"}, body=gzip.compress(plain))
    with FakeEndpoint(packed) as endpoint:
        exchange = ask(endpoint)

    assert exchange.body == plain
    assert exchange.completion is not None


def test_endless_headers_are_refused() -> None:
    with FakeEndpoint(Scripted(headers={"x-endless": "x" * 100_000})) as endpoint:
        exchange = ask(endpoint)

    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.RETRY


@pytest.mark.parametrize(
    "echo",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(json.dumps(KEY)[1:-1])[1:-1],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        quote(KEY, safe=""),
        quote(KEY),
        quote_plus(KEY),
        base64.b64encode(KEY.encode()).decode(),
    ],
)
def test_the_key_is_blotted_in_every_spelling(echo: str) -> None:
    with FakeEndpoint(Scripted(400, body=f"you sent {echo} to us".encode())) as endpoint:
        exchange = ask(endpoint, key=KEY)

    assert BLOT in exchange.body
    assert echo.encode() not in exchange.body
    assert exchange.redacted


def test_the_key_is_in_no_sentence_and_no_answer() -> None:
    key = "sk-0123456789abcdef"
    with FakeEndpoint(
        error(401, f"Incorrect API key {key}"), completion(f"key {key}")
    ) as endpoint:
        refused = ask(endpoint, key=key)
        answered = ask(endpoint, key=key)

    assert key not in repr((refused, answered))
    assert answered.completion is not None
    assert answered.completion.answer.result == f"key {BLOT.decode()}"


def test_a_blotted_key_says_nothing_about_what_went_wrong() -> None:
    key = "sk-0123456789abcdef"
    with FakeEndpoint(error(400, f"Not understood: {key}")) as endpoint:
        exchange = ask(endpoint, key=key)

    assert exchange.trouble is not None
    assert exchange.trouble.kind is TroubleKind.REJECTED


def test_a_key_cut_in_two_by_the_size_limit_does_not_stay_in_part() -> None:
    key = "sk-0123456789abcdef"
    body = b"x" * (SMALL.kept_of_oversized - 10) + key.encode() + b"y" * 50_000
    with FakeEndpoint(Scripted(body=body)) as endpoint:
        exchange = ask(endpoint, key=key, limits=SMALL)

    assert key[:4].encode() not in exchange.body


def test_a_short_key_is_never_blotted() -> None:
    with FakeEndpoint(completion("a test of the rest")) as endpoint:
        exchange = ask(endpoint, key="test")

    assert not exchange.redacted
    assert b"a test of" in exchange.body


def test_blotting_leaves_everything_else_alone() -> None:
    body = bytes(range(256)) * 10

    assert Blotter(KEY).blot(body) == (body, False)
    assert Blotter("").blot(body) == (body, False)


def test_what_a_refusal_means_depends_on_what_was_sent_and_accepted() -> None:
    dotted = {"type": "function", "function": {"name": "math.area", "parameters": {}}}
    schema = error(400, "Invalid 'tools[0].function.name'")
    with FakeEndpoint(schema) as endpoint:
        plain = ask(endpoint)
        dots = ask(endpoint, Question((USER,), (dotted,)))
        later = ask(endpoint, has_accepted_reply=True)

    kinds = [exchange.trouble.kind for exchange in (plain, dots, later) if exchange.trouble]
    assert kinds == [TroubleKind.TOOL_SCHEMA, TroubleKind.CONFIGURATION, TroubleKind.REJECTED]


@pytest.mark.parametrize("calls", [None, [], [{}], [{"function": {"arguments": "{}"}}]])
def test_a_sound_history_is_never_blamed(calls: object) -> None:
    history = ({"role": "assistant", "content": None, "tool_calls": calls}, USER)
    with FakeEndpoint(error(500)) as endpoint:
        exchange = ask(endpoint, Question(history, (TOOL,)))

    assert exchange.trouble is not None
    assert exchange.trouble.kind is TroubleKind.TRANSIENT


def test_a_parameter_that_is_not_allowed_is_our_mistake_and_asks_nobody() -> None:
    with FakeEndpoint(completion("x")) as endpoint, pytest.raises(ValueError, match="stream"):
        ask(endpoint, parameters={"stream": True})

    assert endpoint.requests == []


def test_an_address_that_is_none_is_refused_at_once() -> None:
    async def make() -> None:
        async with make_session(Guard()) as session:
            EndpointClient(session, Target("nonsense", "m"))

    with pytest.raises(AddressRefused):
        asyncio.run(make())


def test_many_questions_share_connections_and_are_in_flight_together() -> None:
    async def ask_many(endpoint: FakeEndpoint) -> list[Exchange]:
        async with make_session(Guard.listing(endpoint.host)) as session:
            client = EndpointClient(session, Target(endpoint.base_url, "m"))
            return await asyncio.gather(*(client.ask(WITH_TOOLS) for _ in range(64)))

    slow = Scripted(delay=0.2, body=completion("x").body)
    with FakeEndpoint(slow) as endpoint:
        exchanges = asyncio.run(ask_many(endpoint))

    assert all(exchange.completion for exchange in exchanges)
    assert endpoint.most_in_flight == 64
