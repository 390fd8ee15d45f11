"""Submissions as the API shows them: what is found, and what each field of it means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from evaluation import policy, progress
from evaluation.models import Evidence, Mode, Run
from submissions import actions, keys, moderation
from submissions.agreement import is_enough
from submissions.models import Publication, SpotCheck, Submission
from submissions.spot_checks import can_be_checked

Fields = serializers.Serializer[dict[str, Any]]
CASES = {"n": 4, "correct": 3, "wrong": 1, "unscored": 0}
ROW = {
    "id": 17,
    "run": 21,
    "state": "finished",
    "reason": "",
    "benchmark": "bfcl-v4",
    "card": "example-7b",
    "mode": "fc",
    "evidence": "verified",
    "submitted_by": "ada",
    "organisation": None,
    "terms": "2026-11",
    "cases": CASES,
    "created_at": "2026-01-30T22:10:00Z",
    "started_at": "2026-01-30T22:10:01Z",
    "finished_at": "2026-01-30T22:11:40Z",
    "published_at": None,
    "publication": "waiting",
    "publication_reason": "Nothing of this submitter has been published by a moderator yet.",
    "not_charged_because": "",
    "actions": ["withdraw"],
    "url": "https://callboard.example/api/v1/submissions/17/",
    "page": "https://callboard.example/runs/21/",
}
CHECK = {
    "run": 22,
    "state": "finished",
    "created_at": "2026-01-31T09:00:00Z",
    "compared": 120,
    "agreed": 113,
    "is_enough": True,
}


class CasesSerializer(Fields):
    """How far a run is. `n` counts what is asked; the others what has a verdict."""

    n = serializers.IntegerField()
    correct = serializers.IntegerField()
    wrong = serializers.IntegerField()
    unscored = serializers.IntegerField()


@extend_schema_serializer(examples=[OpenApiExample("A submission", value=ROW)])
class SubmissionSerializer(Fields):
    """One submission, how its run stands, and what its submitter may do now."""

    id = serializers.IntegerField()
    run = serializers.IntegerField(help_text="Number of its run, as in /runs/.")
    state = serializers.ChoiceField(choices=Run.State.choices)
    reason = serializers.CharField(help_text="Why it is in this state, or stands still.")
    benchmark = serializers.CharField()
    card = serializers.CharField(help_text="Slug of its model card.")
    mode = serializers.ChoiceField(choices=Mode.choices)
    evidence = serializers.ChoiceField(choices=Evidence.choices)
    submitted_by = serializers.CharField(allow_null=True, help_text="Null: the account is gone.")
    organisation = serializers.CharField(allow_null=True, help_text="Whose it is, as a slug.")
    terms = serializers.CharField(help_text="The version of the terms that was accepted.")
    cases = CasesSerializer()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)
    publication = serializers.ChoiceField(
        choices=Publication.State.choices,
        allow_null=True,
        help_text="What became of the wish to publish it; null: there was none.",
    )
    publication_reason = serializers.CharField(
        help_text="What a moderator asks, why it is hidden, or why one looks."
    )
    not_charged_because = serializers.CharField(
        help_text="Why the run does not count against limits; empty: it counts."
    )
    actions = serializers.ListField(
        child=serializers.CharField(), help_text="What may be posted below `url` now."
    )
    url = serializers.URLField()
    page = serializers.URLField(help_text="Its page, for people.")


@extend_schema_serializer(examples=[OpenApiExample("A spot check", value=CHECK)])
class SpotCheckSerializer(Fields):
    """Cases of an upload asked again. Counts are null until the run that asks is over."""

    run = serializers.IntegerField(help_text="The run that asks.")
    state = serializers.ChoiceField(choices=Run.State.choices)
    created_at = serializers.DateTimeField()
    compared = serializers.IntegerField(
        allow_null=True, help_text="Cases with a verdict on both sides."
    )
    agreed = serializers.IntegerField(allow_null=True, help_text="Those with the same one.")
    is_enough = serializers.BooleanField(
        help_text="Whether all checks of the upload together make it spot-checked."
    )


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
        "actions": doors(run) if policy.may_control_run(request.user, run) else [],
        "url": request.build_absolute_uri(reverse("api-submission", args=[row.pk])),
        "page": request.build_absolute_uri(reverse("run", args=[run.pk])),
    }


def doors(run: Run) -> list[str]:
    """Names of what can be posted about a run now: its page's buttons, then its forms."""
    found = [action.name for action in actions.possible(run)]
    wish = moderation.of(run)
    forms = {
        "answer": wish is not None and wish.state == Publication.State.ASKED,
        "key": keys.can_be_given(run),
        "spot-check": can_be_checked(run),
    }
    return found + [name for name, is_open in forms.items() if is_open]


def shown_check(check: SpotCheck) -> dict[str, Any]:
    return {
        "run": check.asked_id,
        "state": check.asked.state,
        "created_at": check.created_at,
        "compared": check.compared,
        "agreed": check.agreed,
        "is_enough": is_enough(check.upload_id),
    }
