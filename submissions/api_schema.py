"""How the writing part of the API describes itself: what each address takes and answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers

from evaluation.models import Mode
from evaluation.models.endpoints import MAX_IN_FLIGHT, MAX_TIMEOUT
from submissions.actions import ACTIONS
from submissions.api_rows import CHECK, ROW, Fields, SpotCheckSerializer, SubmissionSerializer

View = TypeVar("View", bound=type[Any])
LONGEST_TEXT = 1000
MOST = 100  # rows of a list
ENDPOINT = {
    "benchmark": "bfcl-v4",
    "name": "Example 7B",
    "organisation": "Example Lab",
    "base_url": "https://api.example.org/v1",
    "remote_model": "example-7b",
    "key": "sk-0123456789abcdef",
    "mode": "fc",
    "parameters": {"temperature": 0.2},
    "categories": ["simple_python"],
    "terms": True,
}
ONCE = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="1 to 200 printable characters: the same request is carried out once a day.",
)
WRITING = {
    "403": "The token may only read, your role may only look, or the account is banned.",
    "409": "It does not fit the state that the run is in, or too many cases are in flight.",
    "413": "The body is too large.",
    "415": "The body is neither JSON nor a form.",
}
MAKING = WRITING | {
    "422": "The Idempotency-Key came with another request before.",
    "429": "Too many requests, or the week's runs are used up: wait for Retry-After.",
}


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "submissions.api_access.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of your account's page API tokens. Scope `read` follows your"
            " submissions, scope `submit` also makes and steers them.",
        }


class ListQuery(Fields):
    limit = serializers.IntegerField(
        min_value=1, max_value=MOST, default=20, help_text="Rows of a page."
    )
    before = serializers.IntegerField(
        min_value=1, max_value=2**62, default=2**62, help_text="Only those with a smaller id."
    )


class EndpointBody(Fields):
    """Where and how a model is asked. What is left out is as in the page's empty form."""

    base_url = serializers.CharField(help_text="Up to and including /v1; https.")
    remote_model = serializers.CharField(help_text="The name by which the endpoint knows it.")
    key = serializers.CharField(required=False, help_text="Sealed, and never told again.")
    auth_header = serializers.CharField(required=False)
    api_version = serializers.CharField(required=False)
    parameters = serializers.DictField(required=False)
    reasoning_end = serializers.CharField(required=False)
    in_flight = serializers.IntegerField(required=False, min_value=1, max_value=MAX_IN_FLIGHT)
    timeout = serializers.IntegerField(required=False, min_value=1, max_value=MAX_TIMEOUT)
    terms = serializers.BooleanField(help_text="true: you accept the terms of submission.")


class CardFields(Fields):
    """A model card of yours by its slug, or what a new one shall say."""

    card = serializers.CharField(required=False, help_text="In place of the next five.")
    name = serializers.CharField(required=False)
    organisation = serializers.CharField(required=False, help_text="Who made the model.")
    licence = serializers.CharField(required=False)
    link = serializers.CharField(required=False)
    open_weights = serializers.BooleanField(required=False, allow_null=True)
    behalf = serializers.CharField(required=False, help_text="Slug of an organisation of yours.")


class SubmissionBody(CardFields, EndpointBody):
    """An endpoint to evaluate, and the model it serves."""

    benchmark = serializers.CharField(required=False, help_text="The board's first if left out.")
    mode = serializers.ChoiceField(choices=Mode.choices, required=False)
    underscore = serializers.BooleanField(required=False)
    price_in = serializers.FloatField(required=False, min_value=0)
    price_out = serializers.FloatField(required=False, min_value=0)
    categories = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Everything if left out."
    )


class UploadBody(CardFields):
    """Result files, as a form."""

    file = serializers.FileField(help_text="zip, tar.gz, .jsonl or .jsonl.gz.")
    mode = serializers.ChoiceField(choices=Mode.choices)
    underscore = serializers.CharField(required=False, help_text="on, or left out.")
    terms = serializers.CharField(help_text="on: you accept the terms of submission.")


class AnswerBody(Fields):
    text = serializers.CharField(max_length=LONGEST_TEXT)


class KeyBody(Fields):
    key = serializers.CharField(help_text="Sealed for the endpoint's host, and never told again.")


class SubmissionPage(Fields):
    next = serializers.URLField(allow_null=True, help_text="Where the list goes on.")
    results = SubmissionSerializer(many=True)


class SpotCheckList(Fields):
    results = SpotCheckSerializer(many=True)


class DoneSerializer(SubmissionSerializer):
    """The submission afterwards."""

    said = serializers.CharField(help_text="What was done, in a sentence.")


def described(**methods: Any) -> Callable[[View], View]:
    """A view's methods, each by an extend_schema of its own."""
    return extend_schema_view(**methods)


def writing(request: Any, answer: Any, status: int = 200, **options: Any) -> Any:
    """A door that changes something; x-problems are what it may refuse beyond what all do."""
    return extend_schema(
        request=request,
        responses={status: answer},
        extensions={"x-problems": WRITING},
        **options,
    )


LISTED = extend_schema(
    operation_id="submissions_list",
    parameters=[ListQuery],
    responses=SubmissionPage,
    examples=[OpenApiExample("A page", value={"next": None, "results": [ROW]})],
)
SUBMITTED = extend_schema(
    operation_id="submissions_create",
    parameters=[ONCE],
    request={"application/json": SubmissionBody, "multipart/form-data": UploadBody},
    responses={201: SubmissionSerializer},
    examples=[
        OpenApiExample(
            "An endpoint", value=ENDPOINT, request_only=True, media_type="application/json"
        ),
        OpenApiExample("A submission", value=ROW, response_only=True, status_codes=["201"]),
    ],
    extensions={
        "x-problems": MAKING | {"503": "Other uploads are being read: wait for Retry-After."}
    },
)
FOUND = extend_schema(operation_id="submissions_retrieve", responses=SubmissionSerializer)
STEERED = writing(
    None,
    DoneSerializer,
    operation_id="submissions_steer",
    parameters=[
        OpenApiParameter(
            "name",
            OpenApiTypes.STR,
            OpenApiParameter.PATH,
            enum=tuple(ACTIONS),
            description="What.",
        )
    ],
    examples=[
        OpenApiExample("Done", value=ROW | {"said": "Withdrawn."}, response_only=True),
    ],
)
ANSWERED = writing(AnswerBody, DoneSerializer, operation_id="submissions_answer")
KEYED = writing(KeyBody, DoneSerializer, operation_id="submissions_key")
CHECKS = extend_schema(
    operation_id="submissions_spot_checks",
    responses=SpotCheckList,
    examples=[OpenApiExample("Spot checks", value={"results": [CHECK]})],
)
CHECKED = extend_schema(
    operation_id="submissions_spot_check",
    parameters=[ONCE],
    request=EndpointBody,
    examples=[
        OpenApiExample("A spot check", value=CHECK, response_only=True, status_codes=["201"])
    ],
    responses={201: SpotCheckSerializer},
    extensions={"x-problems": MAKING},
)
