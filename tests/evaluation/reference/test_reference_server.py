"""The reference endpoint speaks the protocol, errors included."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from evaluation.client.target import Target
from evaluation.client.wire import build_request, read
from evaluation.engine.types import Mode, Question
from evaluation.reference.server import MODEL, Behaviour, ReferenceEndpoint
from tests.evaluation.reference.test_reference_model import WEATHER, user

ASKING = Question((user("What is the weather in Oslo?"),), (WEATHER,))
AS_IT_IS = Behaviour()
REQUEST = build_request(ASKING, Target("http://127.0.0.1", MODEL))


def post(
    body: bytes, behaviour: Behaviour = AS_IT_IS, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    async def once() -> tuple[int, bytes]:
        async with TestClient(TestServer(ReferenceEndpoint(behaviour).app())) as client:
            response = await client.post("/v1/chat/completions", data=body, headers=headers)
            return response.status, await response.read()

    status, answer = asyncio.run(once())
    return status, json.loads(answer)


def test_an_answer_is_a_chat_completion_with_usage() -> None:
    status, document = post(REQUEST)

    completion = read(json.dumps(document).encode(), Mode.FC)
    assert status == 200
    assert completion.answer.result == [{"get_weather": '{"city": "Oslo"}'}]
    assert completion.deviations == ()
    assert completion.tokens_in
    assert completion.tokens_out


def test_the_same_request_gets_the_same_answer() -> None:
    first, second = post(REQUEST)[1], post(REQUEST)[1]

    assert first["choices"] == second["choices"]
    assert first["id"] == second["id"]


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        pytest.param(b"{", 400, None, id="not-json"),
        pytest.param(b"[]", 400, None, id="no-object"),
        pytest.param(b'{"messages":[]}', 400, "model", id="no-model"),
        pytest.param(b'{"model":"x","messages":[]}', 400, "messages", id="no-messages"),
        pytest.param(b'{"model":"x","messages":[1]}', 400, "messages", id="odd-message"),
        pytest.param(
            b'{"model":"x","messages":[{"role":"user"}],"stream":true}', 400, "stream", id="stream"
        ),
        pytest.param(
            b'{"model":"x","messages":[{"role":"user"}],"tools":3}', 400, "tools", id="odd-tools"
        ),
        pytest.param(b'{"model":"x","messages":[{"role":"user"}]}', 404, "model", id="unknown"),
    ],
)
def test_a_bad_request_is_refused_by_name(body: bytes, status: int, param: str | None) -> None:
    got, document = post(body)

    assert got == status
    assert document["error"]["param"] == param
    assert document["error"]["message"]


def test_a_key_is_required_when_one_is_set() -> None:
    behaviour = Behaviour(key="k" * 20)

    refused, _ = post(REQUEST, behaviour)
    accepted, _ = post(REQUEST, behaviour, {"Authorization": f"Bearer {'k' * 20}"})

    assert (refused, accepted) == (401, 200)


def test_it_fails_as_often_as_it_is_told_to() -> None:
    status, document = post(REQUEST, Behaviour(fail_every=1, fail_status=503))

    assert status == 503
    assert document["error"]["type"] == "server_error"
