"""Format sensitivity: the same questions in 26 formats, and how far the answers drift apart."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.models import Benchmark
from leaderboard import pages
from leaderboard.sensitivity import CATEGORY, lines


@require_safe
@pages.shared
def sensitivity(request: HttpRequest, slug: str) -> HttpResponse:
    """Every entry's spread over the formats, the least sensitive first."""
    benchmark = get_object_or_404(Benchmark, slug=slug)
    category = benchmark.categories.filter(name=CATEGORY).first()
    if category is None:
        raise Http404
    snapshot = benchmark.snapshots.order_by("-date").first()
    context = {
        "benchmark": benchmark,
        "category": category,
        "snapshot": snapshot,
        "lines": list(enumerate(lines(benchmark, snapshot), start=1)),
    }
    return render(request, "leaderboard/sensitivity.html", context)
