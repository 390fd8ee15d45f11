"""Every element of the site on one page, as its templates and tags really write them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.models import Evidence, Mode, Run, Verdict
from leaderboard import pages
from leaderboard.intervals import wilson

COLOURS = {
    "paper": "page",
    "sunk": "bands",
    "raised": "menus",
    "line": "rules",
    "line-strong": "borders",
    "ink": "text",
    "ink-2": "labels",
    "ink-3": "second lines",
    "spike": "marks",
    "lamp": "links, focus",
    "right": "correct",
    "wrong": "wrong",
    "unsure": "unscored",
    **{f"m{number}": f"entry {number} of a chart" for number in range(1, 9)},
}
SAMPLES = ((1351, 1089), (200, 141), (16, 14))  # n, how many right


@require_safe
@pages.shared
def styleguide(request: HttpRequest) -> HttpResponse:
    """For whoever changes a page: what there is to build it from."""
    context = {
        "colours": COLOURS.items(),
        "modes": Mode.values,
        "kinds": Evidence.values,
        "outcomes": [*Verdict.Outcome.values, ""],
        "states": Run.State.values,
        "rails": [(n, right, right / n, wilson(right / n, n)) for n, right in SAMPLES],
    }
    return render(request, "leaderboard/styleguide.html", context)
