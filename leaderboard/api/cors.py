"""Scripts of any site may read the API: it answers everybody alike and knows no cookie."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

PREFIX = "/api/"
READABLE_HEADERS = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After"
A_DAY = "86400"  # seconds for which a browser need not ask again


class ReadableFromAnywhere:
    """Adds the header to reading requests of the API alone; pages stay unreadable to others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(PREFIX):
            return self.get_response(request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return _leave_to_read()
        response = self.get_response(request)
        if request.method in ("GET", "HEAD"):
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = READABLE_HEADERS
        return response


def _leave_to_read() -> HttpResponse:
    """What a browser asks before it sends a condition like If-None-Match."""
    return HttpResponse(
        status=204,
        headers={
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Methods": "GET, HEAD",
            "Access-Control-Allow-Headers": "If-None-Match",
            "Access-Control-Max-Age": A_DAY,
        },
    )
