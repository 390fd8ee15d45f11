"""A request with an Idempotency-Key is carried out once, however often it is sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.models import RepeatedRequest

HEADER = "Idempotency-Key"
LONGEST = 200
REMEMBERED = timedelta(hours=24)


class AnotherRequest(exceptions.APIException):
    status_code = 422
    default_detail = "This Idempotency-Key came with another request before. Choose a new one."


def once(request: Request, user: User, carry_out: Callable[[], Response]) -> Response:
    """Carry out, and remember what was answered, in one transaction; or answer as before.

    A repetition that arrives meanwhile waits for the first. What is refused is not remembered: it
    can be mended and sent again under the same key.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return carry_out()
    if not (0 < len(key) <= LONGEST and key.isascii() and key.isprintable()):
        raise exceptions.ValidationError(
            {HEADER: [f"Give 1 to {LONGEST} printable ASCII characters."]}
        )
    print_of = fingerprint(request)
    with transaction.atomic():
        RepeatedRequest.objects.filter(
            user=user, created_at__lt=timezone.now() - REMEMBERED
        ).delete()
        row, is_new = RepeatedRequest.objects.select_for_update().get_or_create(
            user=user, key=key, defaults={"request_sha256": print_of}
        )
        if not is_new:
            return _as_before(row, print_of)
        response = carry_out()
        row.status, row.body = response.status_code, _text(response.data)
        row.save(update_fields=["status", "body"])
        return response


def _text(data: Any) -> str:
    return bytes(JSONRenderer().render(data)).decode()


def _as_before(row: RepeatedRequest, print_of: str) -> Response:
    if row.request_sha256 != print_of:
        raise AnotherRequest
    return Response(
        json.loads(row.body), status=row.status, headers={"Idempotent-Replayed": "true"}
    )


def fingerprint(request: Request) -> str:
    """SHA-256 of a request's address and of its fields and files."""
    digest = hashlib.sha256(request.path.encode())
    data: Any = request.data
    if isinstance(data, QueryDict):
        fields = {
            name: values
            for name, values in data.lists()
            if not any(isinstance(value, UploadedFile) for value in values)
        }
        digest.update(json.dumps(fields, sort_keys=True).encode())
        for name, file in sorted(request.FILES.items()):
            digest.update(f"{name} {file.name}".encode())
            for chunk in file.chunks():
                digest.update(chunk)
            file.seek(0)
    else:
        digest.update(json.dumps(data, sort_keys=True).encode())
    return digest.hexdigest()
