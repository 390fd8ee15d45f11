"""A submitter's pages: submit, follow and steer one's own runs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from evaluation import policy, progress
from evaluation.benchmarks import SUITES
from evaluation.models import Benchmark
from evaluation.services.scheduling import CannotSchedule
from submissions import actions, quotas, services, terms
from submissions.forms import SubmissionForm, as_before
from submissions.models import Submission
from submissions.organisations import submits_for
from submissions.preview import preview
from submissions.refusals import Refused

RUNS_PER_PAGE = 20


class UserRequest(HttpRequest):
    """A request whose sender has signed in."""

    user: User
    htmx: HtmxDetails


@sensitive_post_parameters("key")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def submit(request: UserRequest) -> HttpResponse:
    """Take an endpoint to evaluate; a form that cannot be taken comes back with its errors."""
    benchmarks = current_benchmarks()
    benchmark = _chosen(request, benchmarks)
    if request.method == "POST":
        form = SubmissionForm(request.user, benchmark, request.POST)
        if form.is_valid() and (submission := accept_form(form)):
            messages.success(request, "The run is queued. This page follows it.")
            return redirect("run", submission.run_id)
    else:
        form = SubmissionForm(request.user, benchmark, initial=_initial(request))
    context = {"form": form, "benchmark": benchmark, "benchmarks": benchmarks}
    context["preview"] = preview(form)
    status = 422 if form.errors else 200
    return render(request, "submissions/submit.html", context, status=status)


@login_required
@require_POST
def submit_preview(request: UserRequest) -> HttpResponse:
    """Say beside the form what it would do so far; the key is not among what is sent here."""
    form = SubmissionForm(request.user, _chosen(request, current_benchmarks()), request.POST)
    context = {"form": form, "preview": preview(form)}
    return render(request, "submissions/_preview.html", context)


@never_cache
@login_required
@require_safe
def my_submissions(request: UserRequest) -> HttpResponse:
    """Everything the reader has brought in, newest first; htmx renews the list alone."""
    own = (
        policy.own_runs(request.user)
        .select_related("entry__card", "entry__benchmark", "endpoint", "publication")
        .select_related("submission__charge")
        .order_by("-created_at", "-pk")
    )
    page = Paginator(own, RUNS_PER_PAGE).get_page(request.GET.get("page"))
    briefs = progress.brief(page)
    rows = [(briefs[run.pk], actions.possible(run)) for run in page]
    context = {"page": page, "rows": rows, "live": any(run.is_active for run in page)}
    context["standing"] = quotas.standing(request.user, submits_for(request.user))
    template = "_my_runs.html" if request.htmx else "my_submissions.html"
    response = render(request, f"submissions/{template}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@login_required
@require_POST
def act(request: UserRequest, pk: int, name: str) -> HttpResponse:
    """Pause, resume, cancel, ask again or publish one's own run."""
    run = get_object_or_404(policy.visible_runs(request.user), pk=pk)
    action = actions.ACTIONS.get(name)
    if action is None or not policy.may_control_run(request.user, run):
        raise Http404
    try:
        messages.success(request, actions.carry_out(action, run))
    except actions.NotPossible as error:
        messages.error(request, str(error))
    if request.POST.get("back") == "list":
        return redirect("my-submissions")
    return redirect("run", run.pk)


@require_safe
def terms_of_submission(request: HttpRequest) -> HttpResponse:
    """What a submitter agrees to, in the version that is in force."""
    context = {"version": terms.VERSION, "licence": terms.LICENCE, "url": terms.LICENCE_URL}
    return render(request, "submissions/terms.html", context)


def accept_form(form: SubmissionForm) -> Submission | None:
    """Hand a good form on; what has changed since it was filled in becomes its error."""
    try:
        return hand_on(form)
    except services.NameTaken as taken:
        form.add_error("name", str(taken))
    except CannotSchedule as refusal:
        form.add_error("categories", str(refusal))
    except Refused as refusal:
        form.add_error(None, str(refusal))
    return None


def hand_on(form: SubmissionForm) -> Submission:
    """Queue what a good form describes. Raises what services.accept does."""
    return services.accept(
        form.endpoint(),
        key=form.cleaned_data["key"],
        benchmark=form.benchmark,
        categories=form.cleaned_data["chosen"],
        by=form.owner,
        organisation=form.organisation_chosen(),
    )


def _chosen(request: HttpRequest, current: list[Benchmark]) -> Benchmark:
    """The benchmark named in the address, else the board's first."""
    if not current:
        raise Http404("No benchmark is loaded; run manage.py load_benchmark bfcl-v4.")
    asked = request.GET.get("benchmark")
    return next((one for one in current if one.slug == asked), current[0])


def current_benchmarks() -> list[Benchmark]:
    """Those that can be run, in the order in which the board lists them."""
    order = [suite.slug for suite in SUITES]
    current = Benchmark.objects.current().filter(suite__in=order).exclude(runnable=[])
    return sorted(current, key=lambda benchmark: order.index(benchmark.suite))


def _initial(request: UserRequest) -> dict[str, Any]:
    """What to start from: one's own earlier endpoint, or one of one's own model cards."""
    like, card = request.GET.get("like", ""), request.GET.get("card", "")
    if like.isdecimal() and len(like) < 18:
        endpoint = policy.own_endpoints(request.user).filter(runs=int(like)).first()
        return as_before(endpoint) if endpoint else {}
    return {"card": card} if card.isdecimal() and len(card) < 18 else {}
