"""Public pages kept whole: made once per content version, answered with 304 where unchanged.

Only answers to readers without a session are shared. The key holds everything such a page depends
on: the content version (which publishing, hiding and opening raise), the build of this program,
the address with its query, the theme, and whether htmx asked for a fragment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers

from evaluation.services import publishing

P = ParamSpec("P")
VERSION = "callboard.content_version"
KEEP = 60 * 60  # seconds; a changed page has another key, so this only bounds memory
KEPT_HEADERS = ("Content-Type", "Content-Disposition", "HX-Push-Url")
VARY = ("Cookie", "HX-Request", "Accept")
PARTS = ("leaderboard", "templates", "static/css", "static/js")  # what pages are made of


def shared(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Keep a public page's answers to readers without a session; everybody else's is private."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not is_anonymous(request):
            response = view(request, *args, **kwargs)
            response["Cache-Control"] = "private, no-store"
            patch_vary_headers(response, VARY)
            return response
        tag = f'W/"{key_of(request)}"'
        if tag in request.headers.get("If-None-Match", ""):
            return _described(HttpResponseNotModified(), tag)
        return _described(_kept_or_made(request, tag, lambda: view(request, *args, **kwargs)), tag)

    return answer


def is_anonymous(request: HttpRequest) -> bool:
    """True when nothing on the page can be about this reader alone."""
    return not {settings.SESSION_COOKIE_NAME, "messages"} & set(request.COOKIES)


def version_of(request: HttpRequest) -> str:
    """The content version this request is answered from, looked up once."""
    if VERSION not in request.META:
        request.META[VERSION] = _version()
    version: str = request.META[VERSION]
    return version


def _version() -> str:
    """Remembered for a short while; publishing makes everybody forget it at once.

    What is remembered before a publication is committed lies under the old generation. That is
    part of the version, so that pages are also made anew when only more is known of the same rows.
    """
    generation = publishing.generation()
    key = f"content-version:{generation}"
    version: str | None = cache.get(key)
    if version is None:
        version = f"{publishing.content_version()}-{generation}"
        cache.set(key, version, settings.CALLBOARD_VERSION_SECONDS)
    return version


def key_of(request: HttpRequest) -> str:
    """A digest of all that a shared page depends on."""
    theme = request.COOKIES.get("theme", "")
    parts = (
        version_of(request),
        build(),
        request.build_absolute_uri(),
        theme if theme in ("light", "dark") else "",
        request.headers.get("HX-Request", ""),
        request.headers.get("HX-History-Restore-Request", ""),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


@lru_cache(maxsize=1)
def build() -> str:
    """A digest of names, sizes and times of the files that pages are made of."""
    files = (path for part in PARTS for path in (Path(settings.BASE_DIR) / part).rglob("*.*"))
    stamps = sorted(
        f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}"
        for path in files
        if path.suffix in (".py", ".html", ".css", ".js")
    )
    return hashlib.sha256("\n".join(stamps).encode()).hexdigest()[:16]


def _kept_or_made(
    request: HttpRequest, tag: str, make: Callable[[], HttpResponse]
) -> HttpResponse:
    key = f"page:{tag}"
    kept: tuple[bytes, dict[str, str]] | None = cache.get(key)
    if kept is not None:
        return HttpResponse(kept[0], headers=kept[1])
    response = make()
    # A free text filter has too many values to keep each one's page.
    if response.status_code == 200 and "q" not in request.GET and not response.cookies:
        headers = {name: response[name] for name in KEPT_HEADERS if name in response}
        cache.set(key, (response.content, headers), KEEP)
    return response


def _described(response: HttpResponse, tag: str) -> HttpResponse:
    """A shared answer's headers: always ask again, which costs a 304 when nothing changed."""
    if response.status_code in (200, 304):
        response["ETag"] = tag
        response["Cache-Control"] = "public, max-age=0, must-revalidate"
    patch_vary_headers(response, VARY)
    return response
