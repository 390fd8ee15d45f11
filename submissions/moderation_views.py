"""Moderators' pages: what waits, one publication with all that is known, and their decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from evaluation import policy
from evaluation.models import Run
from evaluation.services.signals import signals
from submissions import moderation
from submissions.identity import submitter_of
from submissions.models import Ban, Publication
from submissions.views import UserRequest

PER_PAGE = 20
DECIDED_SHOWN = 20
LONGEST = 1000
RELATED = (
    "run__entry__card",
    "run__entry__benchmark",
    "run__endpoint",
    "run__owner",
    "decided_by",
)


class TextForm(forms.Form):
    """A question, a public reason or an answer."""

    text = forms.CharField(
        max_length=LONGEST,
        error_messages={
            "required": "Write a sentence first: it is what others will read.",
            "max_length": f"This is too long: at most {LONGEST} characters.",
        },
    )


@never_cache
@login_required
@require_safe
def queue(request: UserRequest) -> HttpResponse:
    """What waits for a moderator, oldest first; and what was decided lately."""
    _let_in(request)
    every = Publication.objects.select_related(*RELATED, "run__submission__submitted_by")
    waiting = every.filter(state=Publication.State.WAITING).order_by("requested_at", "pk")
    decided = every.exclude(state=Publication.State.WAITING).order_by("-decided_at", "-pk")
    context = {
        "page": Paginator(waiting, PER_PAGE).get_page(request.GET.get("page")),
        "decided": decided[:DECIDED_SHOWN],
        "bans": Ban.objects.select_related("user", "by")[:DECIDED_SHOWN],
    }
    return render(request, "submissions/moderation.html", context)


@never_cache
@login_required
@require_safe
def one(request: UserRequest, pk: int) -> HttpResponse:
    """Everything that helps to decide about one run."""
    _let_in(request)
    run = _run(pk)
    endpoint = run.endpoint
    context = {
        "run": run,
        "publication": moderation.of(run),
        "submitter": moderation.submitter(run),
        "identity": submitter_of(run.entry.card),
        "host": urlsplit(endpoint.base_url).netloc if endpoint else "",
        "may_ban": _may_ban(request, run),
        "signals": [] if run.is_active else signals(run),
    }
    return render(request, "submissions/moderate.html", context)


@login_required
@require_POST
def decide(request: UserRequest, pk: int, name: str) -> HttpResponse:
    """Publish, ask, hide, ban, or lift a ban."""
    _let_in(request)
    run = _run(pk)
    if name not in DECISIONS:
        raise Http404
    wants_text, carry_out, done = DECISIONS[name]
    form = TextForm(request.POST)
    if wants_text and not form.is_valid():
        messages.error(request, str(form.errors["text"][0]))
        return redirect("moderate", pk)
    try:
        carry_out(run, form.cleaned_data.get("text", "") if wants_text else "", request)
    except moderation.NotPossible as reason:
        messages.error(request, str(reason))
    else:
        messages.success(request, done)
    return redirect("moderate", pk)


@login_required
@require_POST
def answer(request: UserRequest, pk: int) -> HttpResponse:
    """A submitter's answer to what a moderator asked."""
    run = get_object_or_404(policy.visible_runs(request.user), pk=pk)
    if not policy.may_control_run(request.user, run):
        raise Http404
    form = TextForm(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["text"][0]))
        return redirect("run", pk)
    try:
        moderation.answer(run, form.cleaned_data["text"])
    except moderation.NotPossible as reason:
        messages.error(request, str(reason))
    else:
        messages.success(request, "Sent. A moderator looks at it again.")
    return redirect("run", pk)


def _let_in(request: UserRequest) -> None:
    if not policy.may_moderate(request.user):
        raise PermissionDenied


def _run(pk: int) -> Run:
    related = ("entry__card__owner", "entry__benchmark", "endpoint", "owner", "publication")
    runs = Run.objects.select_related(*related, "submission__submitted_by")
    return get_object_or_404(runs, pk=pk)


def _may_ban(request: UserRequest, run: Run) -> bool:
    person = moderation.submitter(run)
    return person is not None and not policy.may_moderate(person)


def _publish(run: Run, text: str, request: UserRequest) -> None:
    moderation.publish(run, by=request.user)


def _ask(run: Run, text: str, request: UserRequest) -> None:
    moderation.ask(run, text, by=request.user)


def _hide(run: Run, text: str, request: UserRequest) -> None:
    moderation.hide(run, text, by=request.user)


def _ban(run: Run, text: str, request: UserRequest) -> None:
    person = moderation.submitter(run)
    if person is None:
        raise moderation.NotPossible("Nobody's account has brought this run in.")
    moderation.ban(person, text, by=request.user)


def _lift_ban(run: Run, text: str, request: UserRequest) -> None:
    if person := moderation.submitter(run):
        moderation.lift_ban(person)


# Whether a sentence is wanted, what is done, and what is said afterwards.
DECISIONS: dict[str, tuple[bool, Callable[[Run, str, UserRequest], Any], str]] = {
    "publish": (False, _publish, "Published. The board shows it now."),
    "ask": (True, _ask, "Asked. The submitter sees your question beside the run."),
    "hide": (True, _hide, "Hidden. The reason stands where the run stood."),
    "ban": (True, _ban, "Banned. Active runs are cancelled, tokens revoked."),
    "lift-ban": (False, _lift_ban, "The ban is lifted."),
}
