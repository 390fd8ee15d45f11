"""A run as a file to keep: the official tool's folders in one archive."""

from __future__ import annotations

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from evaluation import policy
from evaluation.services import exporting


@require_safe
def export(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Result and score folders of one run, zipped while they are sent."""
    runs = policy.visible_runs(request.user)
    run = get_object_or_404(runs.select_related("entry__card", "entry__benchmark"), pk=pk)
    if not policy.may_see_cases(request.user, run.entry.benchmark):
        raise Http404
    try:
        name = exporting.Export(run).model  # whether it can be exported is said before it begins
    except exporting.CannotExport as refusal:
        raise Http404(str(refusal)) from refusal
    content = exporting.as_zip(run) if request.method == "GET" else iter(())
    response = StreamingHttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}-run-{run.pk}.zip"'
    response["X-Content-Type-Options"] = "nosniff"
    patch_cache_control(response, private=True, no_cache=True)
    return response
