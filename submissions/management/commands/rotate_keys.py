"""Seal everything that is kept sealed with the newest key, so that older keys can be retired."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from evaluation import secrets
from evaluation.models import Endpoint
from evaluation.secrets import CannotOpen

SEALED_FACTORS = ("secret", "seed")  # of authenticator apps, of recovery codes


class Command(BaseCommand):
    help = "Seal every stored secret with the first of CALLBOARD_KEYS."

    def handle(self, **options: Any) -> None:
        problems: list[str] = []
        endpoints = _each(Endpoint.objects.filter(sealed_key__isnull=False), _endpoint, problems)
        factors = _each(Authenticator.objects.all(), _factor, problems)
        self.stdout.write(
            f"{endpoints} API keys and {factors} second factors are sealed with the newest key."
        )
        if problems:
            raise CommandError(
                "None of the listed keys opens these; keep looking for the key that does, or have"
                f" them entered again: {'; '.join(problems)}."
            )
        self.stdout.write("The other keys can be taken out of CALLBOARD_KEYS now.")


def _each(rows: Any, carry_out: Callable[[Any], bool], problems: list[str]) -> int:
    """Row by row, each in its own transaction: it can be stopped and started again anywhere."""
    done = 0
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            row = rows.model.objects.select_for_update().filter(pk=pk).first()
            try:
                done += bool(row and carry_out(row))
            except CannotOpen:
                problems.append(f"{rows.model._meta.verbose_name} {pk}")
    return done


def _endpoint(row: Endpoint) -> bool:
    if row.sealed_key is None:
        return False
    Endpoint.objects.filter(pk=row.pk).update(sealed_key=secrets.reseal(row.sealed_key))
    return True


def _factor(row: Authenticator) -> bool:
    sealed = {name: row.data[name] for name in SEALED_FACTORS if row.data.get(name)}
    if not sealed:
        return False
    row.data |= {
        name: secrets.reseal(text.encode("ascii")).decode("ascii") for name, text in sealed.items()
    }
    row.save(update_fields=["data"])
    return True
