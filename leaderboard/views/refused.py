"""What cannot be read at all: a form in another encoding, a host that is not us."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBadRequest
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBadRequest:
    """The framework's own answer looks for a token in the form, which is what cannot be read."""
    return HttpResponseBadRequest(render_to_string("400.html"))
