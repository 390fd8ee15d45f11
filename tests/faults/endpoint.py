"""An endpoint for fault runs: the same question always gets the same answer, and is counted.

`python -m tests.faults.endpoint --port P`. It is told how to behave over HTTP: `GET /be?mode=…`
with `well`, `flapping`, `slow`; `GET /count` gives questions asked, and those being answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import zlib
from time import monotonic
from typing import Any

from aiohttp import web

LATENCY = 0.05  # seconds
SLOW = 1.5
FLAP = 0.4  # seconds up, then as long down


class Endpoint:
    def __init__(self) -> None:
        self.mode = "well"
        self.asked = 0
        self.answering = 0

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        if self.mode == "flapping" and int(monotonic() / FLAP) % 2:
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        self.asked += 1
        self.answering += 1
        try:
            await asyncio.sleep(SLOW if self.mode == "slow" else LATENCY)
        finally:
            self.answering -= 1
        return web.json_response(completion(body))

    async def be(self, request: web.Request) -> web.Response:
        self.mode = request.query["mode"]
        return web.Response(text=self.mode)

    async def count(self, request: web.Request) -> web.Response:
        return web.json_response({"asked": self.asked, "answering": self.answering})


def completion(body: bytes) -> dict[str, Any]:
    """Text or a call of the first tool, decided by the question's checksum."""
    tools = json.loads(body).get("tools") or []
    message: dict[str, Any] = {"role": "assistant", "content": "None of these fits."}
    if tools and zlib.crc32(body) % 2:
        function = {"name": tools[0]["function"]["name"], "arguments": "{}"}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        message |= {"content": None, "tool_calls": calls}
    return {
        "id": "chatcmpl-x",
        "object": "chat.completion",
        "created": 1,
        "model": "faults",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    endpoint = Endpoint()
    app = web.Application()
    app.add_routes(
        [
            web.post("/v1/chat/completions", endpoint.answer),
            web.get("/be", endpoint.be),
            web.get("/count", endpoint.count),
        ]
    )
    web.run_app(app, host="127.0.0.1", port=parser.parse_args().port, print=None)


if __name__ == "__main__":
    main()
