"""The reference endpoint as a server: chat completions and the list of models."""

from __future__ import annotations

import asyncio
import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from time import time
from typing import Any

from aiohttp import web

from evaluation.reference.conversation import complaint_about, respond, usage

MODEL = "callboard-reference"
MAX_REQUEST = 16 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the server should act, so that trouble can be tried out."""

    key: str = ""  # required as a bearer token when set
    latency: float = 0.0  # seconds before each answer
    fail_every: int = 0  # each n-th request fails; 0: none
    fail_status: int = 503


class ReferenceEndpoint:
    """Answers requests by the heuristic; holds nothing but a counter of requests."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self._numbers = count(1)

    def app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_REQUEST)
        app.router.add_get("/v1/models", self.models)
        app.router.add_post("/v1/chat/completions", self.complete)
        return app

    async def models(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return _no_key()
        listed = {"id": MODEL, "object": "model", "created": 0, "owned_by": "callboard"}
        return _json({"object": "list", "data": [listed]})

    async def complete(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return _no_key()
        body = await request.read()
        if self.behaviour.latency:
            await asyncio.sleep(self.behaviour.latency)
        if self.behaviour.fail_every and next(self._numbers) % self.behaviour.fail_every == 0:
            status = self.behaviour.fail_status
            return _error(status, "This server was told to fail.", kind="server_error")
        return _completion(body)

    def _knows(self, request: web.Request) -> bool:
        key = self.behaviour.key
        given = request.headers.get("Authorization", "").encode()
        return not key or hmac.compare_digest(given, f"Bearer {key}".encode())


def _completion(body: bytes) -> web.Response:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return _error(400, "We could not parse the JSON body of your request.")
    if problem := complaint_about(request):
        return _error(400, problem[0], param=problem[1])
    if request["model"] != MODEL:
        asked = request["model"][:100]
        unknown = f"The model '{asked}' does not exist; this server has '{MODEL}'."
        return _error(404, unknown, code="model_not_found", param="model")
    said = respond(request)
    return _json(
        {
            "id": f"chatcmpl-{sha256(body).hexdigest()[:24]}",
            "object": "chat.completion",
            "created": int(time()),
            "model": MODEL,
            "choices": [
                {"index": 0, "message": said.message, "finish_reason": said.finish_reason}
            ],
            "usage": usage(body, said),
        }
    )


def _json(document: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=json.dumps(document).encode(), status=status, content_type="application/json"
    )


def _no_key() -> web.Response:
    return _error(401, "Incorrect API key provided.", code="invalid_api_key")


def _error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    kind: str = "invalid_request_error",
) -> web.Response:
    error = {"message": message, "type": kind, "param": param or None, "code": code}
    return _json({"error": error}, status)
