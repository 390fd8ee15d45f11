"""The reader's choice between light and dark."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

A_YEAR = 365 * 24 * 60 * 60  # seconds


@csrf_exempt  # changes a colour and nothing else; without a token, pages can be cached whole
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember the theme in a cookie and go back to where the button was."""
    chosen = request.POST.get("theme", "")
    response = HttpResponseRedirect(_page_before(request))
    if chosen in ("light", "dark"):
        response.set_cookie(
            "theme",
            chosen,
            max_age=A_YEAR,
            samesite="Lax",
            httponly=True,
            secure=request.is_secure(),
        )
    return response


def _page_before(request: HttpRequest) -> str:
    """The page the button was pressed on, if it is one of ours."""
    referer = request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(
        referer, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return reverse("home")
    parts = urlsplit(str(referer))
    # One slash at the start: after two, a browser reads the name of another site.
    return "/" + parts.path.lstrip("/") + (f"?{parts.query}" if parts.query else "")
