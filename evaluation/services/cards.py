"""Model cards: found by name or made."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.text import slugify

from evaluation.models import ModelCard

MAX_SLUG = 100


def free_slug(name: str) -> str:
    """An address for a new card, not taken yet."""
    base = slugify(name)[:MAX_SLUG] or "model"
    slug, number = base, 1
    while ModelCard.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{base}-{number}"
    return slug


def ownerless_card(name: str, organisation: str = "") -> ModelCard:
    """The operators' own card of this name, made if there is none."""
    found = ModelCard.objects.filter(name=name, owner=None, stewards=None).order_by("pk").first()
    return found or make_card(name, organisation=organisation)


def make_card(name: str, *, owner: User | None = None, **fields: object) -> ModelCard:
    return ModelCard.objects.create(name=name, slug=free_slug(name), owner=owner, **fields)
