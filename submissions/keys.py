"""Giving an endpoint another key: the first was revoked there, or has been deleted here."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from evaluation import policy
from evaluation.client.target import MAX_KEY
from evaluation.models import Endpoint, Run
from evaluation.services import transitions
from submissions import actions, checks, moderation, services
from submissions.forms import KEY_ATTRIBUTES
from submissions.views import UserRequest

KEPT = "The key is replaced: requests from now on carry the new one."
RESUMED = "Resumed with another key."
ASKED_AGAIN = "Its missing cases are asked again, with another key."


class KeyForm(forms.Form):
    """A key for an endpoint that is known; the old one is never shown."""

    key = forms.CharField(
        strip=False,
        label="API key",
        max_length=MAX_KEY,
        widget=forms.PasswordInput(attrs=KEY_ATTRIBUTES),
        error_messages={
            "required": "Enter the key.",
            "max_length": "This is too long to be a key. Copy the key alone.",
        },
    )

    def __init__(self, endpoint: Endpoint, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.endpoint = endpoint

    def clean_key(self) -> str:
        return checks.key(self.cleaned_data["key"], self.endpoint.base_url)


def can_be_given(run: Run) -> bool:
    """While the run asks, or may still ask for what it lacks."""
    if run.endpoint is None or run.is_local:
        return False
    return run.is_active or (run.state == Run.State.INCOMPLETE and run.published_at is None)


@transaction.atomic
def give(run: Run, key: str) -> str:
    """Seal another key for the run's host, and go on where the old one was in the way.

    A paused run is resumed; of an incomplete one the missing cases are asked again: a key that
    no run needs would be deleted within the minute. Returns the sentence that says what was done.

    Raises:
        NotPossible: The run is over, or asks no endpoint, or its owner is banned.
    """
    run = Run.objects.select_for_update(of=("self",)).select_related("endpoint").get(pk=run.pk)
    if not can_be_given(run) or run.endpoint is None:
        raise actions.NotPossible("This run needs no key any more: submit the endpoint once more.")
    try:
        moderation.refuse_banned(run.owner)
    except moderation.Banned as banned:
        raise actions.NotPossible(str(banned)) from banned
    services.seal_key(run.endpoint, key)
    run.endpoint.save(update_fields=["sealed_key", "key_last_four"])
    if run.state == Run.State.PAUSED:
        transitions.resume(run, RESUMED)
        return RESUMED
    if run.state == Run.State.INCOMPLETE:
        transitions.ask_again(run, ASKED_AGAIN)
        return ASKED_AGAIN
    return KEPT


@sensitive_post_parameters("key")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def replace_key(request: UserRequest, pk: int) -> HttpResponse:
    """The page on which a submitter gives another key."""
    related = ("entry__card", "endpoint")
    run = get_object_or_404(policy.visible_runs(request.user).select_related(*related), pk=pk)
    if not (policy.may_control_run(request.user, run) and can_be_given(run) and run.endpoint):
        raise Http404
    form = KeyForm(run.endpoint, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            messages.success(request, give(run, form.cleaned_data["key"]))
        except actions.NotPossible as reason:
            messages.error(request, str(reason))
        return redirect("run", pk)
    status = 422 if form.errors else 200
    return render(request, "submissions/key.html", {"form": form, "run": run}, status=status)
