"""Bans that outlive an account: whoever comes back with the same address is still banned.

Kept are digests of verified mail addresses and of accounts elsewhere, never the addresses; an
address that is not verified may be somebody else's.
"""

from __future__ import annotations

import unicodedata

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.utils.crypto import salted_hmac

from submissions.models import Ban, BanMark

DOTLESS = ("gmail.com", "googlemail.com")  # dots before the @ mean nothing there


def reason_against(user: User) -> str:
    """Why this person is banned, by this account or one they had before; "" if they are not."""
    ban = Ban.objects.filter(user=user).first()
    found = ban or BanMark.objects.filter(digest__in=_digests(user)).first()
    return found.reason if found else ""


def remember(user: User, reason: str) -> None:
    """Keep a ban beyond the account. Another reason replaces the one before."""
    for digest in _digests(user):
        BanMark.objects.update_or_create(digest=digest, defaults={"reason": reason})


def lift(user: User) -> None:
    """The person may submit again, with this account and any other."""
    Ban.objects.filter(user=user).delete()
    BanMark.objects.filter(digest__in=_digests(user)).delete()


def normalised(address: str) -> str:
    """One spelling of all those that reach the same mailbox with the usual providers."""
    text = unicodedata.normalize("NFKC", address).strip().casefold()
    box, _, domain = text.rpartition("@")
    box = box.partition("+")[0] or box
    if domain in DOTLESS:
        box, domain = box.replace(".", ""), DOTLESS[0]
    return f"{box}@{domain}"


def _digests(user: User) -> list[str]:
    verified = EmailAddress.objects.filter(user=user, verified=True)
    marks = {f"mail:{normalised(one)}" for one in verified.values_list("email", flat=True)}
    elsewhere = SocialAccount.objects.filter(user=user)
    marks |= {f"{name}:{uid}" for name, uid in elsewhere.values_list("provider", "uid")}
    return sorted(salted_hmac("ban", mark, algorithm="sha256").hexdigest() for mark in marks)
