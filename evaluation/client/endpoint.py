"""Asks one model at one address, one request at a time, and says what came of it.

Nothing here retries, waits or stores: `ask` makes a single attempt. When to repeat is the
caller's rule, with the constants in `limits`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

import aiohttp

from evaluation.client.blot import Blotter
from evaluation.client.complaints import printable
from evaluation.client.documents import is_json
from evaluation.client.errors import (
    AddressRefused,
    NotACompletion,
    Situation,
    Trouble,
    TroubleKind,
    classify,
    no_response,
)
from evaluation.client.limits import MAX_TIMEOUT, Limits
from evaluation.client.target import (
    Target,
    auth_headers,
    check_key,
    check_target,
    completions_url,
    normalise_base_url,
)
from evaluation.client.wire import Completion, build_request, read, request_sha256
from evaluation.engine.types import JSON, Message, Mode, Question

__all__ = [
    "EndpointClient",
    "Exchange",
    "Target",
    "auth_headers",
    "check_key",
    "check_target",
    "completions_url",
    "normalise_base_url",
]

USER_AGENT = "Callboard (function-calling leaderboard)"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One attempt: what was sent, what came back, what it amounts to.

    Exactly one of `completion` and `trouble` is set. `body` is the response after
    content-decoding with the key blotted out (`redacted`), cut where it exceeds the limit;
    empty without a response. `latency` is in seconds, from sending to the last byte read.
    """

    request_sha256: str
    status: int | None
    body: bytes
    redacted: bool
    latency: float
    sent_at: datetime
    completion: Completion | None = None
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class _Received:
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    is_oversized: bool


class EndpointClient:
    """Asks one target over a session made by `guard.make_session`, which it does not close."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        target: Target,
        key: str = "",
        limits: Limits | None = None,
    ) -> None:
        """Raises AddressRefused if the target's address cannot be one."""
        self.session = session
        self.target = target
        self.limits = limits or Limits()
        self.url = target.url
        self._blotter = Blotter(key)
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            **auth_headers(target, key),
        }
        self._timeout = aiohttp.ClientTimeout(
            total=min(target.timeout, MAX_TIMEOUT),
            connect=self.limits.connect,
            sock_connect=self.limits.connect,
        )

    async def ask(
        self, question: Question, *, has_accepted_reply: Callable[[], bool] = lambda: False
    ) -> Exchange:
        """Put one question to the model, once.

        Args:
            question: What to ask.
            has_accepted_reply: Whether this endpoint already answered in this run; what a
                refusal means depends on it. Called when the response is there: others may have
                been answered meanwhile.

        Returns:
            What became of it. Endpoint trouble is part of the answer and never raised.

        Raises:
            ValueError: A parameter of the target is not allowed; nothing was sent.
        """
        request = build_request(question, self.target)
        sent_at, started = datetime.now(UTC), perf_counter()
        received, trouble = await self._post(request)
        latency = perf_counter() - started
        body, redacted = b"", False
        completion = None
        if received is not None:
            body, redacted = self._kept(received)
            completion, trouble = self._judge(received, body, question, has_accepted_reply())
        return Exchange(
            request_sha256=request_sha256(request),
            status=None if received is None else received.status,
            body=body,
            redacted=redacted,
            latency=latency,
            sent_at=sent_at,
            completion=completion,
            trouble=trouble,
        )

    def _kept(self, received: _Received) -> tuple[bytes, bool]:
        if received.is_oversized:
            return self._blotter.cut(received.body, self.limits.kept_of_oversized)
        return self._blotter.blot(received.body)

    def _judge(
        self, received: _Received, body: bytes, question: Question, has_accepted_reply: bool
    ) -> tuple[Completion | None, Trouble | None]:
        if received.is_oversized:
            size = self.limits.body // 1024
            return None, no_response(f"The response has more than {size} kB; we stopped reading.")
        if received.status == 200:
            try:
                return self.read(body, question), None
            except NotACompletion:
                pass  # the table says what it is instead
        situation = Situation(has_accepted_reply, _sends_dots(question), _is_malformed(question))
        return None, classify(received.status, received.headers, body, situation)

    def read(self, body: bytes, question: Question) -> Completion:
        """Read a stored body as this client reads a live one. Raises NotACompletion."""
        mode = Mode.PROMPT if question.tools is None else Mode.FC
        return read(body, mode, self.target.reasoning_end, self.target.token_limit)

    async def _post(self, request: bytes) -> tuple[_Received | None, Trouble | None]:
        """Send and receive; every way of getting nothing back is a trouble with a sentence."""
        try:
            async with self.session.post(
                self.url,
                data=request,
                headers=self._headers,
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                body, is_oversized = await self._read_body(response)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return _Received(response.status, headers, body, is_oversized), None
        except AddressRefused as refusal:
            return None, Trouble(TroubleKind.CONFIGURATION, str(refusal))
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # OSError covers time-outs; ValueError what aiohttp finds unsendable or unreadable.
            return None, no_response(self._blotter.blot_text(_in_words(error, self.target)))

    async def _read_body(self, response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
        """The body up to the limit, and whether there was more; the rest is never read.

        A model may think for long after its server has sent the headers, so the first byte is
        bounded by the total deadline alone; silence counts from then on.
        """
        chunks: list[bytes] = []
        size = 0
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as silence:
            async for chunk in response.content.iter_any():
                chunks.append(chunk)
                size += len(chunk)
                if size > self.limits.body:
                    response.close()
                    return b"".join(chunks), True
                silence.reschedule(loop.time() + self.limits.between_chunks)
        return b"".join(chunks), False


def _sends_dots(question: Question) -> bool:
    return any("." in str(tool.get("function", {}).get("name")) for tool in question.tools or ())


def _is_malformed(question: Question) -> bool:
    """True if a call of the model's own in the conversation has arguments that are not JSON."""
    return any(_holds_malformed_call(message) for message in question.messages)


def _holds_malformed_call(message: Message) -> bool:
    calls: JSON = message.get("tool_calls") or ()
    texts = [call.get("function", {}).get("arguments", "{}") for call in calls]
    return any(not is_json(text) for text in texts)


# The most telling class first: they derive from one another.
WORDS: tuple[tuple[type[Exception], str], ...] = (
    (aiohttp.ServerTimeoutError, "The endpoint did not answer within {timeout:g} seconds."),
    (TimeoutError, "The endpoint did not answer within {timeout:g} seconds."),
    (aiohttp.ClientConnectorDNSError, "The endpoint's name cannot be found: check the base URL."),
    (aiohttp.ClientSSLError, "No secure connection: check the endpoint's certificate."),
    (aiohttp.ClientConnectorError, "No connection to the endpoint: check that it is running."),
    (aiohttp.ServerDisconnectedError, "The endpoint closed the connection without a response."),
    (aiohttp.ClientPayloadError, "The response was cut off."),
    (aiohttp.ClientResponseError, "The response is no valid HTTP."),
)


def _in_words(error: Exception, target: Target) -> str:
    for kind, words in WORDS:
        if isinstance(error, kind):
            return words.format(timeout=target.timeout)
    return f"No response from the endpoint ({printable(str(error) or type(error).__name__, 120)})."
