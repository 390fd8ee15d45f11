"""How much of the ideal throughput an HTTP client reaches, and what a request costs in CPU.

    python -m tests.bench.http_client [--json FILE]             # our client
    python -m tests.bench.http_client --with ours --with aiohttp  # and the bare library
    python -m tests.bench.http_client --with httpx              # where httpx is installed

A server in a process of its own answers after a fixed latency. Ideal is requests in flight ÷
latency; CPU is that of the asking process alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import product
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import aiohttp
from aiohttp import web

from evaluation.client.endpoint import EndpointClient
from evaluation.client.guard import Guard, make_session
from evaluation.client.target import Target
from evaluation.engine.types import Question
from tests.bench import figures

LOADS = ((0.1, 64, 4000), (1.0, 512, 4000))  # latency in seconds, in flight, requests
TOOL = {
    "type": "function",
    "function": {
        "name": "calculate_triangle_area",
        "description": "Calculate the area of a triangle given its base and height." * 4,
        "parameters": {
            "type": "object",
            "properties": {
                name: {"type": "integer", "description": "A length in units of one's choice."}
                for name in ("base", "height", "unit")
            },
        },
    },
}
QUESTION = Question(({"role": "user", "content": "Find the area of a triangle. " * 6},), (TOOL,))
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "calculate_triangle_area", "arguments": '{"base": 10, "height": 5}'},
}
ANSWER = {
    "id": "chatcmpl-x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": None, "tool_calls": [CALL]},
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
}
Ask = Callable[[], Awaitable[None]]


def serve(latency: float, tell: Connection) -> None:
    body = json.dumps(ANSWER).encode()

    async def answer(request: web.BaseRequest) -> web.Response:
        await request.read()
        await asyncio.sleep(latency)
        return web.Response(body=body, content_type="application/json")

    async def run() -> None:
        runner = web.ServerRunner(web.Server(answer, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        tell.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


@asynccontextmanager
async def ours(base_url: str, in_flight: int) -> Any:
    host = base_url.removeprefix("http://").removesuffix("/v1")
    async with make_session(Guard.listing(host)) as session:
        client = EndpointClient(session, Target(base_url, "m"), "k" * 32)

        async def ask() -> None:
            exchange = await client.ask(QUESTION)
            assert exchange.completion is not None, exchange.trouble

        yield ask


@asynccontextmanager
async def bare_aiohttp(base_url: str, in_flight: int) -> Any:
    body = {"model": "m", "messages": QUESTION.messages, "tools": QUESTION.tools}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask() -> None:
            async with session.post(f"{base_url}/chat/completions", json=body) as response:
                assert (await response.json())["choices"]

        yield ask


@asynccontextmanager
async def bare_httpx(base_url: str, in_flight: int) -> Any:
    import httpx  # type: ignore[import-not-found,unused-ignore]

    body = {"model": "m", "messages": QUESTION.messages, "tools": QUESTION.tools}
    limits = httpx.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
    async with httpx.AsyncClient(limits=limits, timeout=120, trust_env=False) as client:

        async def ask() -> None:
            response = await client.post(f"{base_url}/chat/completions", json=body)
            assert response.json()["choices"]

        yield ask


CLIENTS = {"ours": ours, "aiohttp": bare_aiohttp, "httpx": bare_httpx}


async def drive(ask: Ask, in_flight: int, requests: int) -> int:
    """Ask that often; returns how many requests failed."""
    left = iter(range(requests))
    failed = 0

    async def one_slot() -> None:
        nonlocal failed
        for _ in left:
            try:
                await ask()
            except Exception:
                failed += 1

    await asyncio.gather(*(one_slot() for _ in range(in_flight)))
    return failed


async def measure(name: str, base_url: str, load: tuple[float, int, int]) -> dict[str, Any]:
    latency, in_flight, requests = load
    async with CLIENTS[name](base_url, in_flight) as ask:
        await drive(ask, in_flight, in_flight)  # connections are made before the clock starts
        cpu, started = cpu_seconds(), time.perf_counter()
        failed = await drive(ask, in_flight, requests)
        seconds, used = time.perf_counter() - started, cpu_seconds() - cpu
    rate, ideal = requests / seconds, in_flight / latency
    return {
        "client": name,
        "latency_s": latency,
        "in_flight": in_flight,
        "failed": failed,
        "requests_per_s": round(rate, 1),
        "share_of_ideal": round(rate / ideal, 3),
        "cpu_ms_per_request": round(1000 * used / requests, 3),
    }


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--with", dest="clients", choices=CLIENTS, action="append")
    figures.add_option(parser)
    chosen = parser.parse_args()
    found = []
    for client, load in product(chosen.clients or ["ours"], LOADS):
        found.append(against_a_server(client, load))
        sys.stdout.write(json.dumps(found[-1]) + "\n")
    figures.keep(chosen.json, "http_client", {"clients": found})


def against_a_server(client: str, load: tuple[float, int, int]) -> dict[str, Any]:
    context = get_context("spawn")
    heard, tell = context.Pipe()
    server = context.Process(target=serve, args=(load[0], tell), daemon=True)
    server.start()
    try:
        base_url = f"http://127.0.0.1:{heard.recv()}/v1"
        return asyncio.run(measure(client, base_url, load))
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
