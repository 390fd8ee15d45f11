"""Tables that a benchmark's own team published, every figure as printed."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from evaluation.models import PublishedRow, Snapshot
from leaderboard.api.base import ID, PublicViewSet, Query, Text, listed_by

SHORT = {
    "id": 2,
    "benchmark": "bfcl-v4",
    "date": "2025-12-16",
    "source": "https://example.org/data_overall.csv",
    "digest": "51d0…",
}
ROW = {
    "position": 1,
    "name": "Ada (FC)",
    "entry": 7,
    "model": "ada",
    "mode": "fc",
    "overall": 0.7712,
    "cost": 12.4,
    "latency": 1.9,
    "figures": {"data_overall": {"Overall Acc": "77.12%"}},
}
Figures = dict[str, dict[str, str]]


@extend_schema_serializer(examples=[OpenApiExample("A snapshot in a list", value=SHORT)])
class ShortSnapshotSerializer(serializers.ModelSerializer[Snapshot]):
    """A dated table; its own address has its rows."""

    benchmark = serializers.CharField(source="benchmark.slug")

    class Meta:
        model = Snapshot
        fields: tuple[str, ...] = tuple(SHORT)
        read_only_fields = fields


@extend_schema_serializer(examples=[OpenApiExample("A row", value=ROW)])
class RowSerializer(serializers.ModelSerializer[PublishedRow]):
    """A line of the table. `cost` is US dollars, `latency` mean seconds; `figures` is printed."""

    model = serializers.CharField(source="entry.card.slug")
    mode = serializers.CharField(source="entry.mode")
    entry = serializers.IntegerField(source="entry_id")
    figures = serializers.SerializerMethodField()

    class Meta:
        model = PublishedRow
        fields = tuple(ROW)
        read_only_fields = fields

    @extend_schema_field(
        serializers.DictField(child=serializers.DictField(child=serializers.CharField()))
    )
    def get_figures(self, row: PublishedRow) -> Any:
        return json.loads(row.figures)


@extend_schema_serializer(examples=[OpenApiExample("A snapshot", value=SHORT | {"rows": [ROW]})])
class SnapshotSerializer(ShortSnapshotSerializer):
    """A dated table with all its rows, in its own order."""

    rows = RowSerializer(many=True)

    class Meta(ShortSnapshotSerializer.Meta):
        fields = (*SHORT, "rows")
        read_only_fields = fields


class SnapshotQuery(Query):
    benchmark = Text(source="benchmark__slug", max_length=60)
    date = serializers.DateField(required=False)


@listed_by(SnapshotQuery)
class SnapshotViewSet(PublicViewSet[Snapshot]):
    """Published tables of every benchmark."""

    lookup_value_regex = ID

    def get_serializer_class(self) -> type[ShortSnapshotSerializer]:
        return ShortSnapshotSerializer if self.action == "list" else SnapshotSerializer

    def get_queryset(self) -> QuerySet[Snapshot, Any]:
        snapshots = Snapshot.objects.select_related("benchmark")
        if self.action == "list":
            return snapshots
        rows = PublishedRow.objects.select_related("entry__card").order_by("position")
        return snapshots.prefetch_related(Prefetch("rows", queryset=rows))
