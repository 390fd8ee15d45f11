"""Who may use the API beyond reading what is public: holders of a token, within its scope."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from submissions import tokens
from submissions.models import ApiToken


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer cb_…`. Cookies count for nothing: no other site can ride on them."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _, text = get_authorization_header(request).partition(b" ")
        if kind.lower() != b"bearer":
            return None
        found = tokens.find(text.strip().decode("ascii", "replace"))
        if found is None:
            raise exceptions.AuthenticationFailed(
                "This token is unknown, has expired or was revoked: your account's page makes one."
            )
        return found.user, found

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Callboard"'


class WithinScope(BasePermission):
    """Reading needs a token, anything else one that may submit."""

    message = "This token may only read. Make one that may submit."

    def has_permission(self, request: Request, view: Any) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            raise exceptions.NotAuthenticated(
                "Send a token as Authorization: Bearer …; your account's page makes one."
            )
        return request.method in SAFE_METHODS or token.scope == ApiToken.Scope.SUBMIT


class PerPerson(SimpleRateThrottle):
    """As many requests as one address may make to the public part, whatever token they use."""

    scope = "person"

    def get_rate(self) -> str:
        return str(settings.CALLBOARD_API_RATE)

    def get_cache_key(self, request: Request, view: Any) -> str:
        return f"api-person:{request.user.pk}"
