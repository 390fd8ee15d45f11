"""Every error of the API as problem details (RFC 9457): what is wrong and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.urls import reverse
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

MEDIA_TYPE = "application/problem+json"


class CasesNotPublic(exceptions.PermissionDenied):
    """The cases of a benchmark are still secret."""

    default_detail = "The cases of this benchmark are not public yet."


class NotThere(exceptions.NotFound):
    """Nothing has this address, or nothing that everybody may see."""

    default_detail = (
        "There is nothing here that is public. /api/v1/ lists what there is;"
        " a run is here once its submitter has published it."
    )


class Gone(exceptions.APIException):
    """It was public once; the detail says why it is not any more."""

    status_code = HTTPStatus.GONE


def as_problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answer to an error, its body as problem details; None for a mistake of ours."""
    response = exception_handler(error, context)
    if response is None:
        return None
    status = HTTPStatus(response.status_code)
    fields = list(_fields(response.data)) if status == HTTPStatus.BAD_REQUEST else []
    problem: dict[str, Any] = {
        "type": _type(error, context["request"]),
        "title": status.phrase,
        "status": status.value,
        "detail": _sentence(error, response.data, fields),
        "instance": context["request"].path,
    }
    if fields:
        problem["errors"] = fields
    response.data = problem
    response.content_type = MEDIA_TYPE
    return response


def _type(error: Exception, request: Request) -> str:
    """Where the documentation tells of this kind of problem, if the status alone does not."""
    kind = getattr(error, "problem", "")
    return f"{request.build_absolute_uri(reverse('api-docs'))}#{kind}" if kind else "about:blank"


def _fields(data: Any) -> Iterator[dict[str, str]]:
    for name, reasons in data.items() if isinstance(data, dict) else ():
        listed = reasons if isinstance(reasons, list) else [reasons]
        yield {"parameter": name, "detail": " ".join(str(reason) for reason in listed)}


def _sentence(error: Exception, data: Any, fields: list[dict[str, str]]) -> str:
    if fields:
        return " ".join(f"{field['parameter']}: {field['detail']}" for field in fields)
    if not isinstance(error, exceptions.APIException):
        return str(NotThere.default_detail)
    return str(data.get("detail", "")) if isinstance(data, dict) else str(data)
