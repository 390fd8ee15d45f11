"""Scripted endpoints: real servers on loopback that say exactly what a test tells them to.

    with FakeEndpoint(completion(calls={"ls": "{}"}), error(503)) as endpoint:
        ...ask endpoint.base_url...

    assert len(endpoint.requests) == 2

The server lives in a thread with an event loop of its own, so that tests, workers and commands
can ask it alike. Replies are given in order and the last one is repeated; a function of the
request may be given instead.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

JSON_HEADERS = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Scripted:
    """One response, and how it is delivered. Times in seconds."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON_HEADERS))
    body: bytes = b""
    delay: float = 0.0  # before the first byte of the response
    delay_after_headers: float = 0.0  # before the first byte of the body
    bytes_per_write: int = 0  # 0: all at once
    pause: float = 0.0  # between two writes
    is_cut_off: bool = False  # the connection breaks before the body ends
    is_dropped: bool = False  # the connection breaks before there is any response


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    path: str  # with the query string
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Script = Callable[[Request], Scripted]


class FakeEndpoint:
    """A server on 127.0.0.1 that plays a script and remembers what it was asked."""

    def __init__(self, *replies: Scripted, script: Script | None = None) -> None:
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self.connections_made = 0
        self.port = 0
        self._script = script or self._in_order
        self._replies = replies
        self._in_flight = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._done: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def host(self) -> str:
        """As an operator lists it."""
        return f"127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10), "the scripted endpoint did not start"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None
        assert self._done is not None
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)

    def _in_order(self, request: Request) -> Scripted:
        position = min(len(self.requests), len(self._replies)) - 1
        return self._replies[position]

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._done = asyncio.Event()
        server = web.Server(self._answer, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._done.wait()
        await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Request(request.path_qs, headers, await request.read())
        self.requests.append(received)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            return await self._deliver(request, self._script(received))
        finally:
            self._in_flight -= 1

    async def _deliver(self, request: web.BaseRequest, reply: Scripted) -> web.StreamResponse:
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.is_dropped:
            _break(request)
            return web.Response()
        response = web.StreamResponse(status=reply.status, headers=_without_framing(reply.headers))
        if not reply.is_cut_off and not reply.bytes_per_write:
            response.content_length = len(reply.body)
        await response.prepare(request)
        await asyncio.sleep(reply.delay_after_headers)
        step = reply.bytes_per_write or max(1, len(reply.body))
        for start in range(0, len(reply.body), step):
            await response.write(reply.body[start : start + step])
            if reply.pause:
                await asyncio.sleep(reply.pause)
        if reply.is_cut_off:
            _break(request)
            return response
        await response.write_eof()
        return response


def _break(request: web.BaseRequest) -> None:
    if request.transport is not None:
        request.transport.close()


def _without_framing(headers: Mapping[str, str]) -> dict[str, str]:
    framing = ("transfer-encoding", "content-length")
    return {name: value for name, value in headers.items() if name.lower() not in framing}


def completion(
    content: str | None = None,
    calls: Mapping[str, Any] | None = None,
    *,
    finish_reason: str = "",
    usage: tuple[int, int] | None = (80, 20),
    **extra: Any,
) -> Scripted:
    """A chat completion: text, or calls as `{name: arguments text}`.

    `extra` goes into the message as it is.
    """
    message: dict[str, Any] = {"role": "assistant", "content": content, **extra}
    if calls is not None:
        message["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": text}}
            for n, (name, text) in enumerate(calls.items())
        ]
    reason = finish_reason or ("tool_calls" if calls else "stop")
    document: dict[str, Any] = {
        "id": "chatcmpl-x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if usage:
        document["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Scripted(body=json.dumps(document).encode())


def error(status: int, message: str = "", *, headers: Mapping[str, str] | None = None) -> Scripted:
    """An error in the shape most servers use."""
    body = json.dumps({"error": {"message": message}}).encode()
    return Scripted(status, {**JSON_HEADERS, **(headers or {})}, body)


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """One recorded case file: what an endpoint said, and what a fair evaluator makes of it."""

    id: str
    category: str
    case: str
    mode: str
    responses: tuple[Scripted, ...]
    expected: Mapping[str, Any]
    settings: Mapping[str, Any]  # further inputs, such as the token limit that was sent


def recorded_case(corpora: Path, name: str) -> RecordedCase:
    """Read `cases/<name>.json` below the corpora."""
    found = json.loads((corpora / "cases" / f"{name}.json").read_text())
    given = dict(found["input"])
    responses = tuple(_scripted(response) for response in given.pop("responses"))
    category, case = given.pop("bfcl_category", ""), given.pop("bfcl_case", "")
    return RecordedCase(
        found["id"], category, case, given.pop("mode", "fc"), responses, found["expected"], given
    )


def recorded_case_names(corpora: Path, prefix: str = "EP") -> list[str]:
    return sorted(path.stem for path in (corpora / "cases").glob(f"{prefix}*.json"))


def _scripted(response: Mapping[str, Any]) -> Scripted:
    delivery = response.get("delivery", {})
    return Scripted(
        status=response["status"],
        headers=response["headers"],
        body=response["body"].encode(),
        bytes_per_write=delivery.get("bytes_per_write", 0),
        pause=delivery.get("delay_s", 0.0),
        is_cut_off=delivery.get("close_without_final_chunk", False),
    )
