"""Model cards and their entries: the rows of the boards."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from evaluation import policy
from evaluation.models import Entry, Evidence, Mode, ModelCard
from leaderboard.api.base import ID, SLUG, PublicViewSet, Query, Text, listed_by

ENTRY = {
    "id": 7,
    "model": "ada",
    "name": "Ada",
    "benchmark": "bfcl-v4",
    "mode": "fc",
    "evidence": "verified",
    "run": 3,
    "run_published_at": "2026-01-31T00:00:00Z",
}
CARD = {
    "slug": "ada",
    "name": "Ada",
    "organisation": "Example Lab",
    "licence": "Apache-2.0",
    "link": "https://example.org/ada",
    "open_weights": True,
    "entries": [ENTRY],
}


@extend_schema_serializer(examples=[OpenApiExample("An entry", value=ENTRY)])
class EntrySerializer(serializers.ModelSerializer[Entry]):
    """A model in one mode on one benchmark version, by one kind of evidence.

    `run` is the run its figures come from; null where the benchmark's own team published them.
    """

    model = serializers.CharField(source="card.slug")
    name = serializers.CharField(source="card.name")
    benchmark = serializers.CharField(source="benchmark.slug")
    run = serializers.IntegerField(source="shown_run_id", allow_null=True)
    run_published_at = serializers.DateTimeField(
        source="shown_run.published_at", allow_null=True, default=None
    )

    class Meta:
        model = Entry
        fields = tuple(ENTRY)
        read_only_fields = fields


class EntryQuery(Query):
    benchmark = Text(source="benchmark__slug", max_length=60)
    model = Text(source="card__slug", max_length=120)
    mode = serializers.ChoiceField(required=False, choices=Mode.choices)
    evidence = serializers.ChoiceField(required=False, choices=Evidence.choices)


@listed_by(EntryQuery)
class EntryViewSet(PublicViewSet[Entry]):
    """Entries that are on a board; their figures are in the standings and in their runs."""

    serializer_class = EntrySerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Entry, Any]:
        entries = policy.visible_entries(self.request.user)
        return entries.select_related("card", "benchmark", "shown_run")


@extend_schema_serializer(examples=[OpenApiExample("A model", value=CARD)])
class CardSerializer(serializers.ModelSerializer[ModelCard]):
    """A model as people speak of it. `open_weights` is null where it is not known."""

    link = serializers.CharField(help_text="Empty if there is none.")
    entries = EntrySerializer(source="public_entries", many=True)

    class Meta:
        model = ModelCard
        fields = tuple(CARD)
        read_only_fields = fields


class CardQuery(Query):
    organisation = Text(max_length=120)
    open_weights = serializers.BooleanField(required=False, allow_null=True)


@listed_by(CardQuery)
class CardViewSet(PublicViewSet[ModelCard]):
    """Models that are on a board."""

    serializer_class = CardSerializer
    lookup_field = "slug"
    lookup_value_regex = SLUG

    def get_queryset(self) -> QuerySet[ModelCard, Any]:
        public = policy.visible_entries(self.request.user)
        rows = public.select_related("card", "benchmark", "shown_run").order_by("pk")
        return (
            ModelCard.objects.filter(entries__in=public)
            .distinct()
            .prefetch_related(Prefetch("entries", queryset=rows, to_attr="public_entries"))
        )
