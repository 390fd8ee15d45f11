"""What a person takes along, and what becomes of their things when their account goes."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q

from evaluation.models import Endpoint, ModelCard, Run
from evaluation.services import transitions
from submissions import bans
from submissions.models import (
    Ban,
    MailChoice,
    Membership,
    Organisation,
    Publication,
    Role,
    SpotCheck,
    Submission,
)


class StillNeeded(Exception):
    """The account cannot go yet; the message says what to do first."""


def all_about(user: User) -> dict[str, Any]:
    """Everything kept about a person, but for secrets: those are never shown again."""
    return _account(user) | _brought_in(user)


def _account(user: User) -> dict[str, Any]:
    return {
        "account": _rows(User.objects.filter(pk=user.pk), "username", "email", "date_joined")[0],
        "email_addresses": _rows(
            EmailAddress.objects.filter(user=user), "email", "verified", "primary"
        ),
        "connected_accounts": _rows(
            SocialAccount.objects.filter(user=user), "provider", "uid", "date_joined"
        ),
        "sessions": _rows(
            UserSession.objects.filter(user=user), "ip", "user_agent", "created_at", "last_seen_at"
        ),
        "organisations": _rows(user.memberships.all(), "organisation__name", "role", "created_at"),
        "api_tokens": _rows(
            user.api_tokens.all(), "name", "scope", "created_at", "expires_at", "last_used_at"
        ),
        "mail_wanted": _rows(MailChoice.objects.filter(user=user), "runs", "decisions", "queue"),
        "notices": _rows(user.notices.all(), "kind", "run", "text", "created_at", "taken_at"),
        "ban": _rows(Ban.objects.filter(user=user), "reason", "at"),
    }


def _brought_in(user: User) -> dict[str, Any]:
    return {
        "model_cards": _rows(
            ModelCard.objects.filter(owner=user),
            *("slug", "name", "organisation", "licence", "link", "open_weights", "created_at"),
        ),
        "endpoints": _rows(
            Endpoint.objects.filter(owner=user),
            *("base_url", "remote_model", "auth_header", "api_version", "mode", "parameters"),
            *("key_last_four", "created_at"),
        ),
        "charges": _rows(
            user.charges.all(), "submission", "organisation__name", "host", "at", "free_because"
        ),
        "publications": _rows(
            Publication.objects.filter(run__owner=user),
            *("run", "state", "doubts", "reason", "answer", "requested_at", "decided_at"),
        ),
        "spot_checks": _rows(
            SpotCheck.objects.filter(by=user),
            *("upload", "asked", "created_at", "compared", "agreed"),
        ),
        "submissions": _rows(
            Submission.objects.filter(submitted_by=user),
            *("pk", "terms", "created_at", "organisation__name", "run", "run__state"),
            *("run__reason", "run__entry__card__name", "run__configuration"),
            *("run__created_at", "run__finished_at", "run__published_at"),
        ),
    }


def _rows(rows: Any, *fields: str) -> list[dict[str, Any]]:
    return list(rows.order_by("pk").values(*fields))


@transaction.atomic
def delete_account(user: User) -> None:
    """Delete the account and what is its own alone; what is public stays, without the person.

    Active runs are cancelled, keys and everything unpublished deleted. Published runs and their
    model cards keep their figures and replies, as the terms of submission say.

    Raises:
        StillNeeded: An organisation with other members would be left without an owner.
    """
    for organisation in _left_without_owner(user):
        raise StillNeeded(
            f"You are the only owner of {organisation}. Make another member an owner first."
        )
    own = Run.objects.filter(owner=user)
    for run in own.filter(state__in=Run.ACTIVE):
        transitions.cancel(run, "Cancelled: its owner's account was deleted.")
    Endpoint.objects.filter(owner=user).update(sealed_key=None, key_last_four="")
    own.filter(published_at=None).delete()
    Endpoint.objects.filter(owner=user, runs=None).delete()
    ModelCard.objects.filter(owner=user, entries__runs=None, entries__shown_run=None).exclude(
        entries__evidence="published"
    ).delete()
    _delete_empty_organisations(user)
    if ban := Ban.objects.filter(user=user).first():
        bans.remember(user, ban.reason)
    user.delete()


def _left_without_owner(user: User) -> list[Organisation]:
    owners = Count("memberships", filter=Q(memberships__role=Role.OWNER), distinct=True)
    counted = Organisation.objects.annotate(
        owners=owners, people=Count("memberships", distinct=True)
    )
    owned = Membership.objects.filter(user=user, role=Role.OWNER).values("organisation")
    return list(counted.filter(pk__in=owned, owners=1, people__gt=1)[:1])


def _delete_empty_organisations(user: User) -> None:
    """One that nobody else is in goes too, unless something public bears its name."""
    alone = Organisation.objects.annotate(people=Count("memberships", distinct=True)).filter(
        people=1, memberships__user=user
    )
    for organisation in alone:
        runs = Run.objects.filter(viewers=organisation.viewers)
        for run in runs.filter(state__in=Run.ACTIVE):
            transitions.cancel(run, "Cancelled: the organisation has no members any more.")
        endpoints = Endpoint.objects.filter(stewards=organisation.stewards)
        endpoints.update(sealed_key=None, key_last_four="")
        runs.filter(published_at=None).delete()
        if not runs.exists():
            groups = (organisation.viewers, organisation.stewards)
            organisation.delete()
            for group in groups:
                group.delete()
