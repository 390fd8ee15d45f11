"""What holds for every request: no page uses the reader's machine, no stranger sends much."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string

Answer = Callable[[HttpRequest], HttpResponseBase]
TOO_LARGE = "A request with at most {} kB is read here."


class PermissionsPolicy:
    """Tells browsers which of their abilities our pages want: hardly any."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        wanted = settings.CALLBOARD_PERMISSIONS_POLICY
        self.header = ", ".join(f"{name}={allowed}" for name, allowed in wanted.items())

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response["Permissions-Policy"] = self.header
        return response


class SmallBodies:
    """Refuses large requests before anything reads them, but where files are handed in."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        match = request.resolver_match
        if match and match.view_name in settings.CALLBOARD_LARGE_BODIES:
            return None  # they look at it themselves, once they know who sends it
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) <= settings.CALLBOARD_BODY:
            return None
        return _refusal(request)


def _refusal(request: HttpRequest) -> HttpResponse:
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    if not request.path.startswith("/api/"):
        return HttpResponse(render_to_string("400.html"), status=status)
    problem = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": TOO_LARGE.format(settings.CALLBOARD_BODY // 1024),
        "instance": request.path,
    }
    return JsonResponse(problem, status=status, content_type="application/problem+json")
