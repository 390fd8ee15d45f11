"""An endpoint that answers every question after the same time.

`python -m tests.bench.latency_server --latency 0.1`

Written against asyncio alone, so that it costs the machine as little as an endpoint elsewhere
would. Prints its port; `GET /count` tells how many questions it was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

ANSWER = json.dumps(
    {
        "id": "chatcmpl-x",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "f", "arguments": '{"base": 10, "height": 5}'},
                        }
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 400, "completion_tokens": 30, "total_tokens": 430},
    }
).encode()


def _response(body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Endpoint(asyncio.Protocol):
    """Reads requests by their Content-Length; one at a time per connection."""

    latency = 1.0  # seconds
    asked = 0
    response = _response(ANSWER)

    def __init__(self) -> None:
        self.received = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, separator, body = self.received.partition(b"\r\n\r\n")
        if not separator:
            return
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        if len(body) < length:
            return
        self.received = body[length:]
        if head.startswith(b"GET"):
            self.transport.write(_response(str(Endpoint.asked).encode()))
            return
        Endpoint.asked += 1
        asyncio.get_running_loop().call_later(self.latency, self._answer)

    def _answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(self.response)


async def serve(port: int, latency: float) -> None:
    Endpoint.latency = latency
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Endpoint, "127.0.0.1", port, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds")
    given = parser.parse_args()
    try:
        asyncio.run(serve(given.port, given.latency))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
