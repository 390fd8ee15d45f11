"""What cannot be answered: a form in another encoding, a host that is not us, trouble of ours."""

from __future__ import annotations

import sys
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.template.loader import render_to_string

SOON = 5  # seconds in which a database that was restarted is mostly there again


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBadRequest:
    """The framework's own answer looks for a token in the form, which is what cannot be read."""
    return HttpResponseBadRequest(render_to_string("400.html"))


def trouble(request: HttpRequest) -> HttpResponse:
    """A mistake of ours, or a database that is away: the first lasts, the second passes."""
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return HttpResponse(render_to_string("500.html"), status=HTTPStatus.INTERNAL_SERVER_ERROR)
    return HttpResponse(
        render_to_string("503.html"),
        status=HTTPStatus.SERVICE_UNAVAILABLE,
        headers={"Retry-After": str(SOON)},
    )
