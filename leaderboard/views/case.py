"""A case: what was asked, what was answered, what is accepted, who gets it right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.contrib import messages
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from evaluation import policy, replays, transcripts
from evaluation.benchmarks.suite import BenchmarkMissing
from evaluation.engine.types import JSON, Fault
from evaluation.models import Case, Run, Scoring, Verdict
from leaderboard import scorings
from leaderboard.deviations import one_in_words
from leaderboard.grades import sides
from leaderboard.samples import fault_in_words
from leaderboard.turn_grades import turn_sides

ENTRIES_LISTED = 50
LONGEST_MESSAGE = 20_000  # characters of one message on the page


AS_IN_PYTHON = re.compile(r"\b(True|False|None)\b")
CUT = (
    "The endpoint ended its answer at a token limit (finish reason “length”), so only what came "
    "before it could be judged. A higher limit is another configuration, and may bring another "
    "verdict."
)
PYTHON = (
    "The official scorer writes values as Python does: True, False and None are true, false "
    "and null in the calls below."
)


@require_safe
def case(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One case, and with ?run= what one run made of it."""
    shown = _case(slug, name)
    if not policy.may_see_cases(request.user, shown.category.benchmark):
        raise Http404
    run = _run(request, shown)
    context = {"case": shown, "run": run, "benchmark": shown.category.benchmark}
    scoring = None if run is None else scorings.shown(request, run)
    context |= _transcript(shown, run, scoring) | _passing(request, shown)
    context |= _errata(shown, scoring)
    response = render(request, "leaderboard/case.html", context)
    patch_vary_headers(response, ["Cookie"])
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_POST
def replay(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Execute a run's calls in this case again, for its page to show what they did."""
    shown = _case(slug, name)
    run = _run(request, shown)
    if run is None or not policy.may_see_cases(request.user, shown.category.benchmark):
        raise Http404
    scoring = scorings.shown(request, run)
    try:
        if scoring is not None and replays.known(shown, run, scoring) is None:
            replays.replay(shown, run, scoring)
    except replays.CannotReplay as trouble:
        messages.error(request, str(trouble))
    address = reverse("case", args=[slug, name])
    return HttpResponseRedirect(f"{address}?{request.GET.urlencode()}#world")


def _case(slug: str, name: str) -> Case:
    if "\x00" in name:
        raise Http404
    found = (
        Case.objects.filter(category__benchmark__slug=slug, name=name)
        .select_related("category__benchmark")
        .order_by("category__position", "pk")
        .first()
    )
    if found is None:
        raise Http404
    return found


def _run(request: HttpRequest, shown: Case) -> Run | None:
    """The run asked for, if the reader may see it; nonsense shows the case alone."""
    asked = request.GET.get("run", "")
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 18):
        return None
    runs = policy.visible_runs(request.user).select_related("entry__card", "entry__benchmark")
    run = runs.filter(pk=int(asked), entry__benchmark=shown.category.benchmark).first()
    if run is None:
        raise Http404
    return run


def _transcript(shown: Case, run: Run | None, scoring: Scoring | None) -> dict[str, Any]:
    verdict = scoring.verdicts.filter(case=shown).first() if scoring else None
    try:
        if run is None or scoring is None:
            transcript = transcripts.of_case(shown)
        else:
            transcript = transcripts.of_run(shown, run, scoring)
    except (BenchmarkMissing, KeyError, ValueError):
        return {"is_unreadable": True, "verdict": verdict}
    view = transcript.view
    is_wrong = verdict is not None and verdict.outcome == Verdict.Outcome.WRONG
    context: dict[str, Any] = {
        "verdict": verdict,
        "fault": fault_in_words(verdict.fault) if verdict and verdict.fault else "",
        "remarks": _remarks(verdict) if verdict else [],
        "scoring": scoring,
        "transcript": transcript,
        "turns": _turns(view.messages, transcript.attempts),
        "tools": [_tool(tool) for tool in view.tools],
        "sides": sides(
            view.decoded,
            view.accepted,
            is_wrong=is_wrong,
            underscore=transcript.underscore,
            in_source=view.in_source,
        ),
        "turn_sides": turn_sides(view.decoded, view.accepted, is_wrong=is_wrong),
        "with_calls": sum(one.reply.accepted for one in transcript.attempts) > 1,
        "accepted_words": _words(view.accepted),
        "final_message": _final_message(transcript.attempts),
        "decoded_text": _pretty(view.decoded)[:LONGEST_MESSAGE],
        "accepted_text": _pretty(view.accepted)[:LONGEST_MESSAGE],
        "result_text": _pretty(transcript.result)[:LONGEST_MESSAGE],
        "attempts": [_attempt(one) for one in transcript.attempts],
    }
    if run is not None and scoring is not None:
        context["neighbours"] = _neighbours(shown, scoring.pk)
        context["may_replay"] = bool(verdict) and replays.is_possible(shown)
        context["story"] = replays.known(shown, run, scoring) if context["may_replay"] else None
    return context


def _remarks(verdict: Verdict) -> list[str]:
    """What a reader may overlook in the fault."""
    remarks = [CUT] if verdict.fault == Fault.TRUNCATED else []
    is_of_values = verdict.fault in (Fault.WRONG_VALUE, Fault.WRONG_TYPE)
    is_python = is_of_values and AS_IN_PYTHON.search(verdict.message)
    return remarks + ([PYTHON] if is_python else [])


def _errata(shown: Case, scoring: Scoring | None) -> dict[str, Any]:
    """What is known to be wrong with the case, and why the scoring shown leaves it out."""
    errata = list(shown.errata.all())
    profile = scoring.profile if scoring else None
    out = [one.reason for one in errata if one.is_excluded and one.profile in ("", profile)]
    return {"errata": errata, "excluded_because": out[0] if out and scoring else ""}


def _turns(
    messages: Sequence[Mapping[str, JSON]], attempts: Sequence[transcripts.Attempt]
) -> list[dict[str, Any]]:
    """The conversation turn by turn: what was asked, and what the model said and called.

    A turn begins with each user message where there are as many as turns; otherwise (a turn may
    have no message of its own) all that was asked stands in the first.
    """
    accepted = [one for one in attempts if one.reply.accepted]
    count = 1 + max((one.reply.turn for one in accepted), default=0)
    starts = [i for i, message in enumerate(messages) if message.get("role") == "user"]
    is_told_apart = len(accepted) > 1 and len(starts) >= count
    bounds = [0, *starts[1:], len(messages)] if is_told_apart else [0, len(messages)]
    asked = [messages[start:end] for start, end in pairwise(bounds)]
    return [
        {
            "asked": [_message(message) for message in (asked[turn] if turn < len(asked) else [])],
            "steps": [one for one in accepted if one.reply.turn == turn],
        }
        for turn in range(max(count, len(asked)))
    ]


def _message(message: Mapping[str, JSON]) -> dict[str, Any]:
    content = message.get("content")
    text = content if isinstance(content, str) else _pretty(content)
    role = str(message.get("role", ""))
    names = {"system": "System", "user": "User", "assistant": "Model", "tool": "Function"}
    return {
        "role": names.get(role, role.capitalize()),
        "text": text[:LONGEST_MESSAGE],
        "is_cut": len(text) > LONGEST_MESSAGE,
        "calls": _past_calls(message.get("tool_calls")),
    }


def _past_calls(calls: JSON) -> list[str]:
    """Calls that stand in the conversation a case starts with, as they are sent along."""
    listed = calls if isinstance(calls, list) else []
    made = [call.get("function") for call in listed if isinstance(call, dict)]
    return [
        f"{one.get('name')}({one.get('arguments')})"[:LONGEST_MESSAGE]
        for one in made
        if isinstance(one, dict)
    ]


def _words(accepted: JSON) -> list[str]:
    """Answers of which one must stand in the final message; none where calls are judged."""
    listed = accepted if isinstance(accepted, list) else []
    return listed if all(isinstance(word, str) for word in listed) else []


def _final_message(attempts: Sequence[transcripts.Attempt]) -> str:
    said = [one.said for one in attempts if one.reply.accepted]
    return said[-1] if said else ""


def _tool(tool: Mapping[str, JSON]) -> dict[str, str]:
    inner = tool.get("function")
    function = inner if isinstance(inner, Mapping) else tool
    return {"name": str(function.get("name", "")), "text": _pretty(tool)[:LONGEST_MESSAGE]}


def _attempt(one: transcripts.Attempt) -> dict[str, Any]:
    return {
        "reply": one.reply,
        "text": one.text,
        "is_cut": one.is_cut,
        "said": one.said,
        "reasoning": one.reasoning,
        "deviations": [one_in_words(name) for name in one.reply.deviations],
    }


def _pretty(value: JSON) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _neighbours(shown: Case, scoring: int) -> dict[str, Case | None]:
    """The wrong answers of the same run just before and after this case, in dataset order."""
    wrong = Case.objects.filter(
        verdicts__scoring=scoring, verdicts__outcome=Verdict.Outcome.WRONG
    ).defer("question", "answer")
    place = shown.category.position
    before = Q(category__position__lt=place) | Q(
        category=shown.category_id, position__lt=shown.position
    )
    after = Q(category__position__gt=place) | Q(
        category=shown.category_id, position__gt=shown.position
    )
    order = ("category__position", "position")
    return {
        "previous": wrong.filter(before).order_by(*(f"-{name}" for name in order)).first(),
        "next": wrong.filter(after).order_by(*order).first(),
    }


def _passing(request: HttpRequest, shown: Case) -> dict[str, Any]:
    """What the runs shown on the board made of this case, one verdict an entry."""
    on_board = (
        policy.visible_entries(request.user)
        .filter(benchmark=shown.category.benchmark, shown_run__isnull=False)
        .values("shown_run")
    )
    verdicts = list(
        Verdict.objects.filter(case=shown, scoring__is_current=True, scoring__run__in=on_board)
        .select_related("scoring__run__entry__card")
        .annotate(model=F("scoring__run__entry__card__name"))
        .order_by("outcome", "model", "pk")
    )
    judged = (Verdict.Outcome.CORRECT, Verdict.Outcome.WRONG)
    scored = [verdict for verdict in verdicts if verdict.outcome in judged]
    passed = sum(verdict.outcome == Verdict.Outcome.CORRECT for verdict in scored)
    return {
        "passed": passed,
        "scored": len(scored),
        "others": verdicts[:ENTRIES_LISTED],
        "unlisted": max(0, len(verdicts) - ENTRIES_LISTED),
    }
