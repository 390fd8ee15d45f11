"""A board as its page shows it: the same parameters, the same rows, the same numbers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import Benchmark, Evidence, Mode
from leaderboard import exports, forms, loading, pages, sheets, tables
from leaderboard.api.base import PublicView, Text, understood, unless_unchanged
from leaderboard.boards import OVERALL, Board
from leaderboard.forms import BETWEEN, Chosen

FIGURE: dict[str, Any] = {
    "value": 0.9275,
    "missing_as_zero": 0.9275,
    "upper_bound": 0.9275,
    "low": 0.898,
    "high": 0.949,
    "n": 400,
    "scored": 400,
    "ceiling": None,
    "missing": [],
    "is_ranked": True,
}
ROW = {
    "rank": 1,
    "rank_from": 1,
    "rank_to": 3,
    "rank_is_paired": True,
    "standing": "ranked",
    "model": "Ada",
    "organisation": "Example Lab",
    "licence": "Apache-2.0",
    "open_weights": True,
    "mode": "fc",
    "evidence": "verified",
    "link": "https://example.org/ada",
    "date": "2026-01-31",
    "run": 3,
    "cost": 1.25,
    "latency": 0.9,
    "case_latency": 1.4,
    "scores": {"simple_python": FIGURE},
}


@extend_schema_serializer(examples=[OpenApiExample("A figure", value=FIGURE)])
class FigureSerializer(serializers.Serializer[Any]):
    """One number and what it rests on. `value` is null while a category behind it is missing."""

    value = serializers.FloatField(allow_null=True)
    missing_as_zero = serializers.FloatField(
        allow_null=True, help_text="The official figure: missing categories count as 0."
    )
    upper_bound = serializers.FloatField(
        allow_null=True, help_text="If every missing case were right."
    )
    low = serializers.FloatField(allow_null=True, help_text="Where the 95 % interval begins.")
    high = serializers.FloatField(allow_null=True, help_text="Where it ends.")
    n = serializers.IntegerField()
    scored = serializers.IntegerField(allow_null=True)
    ceiling = serializers.FloatField(
        allow_null=True,
        help_text="What the benchmark’s recorded answers reach; null if not known.",
    )
    missing = serializers.ListField(child=serializers.CharField())
    is_ranked = serializers.BooleanField()


@extend_schema_serializer(examples=[OpenApiExample("A row", value=ROW)])
class StandingSerializer(serializers.Serializer[Any]):
    """A row. `rank` is null where it is incomplete or its evidence is not ranked."""

    rank = serializers.IntegerField(allow_null=True)
    rank_from = serializers.IntegerField(
        allow_null=True, help_text="The first rank the data cannot rule out."
    )
    rank_to = serializers.IntegerField(allow_null=True, help_text="The last one.")
    rank_is_paired = serializers.BooleanField(
        allow_null=True,
        help_text="Whether these are found over the same cases, or from shares and n alone.",
    )
    standing = serializers.ChoiceField(choices=[sheets.RANKED, sheets.INCOMPLETE, sheets.LISTED])
    model = serializers.CharField()
    organisation = serializers.CharField(allow_blank=True)
    licence = serializers.CharField(allow_blank=True)
    open_weights = serializers.BooleanField(allow_null=True)
    mode = serializers.ChoiceField(choices=Mode.choices)
    evidence = serializers.ChoiceField(choices=Evidence.choices)
    link = serializers.CharField(allow_blank=True)
    date = serializers.DateField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    cost = serializers.FloatField(allow_null=True, help_text="US dollars for a whole run.")
    latency = serializers.FloatField(
        allow_null=True,
        help_text="Mean seconds of a request; in uploads and published tables as given there.",
    )
    case_latency = serializers.FloatField(
        allow_null=True, help_text="Mean seconds of a case, of all its requests together."
    )
    scores = serializers.DictField(child=FigureSerializer(allow_null=True))


class ColumnSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()


PAGE = {
    "next": "https://callboard.example/api/v1/standings/bfcl-v4/?page=2",
    "previous": None,
    "matching": 131,
    "benchmark": "bfcl-v4",
    "title": "BFCL V4",
    "version": "2026.3.23",
    "digest": "0f4c…",
    "address": "https://callboard.example/bfcl-v4/?view=simple_python",
    "as_of": None,
    "has_all_ranges": True,
    "view": "simple_python",
    "sorted_by": "-simple_python",
    "ranked_by": "simple_python",
    "columns": [{"key": "simple_python", "title": "Simple (Python)"}],
    "rows": [ROW],
}


@extend_schema_serializer(examples=[OpenApiExample("A page of a board", value=PAGE)])
class StandingsSerializer(serializers.Serializer[Any]):
    """One page of a board in one view."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    matching = serializers.IntegerField(help_text="Entries on all pages.")
    benchmark = serializers.CharField()
    title = serializers.CharField()
    version = serializers.CharField()
    digest = serializers.CharField()
    address = serializers.URLField(help_text="The page that shows the same.")
    as_of = serializers.DateField(allow_null=True, help_text="Null: as it stands now.")
    has_all_ranges = serializers.BooleanField(
        help_text="False for a moment after a publication: ranges rest on shares and n until"
        " those over the same cases are found."
    )
    view = serializers.CharField()
    sorted_by = serializers.CharField()
    ranked_by = serializers.CharField()
    columns = ColumnSerializer(many=True)
    rows = StandingSerializer(many=True)


CAP: dict[str, Any] = {
    "required": False,
    "max_digits": 15,
    "decimal_places": 6,
    "min_value": Decimal("0.000001"),
    "max_value": Decimal(forms.HIGHEST_CAP),
}


def has_come(day: date) -> None:
    if day > timezone.now().date():
        raise serializers.ValidationError("This day has not come yet.")


class StandingsQuery(serializers.Serializer[Any]):
    """What the page's address may say."""

    view = Text(help_text="overall (if not given), or a group or category by name.")
    sort = Text(
        help_text="A column, model, organisation, cost, latency or n; a minus before it: highest"
        " first. By rank if not given.",
    )
    q = Text(max_length=forms.LONGEST_TEXT, help_text="Words in model or organisation.")
    org = Text(max_length=forms.LONGEST_TEXT)
    mode = serializers.ChoiceField(required=False, choices=Mode.choices)
    evidence = serializers.ChoiceField(
        required=False, choices=[(key, title) for key, (title, _) in forms.EVIDENCE.items()]
    )
    open = serializers.ChoiceField(
        required=False, choices=[("1", "Yes")], help_text="1: models with open weights only."
    )
    cols = Text(
        max_length=1000,
        help_text="Keys of columns with commas between them. The view’s own if not given.",
    )
    cost_max = serializers.DecimalField(
        **CAP, help_text="US dollars for a whole run, at most. What is not known is left out."
    )
    latency_max = serializers.DecimalField(**CAP, help_text="Mean seconds of a request, at most.")
    since = serializers.DateField(required=False, help_text="Only figures of this day or later.")
    as_of = serializers.DateField(
        required=False,
        validators=[has_come],
        help_text="The board as it stood at the end of this day, in UTC; now if not given.",
    )
    profile = Text(help_text="A way of judging beside the usual one, where the suite has any.")
    page = serializers.RegexField(
        rf"^({forms.ALL_PAGES}|[1-9][0-9]{{0,4}})$",
        required=False,
        help_text="A number from 1 (if not given), or all.",
    )


class StandingsView(PublicView):
    """A board, ranked, filtered and sorted by the parameters its page has in its address."""

    @extend_schema(
        operation_id="standings_list",
        parameters=[
            OpenApiParameter("slug", OpenApiTypes.STR, OpenApiParameter.PATH),
            StandingsQuery,
        ],
        responses=StandingsSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        understood(request, StandingsQuery)
        return unless_unchanged(self._found, request, slug)

    def _found(self, request: Request, slug: str) -> Response:
        benchmark = get_object_or_404(Benchmark, slug=slug)
        which = loading.asked(request.query_params, benchmark)
        board = loading.current(benchmark, pages.version_of(request._request), which)
        chosen = sheets.choice(request.query_params, board)
        _refuse_unknown(request, chosen, board)
        view = tables.view_of(board, chosen.view, chosen.columns)
        sheet = sheets.sheet(board, view, chosen)
        query = chosen.query(page=chosen.page)
        page = request.build_absolute_uri(f"/{slug}/" + (f"?{query}" if query else ""))
        found = exports.document(board, view, sheet, page)
        return Response(_around(request, chosen, sheet) | {"matching": sheet.matching} | found)


def _refuse_unknown(request: Request, chosen: Chosen, board: Board) -> None:
    """A page takes a view or sort it does not know as not said; a program wants to know."""
    asked = request.query_params
    view, sort, cols = (asked.get(name, "") for name in ("view", "sort", "cols"))
    profile = asked.get("profile", "")
    main = board.main(chosen.view or OVERALL)
    known = {
        "view": view in ("", OVERALL, chosen.view),
        "sort": sort in (chosen.sort, f"-{main}"),
        "profile": not profile or profile in board.profiles,
        "cols": not cols or set(cols.split(BETWEEN)) <= set(tables.column_keys(board)),
    }
    if wrong := [name for name, is_known in known.items() if not is_known]:
        sentence = "This board has no such {}: see `columns` of an answer for what it has."
        raise serializers.ValidationError({name: [sentence.format(name)] for name in wrong})


def _around(request: Request, chosen: Chosen, sheet: sheets.Sheet) -> dict[str, str | None]:
    """Addresses of the pages before and after this one."""

    def address(page: int) -> str:
        query = chosen.query(page=str(page) if page > 1 else "")
        return request.build_absolute_uri(request.path + (f"?{query}" if query else ""))

    return {
        "next": address(sheet.page + 1) if sheet.page < sheet.pages else None,
        "previous": address(sheet.page - 1) if sheet.page > 1 else None,
    }
