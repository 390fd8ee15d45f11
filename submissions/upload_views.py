"""The page on which a submitter hands in result files instead of an endpoint."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from evaluation.benchmarks.bfcl_v4.result_files import Problem, ResultsRefused
from evaluation.models import Benchmark, Mode, Run
from evaluation.services import uploads
from evaluation.services.uploads import CannotStore, Source
from submissions.accounts import throttled
from submissions.card_form import ModelCardForm
from submissions.refusals import Refused
from submissions.services import NameTaken, record, save_card
from submissions.uploads import MB, WEB, TooLarge, Uploaded, read_upload
from submissions.views import UserRequest

SUITE = "bfcl-v4"
AROUND = MB  # bytes of a form beside its file
BAD_REQUEST, TOO_LARGE, UNPROCESSABLE = 400, 413, 422


class UploadForm(ModelCardForm):
    """The model, how its results came about, and the file that holds them."""

    mode = forms.ChoiceField(
        choices=Mode.choices, initial=Mode.FC, label="How the model got its functions"
    )
    underscore = forms.BooleanField(
        required=False, initial=True, label="Dots in function names were sent as underscores"
    )
    file = forms.FileField(
        label="Result files",
        help_text="A zip or tar.gz of the model’s folder below result/, or one file of lines "
        f"(.jsonl, .jsonl.gz). At most {WEB.size // MB} MB.",
        error_messages={
            "required": "Choose the file that holds the results.",
            "empty": "This file is empty. Choose the one that holds the results.",
        },
    )

    def source(self) -> Source:
        mode = self.cleaned_data["mode"]
        underscore = mode == Mode.FC and self.cleaned_data["underscore"]
        return Source(mode, underscore, str(self.cleaned_data["file"].name)[:100])


@csrf_exempt  # checked below, once it is known that the form is small enough to be read at all
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def upload(request: UserRequest) -> HttpResponse:
    """Take result files; what is wrong with them is told by file and line."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if request.method == "POST" and (not length.isdecimal() or int(length) > WEB.size + AROUND):
        refusal = TooLarge(f"The file has more than {WEB.size // MB} MB; less is read at a time.")
        return _page(request, UploadForm(request.user), _refused(refusal), TOO_LARGE)
    too_often = throttled(request, "upload") if request.method == "POST" else None
    return too_often or _upload(request)


@csrf_protect
def _upload(request: UserRequest) -> HttpResponse:
    if request.method == "GET":
        return _page(request, UploadForm(request.user), {}, 200)
    form = UploadForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, {}, UNPROCESSABLE)
    file = form.cleaned_data["file"]
    try:
        uploaded = read_upload(file.file, str(file.name), WEB)
        run = take(form, uploaded)
    except NameTaken as taken:
        form.add_error("name", str(taken))
        return _page(request, form, {}, UNPROCESSABLE)
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, form, {}, UNPROCESSABLE)
    except (ResultsRefused, TooLarge, CannotStore) as refusal:
        is_large = isinstance(refusal, TooLarge) or getattr(refusal, "is_too_large", False)
        return _page(request, form, _refused(refusal), TOO_LARGE if is_large else BAD_REQUEST)
    messages.success(request, "Everything is stored and is being judged. This page follows it.")
    return redirect("run", run.pk)


@transaction.atomic
def take(form: UploadForm, uploaded: Uploaded) -> Run:
    """Store the upload and whose it is, or nothing. Raises NameTaken, CannotStore, Refused."""
    card = form.model_card()
    if card._state.adding:
        save_card(card)
    run = uploads.store_results(
        card,
        benchmark_of_uploads(),
        form.source(),
        uploaded.results,
        uploaded.manifest,
        form.owner,
    )
    record(run, by=form.owner, organisation=form.organisation_chosen())
    uploads.judge_soon(run)
    return run


def benchmark_of_uploads() -> Benchmark:
    found = Benchmark.objects.current().filter(suite=SUITE).first()
    if found is None:
        raise Http404("BFCL V4 is not loaded; run manage.py load_benchmark bfcl-v4.")
    return found


def _refused(refusal: Exception) -> dict[str, Any]:
    """A report by file and line, or one sentence."""
    if isinstance(refusal, ResultsRefused):
        return {"problems": refusal.problems, "more": refusal.more}
    return {"problems": [Problem("upload", 0, str(refusal))], "more": 0}


def _page(
    request: HttpRequest, form: UploadForm, report: dict[str, Any], status: int
) -> HttpResponse:
    context = {
        "form": form,
        "benchmark": benchmark_of_uploads(),
        "limit": WEB.size // MB,
        **report,
    }
    return render(request, "submissions/upload.html", context, status=status)
