"""API tokens: made, shown once, found again by their digest."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from submissions.models import ApiToken

PREFIX = "cb_"  # so that people, and scanners of repositories, know one when they see it
SHOWN = 8  # first characters that stay readable, the prefix included
MOST = 20  # of one person
LIVES = (7, 30, 90, 365)  # days
USED_EVERY = timedelta(minutes=1)  # how often a token's last use is written down


class TooMany(Exception):
    """A person has as many tokens as there may be."""


@transaction.atomic
def make(user: User, name: str, scope: str, days: int) -> tuple[ApiToken, str]:
    """A new token, and its text, which nobody can read again. Raises TooMany."""
    User.objects.select_for_update().get(pk=user.pk)
    if user.api_tokens.count() >= MOST:
        raise TooMany(f"You have {MOST} tokens: revoke one that you no longer use.")
    text = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        digest=_digest(text),
        beginning=text[:SHOWN],
        expires_at=timezone.now() + timedelta(days=days),
    )
    return row, text


def find(text: str) -> ApiToken | None:
    """The token with this text, if it still counts; its use is written down."""
    if not text.startswith(PREFIX) or len(text) > 100:
        return None
    now = timezone.now()
    found = (
        ApiToken.objects.filter(digest=_digest(text), expires_at__gt=now, user__is_active=True)
        .select_related("user")
        .first()
    )
    if found:
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
        ApiToken.objects.filter(long_ago, pk=found.pk).update(last_used_at=now)
    return found


def _digest(text: str) -> str:
    """256 random bits cannot be guessed from their hash, so that it needs no salt."""
    return hashlib.sha256(text.encode()).hexdigest()
