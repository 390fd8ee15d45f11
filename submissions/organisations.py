"""Organisations: who is in them, in which role, and what of them has been confirmed.

A membership is the truth about a role; the organisation's two groups, which are all that
evaluation.policy knows of it, are kept in step here and nowhere else.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from submissions.models import Invitation, Membership, Organisation, Role

INVITED_FOR = timedelta(days=7)
MAX_INVITATIONS = 50  # open at a time
DOMAIN = re.compile(r"(?=.{4,200}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}")
# Anybody gets an address there: it says nothing about an organisation.
_OPEN = """
    aol.com duck.com fastmail.com gmail.com gmx.com gmx.de gmx.net googlemail.com hey.com
    hotmail.com icloud.com live.com mail.com mail.ru me.com msn.com naver.com outlook.com
    pm.me proton.me protonmail.com qq.com web.de yahoo.com yandex.com yandex.ru zoho.com
    126.com 139.com 163.com foxmail.com sina.com
"""
OPEN_TO_ALL = frozenset(_OPEN.split())


class NotPossible(Exception):
    """What was asked cannot be done; the message says why, or what to do first."""


@transaction.atomic
def found(name: str, domain: str, *, by: User) -> Organisation:
    """Make an organisation with its first owner. Raises NotPossible if the name is taken."""
    slug = slugify(name)[:100]
    if not slug:
        raise NotPossible("A name needs at least one Latin letter or digit.")
    try:
        with transaction.atomic():
            made = Organisation.objects.create(
                slug=slug,
                name=name,
                domain=checked_domain(domain),
                viewers=Group.objects.create(name=f"{slug}: viewers"),
                stewards=Group.objects.create(name=f"{slug}: stewards"),
            )
    except IntegrityError as error:
        raise NotPossible(f"There is an organisation “{name}” already.") from error
    set_role(made, by, Role.OWNER)
    return made


def checked_domain(text: str) -> str:
    """A mail domain in lower case; "" for none. Raises NotPossible."""
    domain = text.strip().lower().removeprefix("@")
    if domain and not DOMAIN.fullmatch(domain):
        raise NotPossible("Give a domain such as example.org, without https:// and without path.")
    if domain in OPEN_TO_ALL:
        raise NotPossible(f"Anybody gets an address at {domain}: it confirms nothing.")
    return domain


@transaction.atomic
def set_role(organisation: Organisation, user: User, role: str) -> None:
    """Give somebody a role. Raises NotPossible if no owner would be left."""
    if role != Role.OWNER:
        _keep_an_owner(organisation, without=user)
    Membership.objects.update_or_create(
        organisation=organisation, user=user, defaults={"role": role}
    )
    organisation.viewers.user_set.add(user)
    if role in (Role.OWNER, Role.SUBMITTER):
        organisation.stewards.user_set.add(user)
    else:
        organisation.stewards.user_set.remove(user)
    confirm_by_mail(organisation)


@transaction.atomic
def remove(organisation: Organisation, user: User) -> None:
    """End a membership. Raises NotPossible if no owner would be left."""
    _keep_an_owner(organisation, without=user)
    Membership.objects.filter(organisation=organisation, user=user).delete()
    organisation.viewers.user_set.remove(user)
    organisation.stewards.user_set.remove(user)


def _keep_an_owner(organisation: Organisation, without: User) -> None:
    """Locks the organisation: two owners who leave at once are told one after the other."""
    Organisation.objects.select_for_update().get(pk=organisation.pk)
    owners = set(
        organisation.memberships.filter(role=Role.OWNER).values_list("user_id", flat=True)
    )
    if owners == {without.pk}:
        raise NotPossible("An organisation needs an owner: make somebody else one first.")


def confirm_by_mail(organisation: Organisation) -> bool:
    """Confirm it if an owner has a verified address of its domain; whether it is confirmed."""
    if organisation.is_confirmed or not organisation.domain:
        return organisation.is_confirmed
    owners = organisation.memberships.filter(role=Role.OWNER).values("user")
    addresses = EmailAddress.objects.filter(
        user__in=owners, verified=True, email__iendswith=f"@{organisation.domain}"
    )
    if addresses.exists():
        confirm(organisation, Organisation.Confirmed.DOMAIN)
    return organisation.is_confirmed


def confirm(organisation: Organisation, how: str) -> None:
    organisation.confirmed_how, organisation.confirmed_at = how, timezone.now()
    organisation.save(update_fields=["confirmed_how", "confirmed_at"])


def withdraw_confirmation(organisation: Organisation) -> None:
    organisation.confirmed_how, organisation.confirmed_at = "", None
    organisation.save(update_fields=["confirmed_how", "confirmed_at"])


@transaction.atomic
def change_domain(organisation: Organisation, domain: str) -> None:
    """Another domain: what the old one confirmed is no longer. Raises NotPossible."""
    domain = checked_domain(domain)
    if domain != organisation.domain:
        organisation.domain = domain
        organisation.save(update_fields=["domain"])
        if organisation.confirmed_how == Organisation.Confirmed.DOMAIN:
            withdraw_confirmation(organisation)
    confirm_by_mail(organisation)


@transaction.atomic
def invite(organisation: Organisation, email: str, role: str, *, by: User) -> str:
    """Offer a role to an address; the secret for the link. A second offer replaces the first.

    Raises:
        NotPossible: They are a member already, or too many offers are open.
    """
    email = email.lower()
    _forget_expired()
    if organisation.memberships.filter(
        user__emailaddress__email__iexact=email, user__emailaddress__verified=True
    ).exists():
        raise NotPossible(f"{email} is a member already: change the role in the list.")
    others = organisation.invitations.exclude(email=email)
    if others.count() >= MAX_INVITATIONS:
        raise NotPossible("Too many invitations are open: withdraw some first.")
    secret = secrets.token_urlsafe(32)
    Invitation.objects.update_or_create(
        organisation=organisation,
        email=email,
        defaults={
            "role": role,
            "digest": digest(secret),
            "invited_by": by,
            "expires_at": timezone.now() + INVITED_FOR,
        },
    )
    return secret


def _forget_expired() -> None:
    Invitation.objects.filter(expires_at__lte=timezone.now()).delete()


def invitation(secret: str) -> Invitation | None:
    """The offer that a link holds, while it stands."""
    standing = Invitation.objects.filter(expires_at__gt=timezone.now())
    return standing.select_related("organisation").filter(digest=digest(secret)).first()


@transaction.atomic
def accept(offer: Invitation, user: User) -> None:
    """Take up an offer, once. Somebody who is a member already keeps the role they have."""
    if not offer.organisation.memberships.filter(user=user).exists():
        set_role(offer.organisation, user, offer.role)
    offer.delete()


def digest(secret: str) -> str:
    """As secrets are kept: long and random, so a plain hash cannot be turned round."""
    return hashlib.sha256(secret.encode()).hexdigest()


def submits_for(user: User) -> QuerySet[Organisation]:
    """Organisations in whose name a person may submit."""
    return Organisation.objects.filter(
        memberships__user=user, memberships__role__in=(Role.OWNER, Role.SUBMITTER)
    )
