"""A run: how far it is, what became of its cases, what it was asked with, what happened."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from evaluation import policy, progress, times, transcripts
from evaluation.engine.outcomes import Tally
from evaluation.models import Evidence, Reply, Run, Scoring
from leaderboard import sample_files, scorings
from leaderboard.configuration import described
from leaderboard.deviations import in_words
from leaderboard.intervals import Interval, wilson
from leaderboard.ledger import ledger
from leaderboard.samples import FAULTS, SamplesForm, fault_in_words
from submissions import actions, moderation
from submissions.keys import can_be_given
from submissions.models import SpotCheck
from submissions.spot_checks import can_be_checked

SAMPLES_PER_PAGE = 50
EVENTS_SHOWN = 100
GONE = 410
NO_PAGE = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
)


@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of one run; htmx gets its live part alone, every few seconds while it runs."""
    try:
        shown = _visible(request, pk)
    except Http404:
        return _tombstone(request, pk)
    beside = scorings.beside(request, shown)
    context = _live_part(request, shown, beside)
    if request.headers.get("HX-Request") and request.headers.get("HX-Target") == "live":
        template = "leaderboard/_run_live.html"
    else:
        template = "leaderboard/run.html"
        context |= _samples(request, shown, context["progress"], beside) | _background(shown)
    response = render(request, template, context)
    patch_vary_headers(response, ["Cookie", "HX-Request", "HX-Target"])
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_safe
def reply(request: HttpRequest, pk: int, reply_pk: int) -> HttpResponse:
    """One reply whole, exactly as stored: a file to keep, never a page to open."""
    shown = _visible(request, pk)
    if not policy.may_see_cases(request.user, shown.entry.benchmark):
        raise Http404
    found = get_object_or_404(Reply.objects.select_related("case"), pk=reply_pk, run=shown)
    body = transcripts.whole_body(found)
    response = HttpResponse(body, content_type="text/plain; charset=utf-8")
    name = f"run-{shown.pk}-reply-{found.pk}.txt"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = NO_PAGE
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _tombstone(request: HttpRequest, pk: int) -> HttpResponse:
    """What is left of a run that was public once; 404 for any other."""
    runs = Run.objects.select_related("entry__card", "entry__benchmark")
    gone = get_object_or_404(runs, pk=pk)
    if not policy.was_public(gone):
        raise Http404
    context = {"run": gone, "is_named": policy.may_name(request.user, gone.entry.card)}
    response = render(request, "leaderboard/gone.html", context, status=GONE)
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _visible(request: HttpRequest, pk: int) -> Run:
    """The run, or 404 to whoever may not even know of it."""
    runs = policy.visible_runs(request.user)
    return get_object_or_404(
        runs.select_related("entry__card", "entry__benchmark", "endpoint", "publication"), pk=pk
    )


def _live_part(request: HttpRequest, shown: Run, beside: Scoring | None) -> dict[str, Any]:
    now = progress.of(shown, beside)
    ceilings = scorings.ceilings(shown, beside)
    may_control = policy.may_control_run(request.user, shown)
    configuration = json.loads(shown.configuration)
    cost = now.traffic.cost(configuration.get("price_in"), configuration.get("price_out"))
    return {
        "run": shown,
        "progress": now,
        "bar": ledger(now.total, now.malformed),
        "rows": [
            (row, ledger(row.tally, row.malformed), _interval(row.tally)) for row in now.rows
        ],
        "ceilings": {name: right / count for name, (right, count) in ceilings.items() if count},
        "notes": scorings.notes(shown, [row.category.name for row in now.rows]),
        "profile": beside.profile if beside else "",
        "profile_links": scorings.links(shown),
        "cost": cost,
        "cost_of_a_case": cost / now.done if cost is not None and now.done else None,
        "priced_on": shown.created_at,
        # Not while it moves: it reads every reply, and the live part renews itself often.
        "case_times": None if shown.is_active else times.case_times(shown),
        "request_times": _request_times(shown, now),
        "deviations": in_words(shown.deviations),
        "may_control": may_control,
        "publication": moderation.of(shown) if may_control else None,
        "may_check": may_control and can_be_checked(shown),
        "may_give_key": may_control and can_be_given(shown),
        "spot_checks": _spot_checks(shown),
        "may_moderate": policy.may_moderate(request.user),
        "actions": actions.possible(shown) if may_control else [],
        "configuration": described(configuration, shown.entry.benchmark),
    }


def _request_times(shown: Run, now: progress.Progress) -> times.Times | None:
    """Of single requests: ours as counted with the rest, an upload's from its own lines."""
    if shown.endpoint_id is None:
        return None if shown.is_active else times.request_times(shown)
    median, p95 = now.traffic.median, now.traffic.p95
    return None if median is None or p95 is None else times.Times(median, p95)


def _spot_checks(shown: Run) -> list[SpotCheck]:
    """How far an upload's cases, asked again, got the same verdicts: every try, oldest first."""
    if shown.entry.evidence not in (Evidence.UPLOADED, Evidence.SPOT_CHECKED):
        return []
    return list(SpotCheck.objects.filter(upload=shown, compared__gt=0))


def _interval(tally: Tally) -> Interval | None:
    return None if tally.accuracy is None else wilson(tally.accuracy, tally.n)


def _samples(
    request: HttpRequest, shown: Run, now: progress.Progress, beside: Scoring | None
) -> dict[str, Any]:
    if not policy.may_see_cases(request.user, shown.entry.benchmark):
        return {"cases_hidden": True}
    form = SamplesForm(request.GET, [row.category for row in now.rows])
    found = Paginator(form.narrow(shown, beside), SAMPLES_PER_PAGE)
    page = found.get_page(request.GET.get("page"))
    profile = {"profile": beside.profile} if beside else {}
    return {
        "form": form,
        "faults": FAULTS.items(),
        "page": page,
        "samples": [(verdict, fault_in_words(verdict.fault)) for verdict in page],
        "query": urlencode({**profile, **form.chosen}),
        "is_narrowed": bool(form.chosen),
        "files": sample_files.FORMATS,
    }


def _background(shown: Run) -> dict[str, Any]:
    events = list(shown.events.order_by("-pk")[: EVENTS_SHOWN + 1])
    return {"events": events[:EVENTS_SHOWN], "has_more_events": len(events) > EVENTS_SHOWN}
