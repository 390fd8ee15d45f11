"""Runs, what they were asked with, and their verdicts case by case."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from evaluation import policy
from evaluation.models import CategoryScore, Evidence, Mode, Run, Scoring, Verdict
from leaderboard.api.base import ID, PublicViewSet, Query, Text, listed_by
from leaderboard.api.problems import CasesNotPublic, Gone
from leaderboard.samples import FAULTS, SamplesForm

SCORE = {
    "category": "simple_python",
    "n": 400,
    "correct": 371,
    "wrong": 29,
    "unscored": 0,
    "accuracy": 0.9275,
}
RUN = {
    "id": 3,
    "entry": 7,
    "model": "ada",
    "benchmark": "bfcl-v4",
    "mode": "fc",
    "evidence": "verified",
    "state": "finished",
    "reason": "",
    "n": 400,
    "counts": True,
    "requests_sent": 412,
    "retries": 12,
    "deviations": {"call_in_text": 3},
    "configuration": {"benchmark": "bfcl-v4", "mode": "fc", "underscore": True},
    "configuration_sha256": "93a1…",
    "started_at": "2026-01-30T22:10:00Z",
    "finished_at": "2026-01-30T23:02:11Z",
    "published_at": "2026-01-31T00:00:00Z",
    "scorer_version": "1",
    "answers_version": 1,
    "profile": "default",
    "scores": [SCORE],
}
SAMPLE = {
    "case": 812,
    "name": "simple_python_12",
    "category": "simple_python",
    "outcome": "wrong",
    "error_type": "value_error:others",
    "fault": "wrong_value",
    "where": "city",
    "message": "The value Berne of city is none of the accepted ones.",
    "attempts": 1,
}


@extend_schema_serializer(examples=[OpenApiExample("A category's counts", value=SCORE)])
class ScoreSerializer(serializers.ModelSerializer[CategoryScore]):
    """Counts of one category. `accuracy` is correct ÷ n; null where no case was scored."""

    category = serializers.CharField(source="category.name")

    class Meta:
        model = CategoryScore
        fields = tuple(SCORE)
        read_only_fields = fields


@extend_schema_serializer(examples=[OpenApiExample("A run", value=RUN)])
class RunSerializer(serializers.ModelSerializer[Run]):
    """One evaluation under one frozen configuration, as its current scoring judged it."""

    model = serializers.CharField(source="entry.card.slug")
    benchmark = serializers.CharField(source="entry.benchmark.slug")
    mode = serializers.ChoiceField(source="entry.mode", choices=Mode.choices)
    evidence = serializers.ChoiceField(source="entry.evidence", choices=Evidence.choices)
    configuration = serializers.SerializerMethodField()
    deviations = serializers.DictField(child=serializers.IntegerField())
    scorer_version = serializers.SerializerMethodField()
    answers_version = serializers.SerializerMethodField()
    profile = serializers.SerializerMethodField()
    scores = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = tuple(RUN)
        read_only_fields = fields

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_configuration(self, run: Run) -> Any:
        return json.loads(run.configuration)

    def get_scorer_version(self, run: Run) -> str | None:
        found: str | None = _of_current(run, "scorer_version")
        return found

    def get_answers_version(self, run: Run) -> int | None:
        found: int | None = _of_current(run, "answers_version")
        return found

    def get_profile(self, run: Run) -> str | None:
        found: str | None = _of_current(run, "profile")
        return found

    @extend_schema_field(ScoreSerializer(many=True))
    def get_scores(self, run: Run) -> Any:
        rows = [row for one in _current(run) for row in one.category_scores.all()]
        return ScoreSerializer(rows, many=True).data


def _current(run: Run) -> list[Scoring]:
    found: list[Scoring] = getattr(run, "current_scorings", [])
    return found


def _of_current(run: Run, field: str) -> Any:
    return next((getattr(one, field) for one in _current(run)), None)


class RunQuery(Query):
    benchmark = Text(source="entry__benchmark__slug", max_length=60)
    model = Text(source="entry__card__slug", max_length=120)
    entry = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    mode = serializers.ChoiceField(source="entry__mode", required=False, choices=Mode.choices)
    evidence = serializers.ChoiceField(
        source="entry__evidence", required=False, choices=Evidence.choices
    )
    state = serializers.ChoiceField(required=False, choices=Run.State.choices)


@listed_by(RunQuery)
class RunViewSet(PublicViewSet[Run]):
    """Published runs, newest first."""

    serializer_class = RunSerializer
    lookup_value_regex = ID
    ordering = "-pk"

    def get_object(self) -> Run:
        """The run; of one that was public once, why it is not any more."""
        try:
            return super().get_object()
        except Http404:
            gone = Run.objects.filter(pk=self.kwargs["pk"]).first()
            if gone is None or not policy.was_public(gone):
                raise
            raise Gone(gone.hidden_because or "Hidden.") from None

    def get_queryset(self) -> QuerySet[Run, Any]:
        scores = CategoryScore.objects.select_related("category").order_by("category__position")
        current = Scoring.objects.filter(is_current=True).prefetch_related(
            Prefetch("category_scores", queryset=scores)
        )
        return (
            policy.visible_runs(self.request.user)
            .select_related("entry__card", "entry__benchmark")
            .prefetch_related(Prefetch("scorings", queryset=current, to_attr="current_scorings"))
        )


@extend_schema_serializer(examples=[OpenApiExample("A sample", value=SAMPLE)])
class SampleSerializer(serializers.ModelSerializer[Verdict]):
    """What became of one case. `error_type` is the benchmark's own word, `fault` ours."""

    case = serializers.IntegerField(source="case_id")
    name = serializers.CharField(source="case.name")
    category = serializers.CharField(source="case.category.name")
    fault = serializers.ChoiceField(choices=list(FAULTS.items()), allow_blank=True)

    class Meta:
        model = Verdict
        fields = tuple(SAMPLE)
        read_only_fields = fields


class SampleQuery(Query):
    category = Text(max_length=60)
    outcome = serializers.ChoiceField(required=False, choices=Verdict.Outcome.choices)
    fault = serializers.ChoiceField(required=False, choices=list(FAULTS.items()))
    q = Text(max_length=200, help_text="Text in the case, its question or the message.")


@listed_by(SampleQuery)
@extend_schema(
    parameters=[OpenApiParameter("run", OpenApiTypes.INT, OpenApiParameter.PATH)],
    extensions={"x-problems": {"403": "The cases of this benchmark are not public yet."}},
)
class SampleViewSet(PublicViewSet[Verdict]):
    """A run's verdicts, a case each, filtered as on the run's page."""

    serializer_class = SampleSerializer
    queryset = Verdict.objects.none()
    ordering = "case_id"

    def get_queryset(self) -> QuerySet[Verdict, Any]:
        runs = policy.visible_runs(self.request.user).select_related("entry__benchmark")
        run = get_object_or_404(runs, pk=self.kwargs["run"])
        if not policy.may_see_cases(self.request.user, run.entry.benchmark):
            raise CasesNotPublic
        categories = list(run.categories.all())
        wanted = self.asked.get("category")
        if wanted and wanted not in {category.name for category in categories}:
            raise serializers.ValidationError({"category": ["This run has no such category."]})
        # By key, so that the database walks the scoring's index however large it is.
        scoring = run.scorings.filter(is_current=True).values_list("pk", flat=True).first()
        narrowed = SamplesForm(self.request.query_params, categories).narrow(run)
        return narrowed.filter(scoring=scoring)

    def filter_queryset(self, queryset: Any) -> Any:
        """The form has done it."""
        return queryset
