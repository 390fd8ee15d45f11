"""Blots an API key out of whatever an endpoint sends back, before anything leaves the client."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from urllib.parse import quote, quote_plus

from evaluation.client.target import MIN_KEY

# Neutral on purpose: what remains of an error body is still searched for what went wrong.
BLOT = b"[redacted]"


class Blotter:
    """Knows every spelling in which one key may come back: plain, escaped, encoded."""

    def __init__(self, key: str) -> None:
        """A key under MIN_KEY characters is never blotted: it could be any word of a reply."""
        spellings = _spellings(key) if len(key) >= MIN_KEY else set()
        # Longest first: a spelling may contain another.
        self.spellings = sorted((text.encode() for text in spellings), key=len, reverse=True)

    def blot(self, body: bytes) -> tuple[bytes, bool]:
        """The body without the key, and whether anything was removed."""
        blotted = body
        for spelling in self.spellings:
            if spelling in blotted:
                blotted = blotted.replace(spelling, BLOT)
        return blotted, blotted != body

    def blot_text(self, text: str) -> str:
        return self.blot(text.encode("utf-8", "surrogatepass"))[0].decode("utf-8", "surrogatepass")

    def cut(self, body: bytes, size: int) -> tuple[bytes, bool]:
        """The first `size` bytes, blotted, without a key's beginning that the cut left over."""
        blotted, is_redacted = self.blot(body[:size])
        if len(body) > size and self.spellings:
            blotted = blotted[: -len(self.spellings[0])]
        return blotted, is_redacted


def _spellings(key: str) -> set[str]:
    escaped = json.dumps(key)[1:-1]
    return {
        key,
        escaped,
        escaped.replace("/", "\\/"),
        json.dumps(escaped)[1:-1],  # JSON inside a JSON text
        quote(key, safe=""),
        quote(key),
        quote_plus(key),
        escape(key),
        b64encode(key.encode()).decode().rstrip("="),
    }
