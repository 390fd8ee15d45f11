"""The API's front door: its index, its description, and that description as a page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard import pages
from leaderboard.api import manual, schema
from leaderboard.api.base import NoQuery, PublicView, understood, unless_unchanged
from leaderboard.api.problems import NotThere

RESOURCES = ("benchmarks", "categories", "models", "entries", "runs", "cases", "snapshots")


@extend_schema(exclude=True)
class Front(PublicView):
    """What there is, by address."""

    def get(self, request: Request) -> Response:
        understood(request, NoQuery)
        return unless_unchanged(self._found, request)

    def _found(self, request: Request) -> Response:
        here = request.build_absolute_uri(request.path)
        found = {name: f"{here}{name}/" for name in RESOURCES}
        return Response(
            found
            | {
                "standings": f"{here}standings/{{benchmark}}/",
                "samples": f"{here}runs/{{run}}/samples/",
                "submissions": f"{here}submissions/",
                "openapi": f"{here}openapi.json",
                "documentation": f"{here}docs/",
            }
        )


@extend_schema(exclude=True)
class Nothing(PublicView):
    """Every other address below /api/v1/, by whatever method."""

    def initial(self, request: Request, *args: Any, **others: Any) -> None:
        super().initial(request, *args, **others)
        raise NotThere


@require_safe
@pages.shared
def openapi(request: HttpRequest) -> HttpResponse:
    """The description, OpenAPI 3.1."""
    return JsonResponse(schema.document(), json_dumps_params={"ensure_ascii": False})


@require_safe
@pages.shared
def docs(request: HttpRequest) -> HttpResponse:
    """The description as a page of this site: no script, no style but the site's own."""
    sections = manual.sections(schema.document())
    return render(request, "leaderboard/api_docs.html", {"sections": sections})
