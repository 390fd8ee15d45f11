"""Questions and one-line asking for tests of the client."""

from __future__ import annotations

import asyncio
from typing import Any

from evaluation.client.endpoint import EndpointClient, Exchange, Target
from evaluation.client.guard import Guard, make_session
from evaluation.client.limits import Limits
from evaluation.engine.types import Question
from tests.fakes import FakeEndpoint

TOOL = {
    "type": "function",
    "function": {
        "name": "area",
        "description": "The area of a triangle.",
        "parameters": {"type": "object", "properties": {"base": {"type": "integer"}}},
    },
}
USER = {"role": "user", "content": "What is the area?"}
WITH_TOOLS = Question((USER,), (TOOL,))
WITHOUT_TOOLS = Question((USER,), None)
KEY = "sk-a/secret+key=of 24 chars".replace(" ", "-")


def ask(
    endpoint: FakeEndpoint,
    question: Question = WITH_TOOLS,
    *,
    key: str = "",
    limits: Limits | None = None,
    has_accepted_reply: bool = False,
    **target: Any,
) -> Exchange:
    """Ask a scripted endpoint once."""
    there = Target(**{"base_url": endpoint.base_url, "model": "m", **target})

    async def once() -> Exchange:
        async with make_session(Guard.listing(endpoint.host), limits) as session:
            client = EndpointClient(session, there, key, limits)
            return await client.ask(question, has_accepted_reply=lambda: has_accepted_reply)

    return asyncio.run(once())
