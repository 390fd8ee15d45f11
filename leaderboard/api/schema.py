"""The API's description of itself (OpenAPI 3.1), with what every operation shares said once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from leaderboard.api.problems import MEDIA_TYPE

PROBLEM = {
    "type": "object",
    "description": "What went wrong (RFC 9457).",
    "required": ["type", "title", "status", "detail", "instance"],
    "properties": {
        "type": {
            "type": "string",
            "description": "about:blank: the status says the kind; else where to read of it.",
        },
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence for a person."},
        "instance": {"type": "string", "description": "The path that was asked for."},
        "errors": {
            "type": "array",
            "description": "Of a 400: each parameter that was not understood, and why.",
            "items": {
                "type": "object",
                "required": ["parameter", "detail"],
                "properties": {"parameter": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
    "examples": [
        {
            "type": "about:blank",
            "title": "Bad Request",
            "status": 400,
            "detail": "mode: This API knows fc and prompt.",
            "instance": "/api/v1/entries/",
            "errors": [{"parameter": "mode", "detail": "This API knows fc and prompt."}],
        }
    ],
}
PROBLEMS = {
    "400": "A parameter is unknown, or its value cannot be understood.",
    "404": "Nothing public has this address.",
    "406": "Something else than JSON was asked for.",
    "429": "Too many requests: Retry-After says how many seconds to wait.",
}
# What only holders of a token can ask.
SIGNED_PROBLEMS = {
    "400": "A field or parameter is unknown, or its value cannot be taken.",
    "401": "No token, or one that is unknown, has expired or was revoked.",
    "404": "You have nothing that has this address.",
    "406": PROBLEMS["406"],
    "429": PROBLEMS["429"],
}
NOT_MODIFIED = {"description": "Nothing has changed since the answer with this ETag."}
CONDITION = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The ETag of an earlier answer: 304 without a body if it still holds.",
}
KEYS = ("id", "run")
KEY = {"type": "integer", "minimum": 1, "maximum": 10**18 - 1}
HEADERS = {
    "ETag": {"schema": {"type": "string"}, "description": "For If-None-Match."},
    "RateLimit": {"schema": {"type": "string"}, "description": "Requests left, seconds to go."},
    "RateLimit-Policy": {"schema": {"type": "string"}, "description": "Requests in how long."},
}


class Description(AutoSchema):
    """Only what is a person's own needs a token; the first paragraph is the summary."""

    def get_tags(self) -> list[str]:
        return [self._tokenize_path()[0]]

    def get_summary(self) -> str | None:
        """Of a list what its view says, of a single row what its serializer says."""
        told: str | None = self.get_description()
        if getattr(self.view, "action", "") == "retrieve":
            told = type(self._get_serializer()).__doc__  # type: ignore[no-untyped-call]
        return str(told).split("\n", maxsplit=1)[0] or None

    def get_auth(self) -> list[dict[str, Any]]:
        if not self.view.authentication_classes:
            return []
        found: list[dict[str, Any]] = super().get_auth()
        return found


def with_problems(result: dict[str, Any], **others: Any) -> dict[str, Any]:
    """Adds to every operation the answers, headers and the condition that all of them share."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    for path in result["paths"].values():
        for operation in path.values():
            parameters = operation.setdefault("parameters", [])
            for parameter in parameters:
                if parameter["in"] == "path" and parameter["name"] in KEYS:
                    parameter["schema"] = KEY
            is_public = not operation.get("security")
            if is_public:
                parameters.append(CONDITION)
                answers = operation["responses"]
                answers["200"].setdefault("headers", {}).update(HEADERS)
                answers["304"] = NOT_MODIFIED
            _add_problems(operation, PROBLEMS if is_public else SIGNED_PROBLEMS)
    return result


def _add_problems(operation: dict[str, Any], shared: dict[str, str]) -> None:
    for status, description in (shared | operation.pop("x-problems", {})).items():
        operation["responses"][status] = problem(description)


def problem(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The whole description; it changes with the program only."""
    found: dict[str, Any] = SchemaGenerator().get_schema(None, public=True)  # type: ignore[no-untyped-call]
    return found
