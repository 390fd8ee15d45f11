"""Submitting by script: the same forms and services as the pages, with JSON around them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation import policy, progress
from evaluation.benchmarks.bfcl_v4.result_files import ResultsRefused
from evaluation.models import Benchmark
from evaluation.services.uploads import CannotStore
from submissions import actions, idempotency, moderation
from submissions.api_access import BearerToken, PerPerson, WithinScope
from submissions.api_input import StrictJson, as_form, with_numbers
from submissions.forms import SubmissionForm
from submissions.models import Submission
from submissions.refusals import Refused
from submissions.services import NameTaken
from submissions.upload_views import AROUND, UploadForm, take
from submissions.uploads import WEB, TooLarge, read_upload
from submissions.views import accept_form, current_benchmarks

CREATED = 201
MOST = 100  # rows of a list
PROBLEMS_LISTED = 50


class Conflict(exceptions.APIException):
    """What was asked does not fit the state that the run is in."""

    status_code = 409


class FileTooLarge(exceptions.APIException):
    status_code = 413


class ListQuery(serializers.Serializer[dict[str, Any]]):
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=20)
    before = serializers.IntegerField(min_value=1, max_value=2**62, default=2**62)


class Signed(APIView):
    """For holders of a token. Nothing of it is for shared caches."""

    authentication_classes = (BearerToken,)
    permission_classes = (WithinScope,)
    throttle_classes = (PerPerson,)
    parser_classes = (StrictJson, MultiPartParser)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    def one(self, pk: int) -> Submission:
        found = own_submissions(self.request.user).filter(pk=pk).first()
        if found is None:
            raise exceptions.NotFound("You have no such submission.")
        return found


@extend_schema(exclude=True)
class Submissions(Signed):
    """One's own submissions, newest first; and the door for new ones."""

    def get(self, request: Request) -> Response:
        query = ListQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        limit, before = query.validated_data["limit"], query.validated_data["before"]
        rows = list(own_submissions(request.user).filter(pk__lt=before)[: limit + 1])
        page = rows[:limit]
        following = None
        if len(rows) > limit:
            here = request.build_absolute_uri(request.path)
            following = f"{here}?limit={limit}&before={page[-1].pk}"
        return Response({"next": following, "results": described(request, page)})

    def post(self, request: Request) -> Response:
        _check_length(request)
        is_upload = request.content_type.startswith("multipart/")
        make = _from_upload if is_upload else _from_body
        return idempotency.once(request, _user(request), lambda: self._made(request, make))

    def _made(self, request: Request, make: Any) -> Response:
        made = own_submissions(request.user).get(pk=make(request).pk)
        row = described(request, [made])[0]
        return Response(row, status=CREATED, headers={"Location": row["url"]})


@extend_schema(exclude=True)
class OneSubmission(Signed):
    """How one submission stands."""

    def get(self, request: Request, pk: int) -> Response:
        return Response(described(request, [self.one(pk)])[0])


@extend_schema(exclude=True)
class Steering(Signed):
    """Pause, resume, cancel, ask again, publish: what the page of the run offers."""

    def post(self, request: Request, pk: int, name: str) -> Response:
        submission = self.one(pk)
        action = actions.ACTIONS.get(name)
        if action is None:
            known = ", ".join(actions.ACTIONS)
            raise exceptions.NotFound(f"There is no such action. Known: {known}.")
        if not policy.may_control_run(_user(request), submission.run):
            raise exceptions.PermissionDenied("Your role may look at this run, not steer it.")
        try:
            said = actions.carry_out(action, submission.run)
        except actions.NotPossible as reason:
            raise Conflict(str(reason)) from reason
        return Response(described(request, [self.one(pk)])[0] | {"said": said})


def own_submissions(user: Any) -> QuerySet[Submission]:
    """What the person, or an organisation they are in, brought in; newest first."""
    own = Submission.objects.filter(run__in=policy.own_runs(user))
    related = ("submitted_by", "organisation", "run__entry__card", "run__entry__benchmark")
    steering = ("run__endpoint", "run__publication", "charge")
    return own.select_related(*related, *steering).order_by("-pk")


def described(request: Request, rows: Iterable[Submission]) -> list[dict[str, Any]]:
    """Submissions as the API shows them, with how far their runs are."""
    rows = list(rows)
    briefs = progress.brief(row.run for row in rows)
    return [_described(request, row, briefs[row.run_id]) for row in rows]


def _described(request: Request, row: Submission, brief: progress.Progress) -> dict[str, Any]:
    run, by, of = row.run, row.submitted_by, row.organisation
    may_steer = policy.may_control_run(_user(request), run)
    names = ("created_at", "started_at", "finished_at", "published_at")
    return {
        "id": row.pk,
        "run": run.pk,
        "state": run.state,
        "reason": run.reason or brief.standstill,
        "benchmark": run.entry.benchmark.slug,
        "card": run.entry.card.slug,
        "mode": run.entry.mode,
        "evidence": run.entry.evidence,
        "submitted_by": by.get_username() if by else None,
        "organisation": of.slug if of else None,
        "terms": row.terms,
        "cases": {"n": run.n, "correct": brief.total.correct, "wrong": brief.total.wrong}
        | {"unscored": brief.total.unscored},
        **{name: getattr(run, name) for name in names},
        "publication": wish.state if (wish := moderation.of(run)) else None,
        "publication_reason": (wish.reason or wish.doubts) if wish else "",
        "not_charged_because": row.charge.free_because if hasattr(row, "charge") else "",
        "actions": [action.name for action in actions.possible(run)] if may_steer else [],
        "url": request.build_absolute_uri(reverse("api-submission", args=[row.pk])),
        "page": request.build_absolute_uri(reverse("run", args=[run.pk])),
    }


def _user(request: Request) -> User:
    assert isinstance(request.user, User)  # a token's
    return request.user


def _check_length(request: Request) -> None:
    """Before anything is read: an upload may be large, but not that large."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > WEB.size + AROUND:
        raise FileTooLarge(f"An upload has at most {WEB.size // 2**20} MB.")


def _from_body(request: Request) -> Submission:
    """An endpoint, described as JSON."""
    user = _user(request)
    values: Any = request.data  # an object: StrictJson refuses anything else
    benchmark = _benchmark(values.get("benchmark"))
    form = SubmissionForm(user, benchmark)
    form = SubmissionForm(user, benchmark, as_form(values, form, user))
    made = accept_form(form) if form.is_valid() else None
    if made is None:
        _refuse(form.errors)
    return made


def _from_upload(request: Request) -> Submission:
    """Result files and what they are of, as the page's form would send them."""
    user = _user(request)
    sent: Any = request.data
    form = UploadForm(user, with_numbers(sent, user), request.FILES)
    if not form.is_valid():
        _refuse(form.errors)
    file = form.cleaned_data["file"]
    try:
        run = take(form, read_upload(file.file, str(file.name), WEB))
    except NameTaken as taken:
        raise exceptions.ValidationError({"name": [str(taken)]}) from taken
    except Refused as refused:
        raise exceptions.ValidationError({"body": [str(refused)]}) from refused
    except ResultsRefused as refused:
        raise exceptions.ValidationError({"file": _report(refused)}) from refused
    except TooLarge as refused:
        raise FileTooLarge(str(refused)) from refused
    except CannotStore as refused:
        raise exceptions.ValidationError({"file": [str(refused)]}) from refused
    return Submission.objects.get(run=run)


def _report(refused: ResultsRefused) -> list[str]:
    lines = [
        f"{one.file}{f', line {one.line}' if one.line else ''}: {one.reason}"
        for one in refused.problems[:PROBLEMS_LISTED]
    ]
    more = len(refused.problems) - len(lines) + refused.more
    return [*lines, f"And {more} more."] if more else lines


def _benchmark(asked: object) -> Benchmark:
    current = {benchmark.slug: benchmark for benchmark in current_benchmarks()}
    if not current:
        raise exceptions.NotFound("No benchmark is loaded.")
    if asked is None:
        return next(iter(current.values()))
    if not isinstance(asked, str) or asked not in current:
        known = ", ".join(current)
        raise exceptions.ValidationError({"benchmark": [f"This board can run {known}."]})
    return current[asked]


def _refuse(errors: Any) -> NoReturn:
    """A form's errors as the API's, each by its field."""
    found = {name: [str(error) for error in errors[name]] for name in errors}
    raise exceptions.ValidationError(
        {name.replace("__all__", "body"): found[name] for name in found}
    )
