"""Accounts: what of django-allauth is our own. Its settings are in leaderboard.settings."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import LoginForm
from allauth.core import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.contrib.auth.models import User
from django.core.validators import MaxLengthValidator, RegexValidator
from django.http import HttpRequest, HttpResponse

from evaluation import secrets

NOWHERE = "django.core.mail.backends.dummy.EmailBackend"
# Names stand on public pages: letters that only look alike would let one pass for another.
USERNAME_VALIDATORS = [
    RegexValidator(
        r"\A[A-Za-z0-9][A-Za-z0-9._-]*\Z",
        "Only letters, digits and . _ - can be in a name, a letter or digit first.",
    ),
    MaxLengthValidator(60, "A name has at most 60 characters."),
]


def throttled(request: HttpRequest, action: str) -> HttpResponse | None:
    """The refusal, once somebody signed in does a thing of ACCOUNT_RATE_LIMITS too often."""
    refusal: HttpResponse | None = ratelimit.consume_or_429(
        request, action=action, user=request.user, limit_get=True
    )
    return refusal


def is_too_often(request: HttpRequest, user: User, action: str) -> bool:
    """The same as a fact, for the API; both doors count together."""
    return not ratelimit.consume(request, action=action, user=user)


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Nobody can verify an address where no mail is sent, so nobody can sign up there."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.EMAIL_BACKEND != NOWHERE


class GitHubAccounts(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """An account that comes from GitHub is an account like any other: it verifies its address."""

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        for address in sociallogin.email_addresses:
            address.verified = False
        sociallogin.token = None  # nothing more is asked there

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return settings.EMAIL_BACKEND != NOWHERE


class SecondFactors(DefaultMFAAdapter):  # type: ignore[misc]
    """The secrets of authenticator apps and recovery codes are sealed like API keys."""

    def encrypt(self, text: str) -> str:
        return secrets.seal(text).decode("ascii")

    def decrypt(self, encrypted_text: str) -> str:
        return secrets.open_sealed(encrypted_text.encode("ascii"))


class SignInForm(LoginForm):  # type: ignore[misc]
    """Name or mail address, and password; labels that say so, no placeholders."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["login"].label = "Name or e-mail address"
        self.fields["login"].widget.attrs |= {
            "autocomplete": "username webauthn",
            "autocapitalize": "none",
        }
        self.fields["password"].help_text = ""
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
