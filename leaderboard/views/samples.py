"""All samples of a run, or those a filter leaves, as a file."""

from __future__ import annotations

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from evaluation import policy
from leaderboard import sample_files
from leaderboard.samples import SamplesForm


@require_safe
def samples(request: HttpRequest, pk: int, suffix: str) -> StreamingHttpResponse:
    """The rows the run's page pages through with the same filter, streamed."""
    runs = policy.visible_runs(request.user).select_related("entry__benchmark")
    run = get_object_or_404(runs, pk=pk)
    if suffix not in sample_files.FORMATS or not policy.may_see_cases(
        request.user, run.entry.benchmark
    ):
        raise Http404
    content_type, write = sample_files.FORMATS[suffix]
    verdicts = SamplesForm(request.GET, list(run.categories.all())).narrow(run)
    scoring = run.scorings.values_list("pk", flat=True).get(is_current=True)
    pieces = write(sample_files.batches(verdicts, scoring)) if request.method == "GET" else ()
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="run-{run.pk}-samples.{suffix}"'
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ["Cookie"])
    patch_cache_control(response, private=True, no_cache=True)
    return response
