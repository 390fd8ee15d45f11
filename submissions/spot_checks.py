"""Spot checks: cases of an upload, drawn by lot, asked again where its submitter says."""

from __future__ import annotations

import json
from random import SystemRandom
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from evaluation import policy
from evaluation.models import Case, Endpoint, Evidence, Run
from evaluation.services import scheduling
from submissions import services
from submissions.agreement import AGREEING, LEAST, verdicts
from submissions.forms import SubmissionForm
from submissions.models import SpotCheck
from submissions.refusals import Refused
from submissions.views import UserRequest

DRAWN = 120  # a few may stay without a verdict
FIELDS = (
    *("base_url", "remote_model", "key", "auth_header", "api_version", "parameters"),
    *("reasoning_end", "in_flight", "timeout", "terms"),
)
SETTINGS = tuple(name for name in FIELDS if name not in ("key", "terms"))


class TooFew(Refused):
    """There is too little to compare."""


class UnderWay(Refused):
    """Another check of the same upload has not ended: one at a time."""


class SpotCheckForm(SubmissionForm):
    """The endpoint alone: the model, its mode and its cases are those of the upload."""

    def __init__(self, owner: User, upload: Run, *args: Any, **options: Any) -> None:
        super().__init__(owner, upload.entry.benchmark, *args, **options)
        self.upload = upload
        for name in set(self.fields) - set(FIELDS):
            del self.fields[name]

    def clean(self) -> None:
        forms.Form.clean(self)
        self._take_pasted_version()
        self._check_key()

    def endpoint(self) -> Endpoint:
        configuration = json.loads(self.upload.configuration)
        return Endpoint(
            card=self.upload.entry.card,
            mode=self.upload.entry.mode,
            underscore=bool(configuration.get("underscore")),
            **{name: self.cleaned_data[name] for name in SETTINGS},
        )


@transaction.atomic
def start(upload: Run, endpoint: Endpoint, *, key: str, by: User) -> SpotCheck:
    """Draw the cases and queue them. Raises Refused, CannotSchedule."""
    Run.objects.select_for_update(of=("self",)).get(pk=upload.pk)  # of two at once, one waits here
    open_one = upload.spot_checks.filter(asked__state__in=Run.ACTIVE).first()
    if open_one is not None:
        raise UnderWay(f"Run {open_one.asked_id} is a spot check of it that has not ended yet.")
    drawn = draw(upload)
    services.keep(endpoint, key=key, by=by)
    names = Case.objects.filter(pk__in=drawn).values_list("category__name", flat=True)
    run = scheduling.schedule(
        endpoint,
        benchmark=upload.entry.benchmark,
        categories=sorted(set(names)),
        owner=by,
        share_key=f"user:{by.pk}",
        cases=drawn,
    )
    submission = getattr(upload, "submission", None)
    services.record(run, by=by, organisation=submission.organisation if submission else None)
    return SpotCheck.objects.create(upload=upload, asked=run, by=by)


def draw(upload: Run) -> list[int]:
    """Cases by lot, of those the upload has a verdict on and that can be asked by themselves."""
    categories = [
        category
        for category in upload.categories.all()
        if scheduling.can_be_asked(category, upload.entry.mode)
    ]
    alone = Case.objects.filter(category__in=categories, chain="", is_prerequisite=False)
    choice = sorted(verdicts(upload.pk).keys() & set(alone.values_list("pk", flat=True)))
    if len(choice) < LEAST:
        raise TooFew(
            f"A spot check needs {LEAST} cases with a verdict that can be asked by themselves; "
            f"this upload has {len(choice)}."
        )
    return SystemRandom().sample(choice, min(DRAWN, len(choice)))


def can_be_checked(run: Run) -> bool:
    is_upload = run.entry.evidence in (Evidence.UPLOADED, Evidence.SPOT_CHECKED)
    return is_upload and not run.is_active


@sensitive_post_parameters("key")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def spot_check(request: UserRequest, pk: int) -> HttpResponse:
    """Take the endpoint at which an upload is to be checked."""
    runs = policy.visible_runs(request.user).select_related("entry__card", "entry__benchmark")
    upload = get_object_or_404(runs, pk=pk)
    if not (policy.may_control_run(request.user, upload) and can_be_checked(upload)):
        raise Http404
    form = SpotCheckForm(request.user, upload, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = start(upload, form.endpoint(), key=form.cleaned_data["key"], by=request.user)
        except (Refused, scheduling.CannotSchedule) as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "The cases are drawn and queued. This page follows them.")
            return redirect("run", made.asked_id)
    context = {"form": form, "upload": upload, "drawn": DRAWN, "share": round(100 * AGREEING)}
    status = 422 if form.errors else 200
    return render(request, "submissions/spot_check.html", context, status=status)
