"""What goes wrong before or beside the API's own views, told as the API tells everything else.

The framework answers with pages for people: to an address nobody serves, a host that is not us, a
request without its token, a mistake of ours. Under /api/ each of them is a problem document.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from leaderboard.api.cors import PREFIX
from leaderboard.api.problems import MEDIA_TYPE, NotThere

OF_THE_BODY = {"Content-Type", "Content-Length", "Content-Language", "ETag"}  # not of the new one
DETAILS = {
    HTTPStatus.BAD_REQUEST: "The request cannot be read: look at its host name, path and body.",
    HTTPStatus.FORBIDDEN: (
        "This address does not take such requests from a browser's form. The API takes a token,"
        " as its documentation at /api/v1/docs/ tells."
    ),
    HTTPStatus.NOT_FOUND: str(NotThere.default_detail),
    HTTPStatus.METHOD_NOT_ALLOWED: "This address only reads: ask with GET or HEAD.",
    HTTPStatus.INTERNAL_SERVER_ERROR: (
        "A mistake of ours, which has been logged. Asking again later may help; the request"
        " itself need not be changed."
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: "Our database does not answer just now: ask again shortly.",
}


class ProblemsOnly:
    """Stands around everything else, so that nothing under /api/ leaves as a page of an error."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_told = response.headers.get("Content-Type", "").startswith(MEDIA_TYPE)
        if request.path.startswith(PREFIX) and response.status_code >= 400 and not is_told:
            return _as_problem(request, response)
        return response


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    """The same status and headers with another body, which any site's scripts may read."""
    status = HTTPStatus(response.status_code)
    problem = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": DETAILS.get(status, status.description or status.phrase),
        "instance": request.path,
    }
    kept = {name: value for name, value in response.headers.items() if name not in OF_THE_BODY}
    if request.method in ("GET", "HEAD"):
        kept["Access-Control-Allow-Origin"] = "*"
    body = "" if request.method == "HEAD" else json.dumps(problem, ensure_ascii=False)
    response.close()
    return HttpResponse(body, status=status, content_type=MEDIA_TYPE, headers=kept)
