"""Who submitted a model card, and what is known of them. Shown with the card, in pages and API."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.models import ModelCard
from submissions.models import Organisation


@dataclass(frozen=True, slots=True)
class Submitter:
    """A person by the name of their account, or an organisation."""

    name: str
    is_organisation: bool = False
    is_confirmed: bool = False
    how: str = ""  # by whom or what it was confirmed, in words
    is_maker: bool = False  # the card names this very organisation as the model's maker


def submitter_of(card: ModelCard) -> Submitter | None:
    """None for cards that nobody submitted: published by a benchmark's team, or left behind."""
    if card.stewards_id:
        found = Organisation.objects.filter(stewards=card.stewards_id).first()
        return _organisation(found, card) if found else None
    return Submitter(card.owner.get_username()) if card.owner else None


def _organisation(found: Organisation, card: ModelCard) -> Submitter:
    how = found.get_confirmed_how_display() if found.confirmed_how else ""
    if found.confirmed_how == Organisation.Confirmed.DOMAIN:
        how = f"by an owner’s mail at {found.domain}"
    is_maker = found.name.casefold() == card.organisation.casefold()
    return Submitter(found.name, True, found.is_confirmed, how, is_maker)
