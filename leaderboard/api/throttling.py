"""How often one address may ask, and the headers that tell it so before it is refused."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class PerAddress(SimpleRateThrottle):
    """A sliding window per client address, kept in the shared cache, or else in this process."""

    scope = "api"
    num_requests: int
    duration: int  # seconds

    def get_rate(self) -> str:
        return str(settings.CALLBOARD_API_RATE)

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return f"api-rate:{self.get_ident(request)}"

    def describe(self, response: HttpResponseBase) -> None:
        """The limit and what is left of it, in the words of the IETF's draft on rate limits."""
        if not hasattr(self, "history"):  # refused before it was counted
            return
        left = max(0, self.num_requests - len(self.history))
        oldest = self.history[-1] if self.history else self.now
        resets = max(0, round(self.duration - (self.now - oldest)))
        response["RateLimit-Policy"] = f'"address";q={self.num_requests};w={self.duration}'
        response["RateLimit"] = f'"address";r={left};t={resets}'
