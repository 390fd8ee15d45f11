"""Submitting by script: the same forms and services as the pages, with JSON around them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import User
from rest_framework import exceptions
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation import policy
from evaluation.models import Benchmark, Run
from submissions import actions, api_schema, idempotency, keys, moderation, spot_checks
from submissions.accounts import is_too_often
from submissions.api_access import BearerToken, PerPerson, WithinScope
from submissions.api_input import PRINTED, StrictJson, as_form, with_numbers
from submissions.api_problems import Conflict, FileTooLarge, refuse, told_as_problems
from submissions.api_rows import described, own_submissions, shown_check
from submissions.api_schema import ListQuery
from submissions.forms import SubmissionForm
from submissions.models import SpotCheck, Submission
from submissions.moderation_views import TextForm
from submissions.upload_views import AROUND, UploadForm, take
from submissions.uploads import WEB, read_upload
from submissions.views import current_benchmarks, hand_on

CREATED = 201
A_WHILE = 60  # seconds; the shortest of the upload's limits


class Signed(APIView):
    """For holders of a token. Nothing of it is for shared caches."""

    authentication_classes = (BearerToken,)
    permission_classes = (WithinScope,)
    throttle_classes = (PerPerson,)
    parser_classes: tuple[type[BaseParser], ...] = (StrictJson,)
    parameters: ClassVar[frozenset[str]] = frozenset()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        known = self.parameters if request.method in SAFE_METHODS else frozenset()
        if unknown := sorted(set(request.query_params) - known):
            said = f"There is no such parameter here. Known: {', '.join(sorted(known)) or 'none'}."
            raise exceptions.ValidationError({name[:PRINTED]: [said] for name in unknown})

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    def one(self, pk: int) -> Submission:
        found = own_submissions(self.request.user).filter(pk=pk).first()
        if found is None:
            raise exceptions.NotFound("You have no such submission.")
        return found

    def steered(self, pk: int) -> Run:
        """The run of a submission that the sender may do something about."""
        run = self.one(pk).run
        if not policy.may_control_run(self.request.user, run):
            raise exceptions.PermissionDenied("Your role may look at this run, not steer it.")
        return run

    def done(self, pk: int, said: str) -> Response:
        return Response(described(self.request, [self.one(pk)])[0] | {"said": said})


@api_schema.described(get=api_schema.LISTED, post=api_schema.SUBMITTED)
class Submissions(Signed):
    """Your own submissions, newest first; posting submits an endpoint, or result files."""

    parser_classes = (StrictJson, MultiPartParser)
    parameters = frozenset({"limit", "before"})

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
        """Submit an endpoint, as JSON, or result files, as a form."""
        _check_length(request)
        is_upload = request.content_type.startswith("multipart/")
        if is_upload and is_too_often(request._request, _user(request), "upload"):
            raise exceptions.Throttled(wait=A_WHILE)
        make = _from_upload if is_upload else _from_body
        return idempotency.once(request, _user(request), lambda: self._made(request, make))

    def _made(self, request: Request, make: Any) -> Response:
        made = own_submissions(request.user).get(pk=make(request).pk)
        row = described(request, [made])[0]
        return Response(row, status=CREATED, headers={"Location": row["url"]})


@api_schema.described(get=api_schema.FOUND)
class OneSubmission(Signed):
    """How one submission stands."""

    def get(self, request: Request, pk: int) -> Response:
        return Response(described(request, [self.one(pk)])[0])


@api_schema.described(post=api_schema.STEERED)
class Steering(Signed):
    """Pause, resume, cancel, ask again, publish, withdraw: the buttons of the run's page."""

    def post(self, request: Request, pk: int, name: str) -> Response:
        self.one(pk)
        action = actions.ACTIONS.get(name)
        if action is None:
            known = ", ".join(actions.ACTIONS)
            raise exceptions.NotFound(f"There is no such action. Known: {known}.")
        try:
            return self.done(pk, actions.carry_out(action, self.steered(pk)))
        except actions.NotPossible as reason:
            raise Conflict(str(reason)) from reason


@api_schema.described(post=api_schema.ANSWERED)
class Answer(Signed):
    """Answer what a moderator asks; the entry then waits again."""

    def post(self, request: Request, pk: int) -> Response:
        run, form = self.steered(pk), TextForm(_texts(request, "text"))
        if not form.is_valid():
            refuse(form.errors)
        try:
            moderation.answer(run, form.cleaned_data["text"])
        except moderation.NotPossible as reason:
            raise Conflict(str(reason)) from reason
        return self.done(pk, "Sent. A moderator looks at it again.")


@api_schema.described(post=api_schema.KEYED)
class Key(Signed):
    """Give the endpoint another key; a paused run goes on, an incomplete one asks the rest."""

    def post(self, request: Request, pk: int) -> Response:
        run = self.steered(pk)
        given = _texts(request, "key")
        if run.endpoint is None:
            raise Conflict("An upload asks no endpoint.")
        form = keys.KeyForm(run.endpoint, given)
        if not form.is_valid():
            refuse(form.errors)
        try:
            return self.done(pk, keys.give(run, form.cleaned_data["key"]))
        except actions.NotPossible as reason:
            raise Conflict(str(reason)) from reason


@api_schema.described(get=api_schema.CHECKS, post=api_schema.CHECKED)
class SpotChecks(Signed):
    """Spot checks of an upload, oldest first; posting has cases of it asked again."""

    def get(self, request: Request, pk: int) -> Response:
        checks = SpotCheck.objects.filter(upload=self.one(pk).run).select_related("asked")
        return Response({"results": [shown_check(check) for check in checks]})

    def post(self, request: Request, pk: int) -> Response:
        """Have 120 cases of an upload, drawn by lot, asked again at an endpoint."""
        upload = self.steered(pk)
        if not spot_checks.can_be_checked(upload):
            raise Conflict("Only an upload that has been judged can be checked.")
        return idempotency.once(request, _user(request), lambda: self._started(request, upload))

    def _started(self, request: Request, upload: Run) -> Response:
        user, values = _user(request), _object(request)
        form = spot_checks.SpotCheckForm(user, upload)
        form = spot_checks.SpotCheckForm(user, upload, as_form(values, form, user))
        if not form.is_valid():
            refuse(form.errors)
        with told_as_problems():
            key = form.cleaned_data["key"]
            made = spot_checks.start(upload, form.endpoint(), key=key, by=user)
        return Response(shown_check(made), status=CREATED)


def _user(request: Request) -> User:
    assert isinstance(request.user, User)  # a token's
    return request.user


def _check_length(request: Request) -> None:
    """Before anything is read: an upload may be large, but not that large."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > WEB.size + AROUND:
        raise FileTooLarge(f"An upload has at most {WEB.size // 2**20} MB.")


def _object(request: Request) -> dict[str, Any]:
    values: Any = request.data  # an object: StrictJson refuses anything else
    return dict(values)


def _texts(request: Request, *known: str) -> dict[str, str]:
    """A body of these texts and nothing else."""
    values = _object(request)
    wrong = {
        name: ["Write text." if name in known else f"Known: {', '.join(known)}."]
        for name, value in values.items()
        if name not in known or not isinstance(value, str)
    }
    if wrong:
        raise exceptions.ValidationError(wrong)
    return values


def _from_body(request: Request) -> Submission:
    """An endpoint, described as JSON."""
    user, values = _user(request), _object(request)
    benchmark = _benchmark(values.get("benchmark"))
    form = SubmissionForm(user, benchmark)
    form = SubmissionForm(user, benchmark, as_form(values, form, user))
    if not form.is_valid():
        refuse(form.errors)
    with told_as_problems():
        return hand_on(form)


def _from_upload(request: Request) -> Submission:
    """Result files and what they are of, as the page's form would send them."""
    user = _user(request)
    # Not request.data, which holds the file too: a large one lies on disk and cannot be copied.
    form = UploadForm(user, with_numbers(request.POST, user), request.FILES)
    if not form.is_valid():
        refuse(form.errors)
    file = form.cleaned_data["file"]
    with told_as_problems():
        run = take(form, read_upload(file.file, str(file.name), WEB))
    return Submission.objects.get(run=run)


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
