"""Questions and accepted answers of benchmarks whose cases are public."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from evaluation import policy
from evaluation.models import Case
from leaderboard.api.base import ID, PublicViewSet, Query, Text, listed_by

SHORT = {
    "id": 812,
    "benchmark": "bfcl-v4",
    "category": "simple_python",
    "name": "simple_python_12",
    "position": 12,
    "chain": "",
    "is_prerequisite": False,
}
WHOLE = SHORT | {
    "question": {"question": [[{"role": "user", "content": "The weather in Bern?"}]]},
    "answer": [{"weather": {"city": ["Bern"]}}],
}


@extend_schema_serializer(examples=[OpenApiExample("A case in a list", value=SHORT)])
class ShortCaseSerializer(serializers.ModelSerializer[Case]):
    """A case by its name; its own address has the question and the accepted answer."""

    benchmark = serializers.CharField(source="category.benchmark.slug")
    category = serializers.CharField(source="category.name")

    class Meta:
        model = Case
        fields: tuple[str, ...] = tuple(SHORT)
        read_only_fields = fields


@extend_schema_serializer(examples=[OpenApiExample("A case", value=WHOLE)])
class CaseSerializer(ShortCaseSerializer):
    """A case whole. `answer` is version 1 of the accepted answer; null where none is needed."""

    question = serializers.SerializerMethodField()
    answer = serializers.SerializerMethodField()

    class Meta(ShortCaseSerializer.Meta):
        fields = tuple(WHOLE)
        read_only_fields = fields

    @extend_schema_field(OpenApiTypes.ANY)
    def get_question(self, case: Case) -> Any:
        return _value(case.question)

    @extend_schema_field(OpenApiTypes.ANY)
    def get_answer(self, case: Case) -> Any:
        return _value(case.answer) if case.answer else None


def _value(text: str) -> Any:
    """Stored JSON as a value; NaN and Infinity, which JSON does not know, as their names."""
    return json.loads(text, parse_constant=str)


class CaseQuery(Query):
    benchmark = Text(source="category__benchmark__slug", max_length=60)
    category = Text(source="category__name", max_length=60)
    name = Text(max_length=200)


@listed_by(CaseQuery)
class CaseViewSet(PublicViewSet[Case]):
    """Cases of all benchmarks whose cases are public."""

    lookup_value_regex = ID

    def get_serializer_class(self) -> type[ShortCaseSerializer]:
        return ShortCaseSerializer if self.action == "list" else CaseSerializer

    def get_queryset(self) -> QuerySet[Case, Any]:
        cases = policy.visible_cases(self.request.user).select_related("category__benchmark")
        return cases.defer("question", "answer") if self.action == "list" else cases
