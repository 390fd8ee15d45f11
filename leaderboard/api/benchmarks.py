"""Benchmark versions and their categories."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from evaluation.benchmarks import suite
from evaluation.models import Benchmark, Category
from leaderboard.api.base import ID, SLUG, PublicViewSet, Query, Text, listed_by
from leaderboard.ranking import leaf_weights

BENCHMARK = {
    "slug": "bfcl-v4",
    "suite": "bfcl-v4",
    "title": "BFCL V4",
    "package": "bfcl-eval",
    "version": "2026.3.23",
    "digest": "0f4c…",
    "licence": "Apache-2.0",
    "is_current": True,
    "runnable": ["simple_python", "multiple"],
    "cases_public_from": None,
}
CATEGORY = {
    "id": 1,
    "benchmark": "bfcl-v4",
    "name": "simple_python",
    "title": "Simple (Python)",
    "n": 400,
    "weight": 0.0111,
    "modes": ["fc", "prompt"],
    "unavailable": "",
    "is_extra": False,
}


@extend_schema_serializer(examples=[OpenApiExample("A version", value=BENCHMARK)])
class BenchmarkSerializer(serializers.ModelSerializer[Benchmark]):
    """One version of one benchmark, known by the SHA-256 of its data files."""

    runnable = serializers.ListField(
        child=serializers.CharField(), help_text="Categories of Overall (runnable)."
    )

    class Meta:
        model = Benchmark
        fields = tuple(BENCHMARK)
        read_only_fields = fields


class BenchmarkQuery(Query):
    suite = Text(max_length=60)


@listed_by(BenchmarkQuery)
class BenchmarkViewSet(PublicViewSet[Benchmark]):
    """Benchmark versions, oldest first."""

    queryset = Benchmark.objects.all()
    serializer_class = BenchmarkSerializer
    lookup_field = "slug"
    lookup_value_regex = SLUG


@extend_schema_serializer(examples=[OpenApiExample("A category", value=CATEGORY)])
class CategorySerializer(serializers.ModelSerializer[Category]):
    """A set of cases judged alike. `weight` is its share of Overall; null: not part of it."""

    benchmark = serializers.SlugRelatedField[Benchmark](slug_field="slug", read_only=True)
    weight = serializers.SerializerMethodField()
    modes = serializers.ListField(
        child=serializers.CharField(), help_text="In which it can be asked: fc, prompt."
    )

    class Meta:
        model = Category
        fields = tuple(CATEGORY)
        read_only_fields = fields

    def get_weight(self, category: Category) -> float | None:
        return _weights(category.benchmark.suite).get(category.name)


@lru_cache(maxsize=32)
def _weights(slug: str) -> dict[str, float]:
    """What each category weighs in a suite's Overall; nothing of a suite no longer known."""
    try:
        return dict(leaf_weights(suite(slug).tree))
    except KeyError:
        return {}


class CategoryQuery(Query):
    benchmark = Text(source="benchmark__slug", max_length=60)
    name = Text(max_length=60)


@listed_by(CategoryQuery)
class CategoryViewSet(PublicViewSet[Category]):
    """Categories of every benchmark version."""

    serializer_class = CategorySerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Category, Any]:
        return Category.objects.select_related("benchmark")
