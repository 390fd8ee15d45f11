"""What all resources share: strict parameters, conditions, and one public for everybody."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from django.core.validators import RegexValidator
from django.db.models import Model
from django.views.decorators.http import condition
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView
from rest_framework.viewsets import ReadOnlyModelViewSet

from leaderboard import pages
from leaderboard.api.paging import MOST, Pages
from leaderboard.api.throttling import PerAddress

AnyModel = TypeVar("AnyModel", bound=Model)
ViewSetClass = TypeVar("ViewSetClass", bound="type[PublicViewSet[Any]]")
PAGING = {"limit", "cursor"}
LONGEST = 200  # characters of a text parameter
ID = r"[0-9]{1,18}"  # a primary key in an address
SLUG = r"[-a-zA-Z0-9_]{1,200}"  # a name in an address


class Text(serializers.CharField):
    """A text parameter: taken as it is, blanks at its ends included, and never empty."""

    def __init__(self, *, max_length: int = LONGEST, **options: Any) -> None:
        validators = [RegexValidator(r"^[^\x00]+$")]  # PostgreSQL has no such character
        super().__init__(
            required=False,
            max_length=max_length,
            trim_whitespace=False,
            validators=validators,
            **options,
        )


class Query(serializers.Serializer[dict[str, Any]]):
    """Parameters of every list. Subclasses add the filters of theirs."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, help_text="Rows of a page; 100 if not given."
    )
    cursor = Text(
        max_length=LONGEST,
        help_text="Where to go on: part of the `next` or `previous` address of a page.",
    )


class NoQuery(serializers.Serializer[dict[str, Any]]):
    """A single row takes no parameters."""


class PublicView(APIView):
    """Answers with an ETag, says what is left of the rate, and knows no reader from another."""

    http_method_names = ["get", "head"]  # noqa: RUF012 -- an instance's attribute to Django

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code in (200, 304):
            response["Cache-Control"] = "public, max-age=0, must-revalidate"
        self.throttle.describe(response)
        return response

    def get_throttles(self) -> list[BaseThrottle]:
        return [self.throttle]

    @cached_property
    def throttle(self) -> PerAddress:
        """One for each request: it checks, and then tells what is left."""
        return PerAddress()


class PublicViewSet(PublicView, ReadOnlyModelViewSet[AnyModel]):
    """Lists and single rows of what everybody may see."""

    pagination_class = Pages
    list_query: ClassVar[type[serializers.Serializer[Any]]] = Query
    ordering: ClassVar[str] = "pk"

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        self.asked = understood(request, self.list_query)
        return unless_unchanged(super().list, request, *args, **kwargs)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        understood(request, NoQuery)
        return unless_unchanged(super().retrieve, request, *args, **kwargs)

    def filter_queryset(self, queryset: Any) -> Any:
        """A parameter's `source` is the column that must equal it."""
        asked = getattr(self, "asked", {}).items()
        said = {path: value for path, value in asked if value is not None}
        return queryset.filter(**{path: said[path] for path in said.keys() - PAGING})


def listed_by(query: type[Query]) -> Callable[[ViewSetClass], ViewSetClass]:
    """Gives a viewset the parameters of its list, and its description the same."""

    def described(viewset: ViewSetClass) -> ViewSetClass:
        viewset.list_query = query
        return extend_schema_view(list=extend_schema(parameters=[query]))(viewset)

    return described


def understood(request: Request, query: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """The parameters as values.

    Raises:
        ValidationError: One is unknown, or has a value that cannot be understood.
    """
    read = query(data=request.query_params.dict())
    if unknown := sorted(set(request.query_params) - set(read.fields)):
        known = ", ".join(read.fields) or "none"
        sentence = f"There is no such parameter here. Known: {known}."
        raise serializers.ValidationError({name[:LONGEST]: [sentence] for name in unknown})
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def unless_unchanged(
    answer: Callable[..., Response], request: Request, *args: Any, **kwargs: Any
) -> Response:
    """The answer with an ETag, or 304 where the asker has it already."""
    tag = f'W/"{pages.key_of(request._request)}"'
    conditional = condition(etag_func=lambda *args, **kwargs: tag)(answer)
    response: Response = conditional(request, *args, **kwargs)
    return response
