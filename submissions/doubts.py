"""Why a moderator should look at an entry before everybody does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from django.contrib.auth.models import Group, User
from django.db.models import Q, QuerySet

from evaluation import policy
from evaluation.models import Evidence, ModelCard, Run
from evaluation.services.signals import signals
from submissions.identity import submitter_of
from submissions.models import Publication

FIRST = "Nothing of this submitter has been published by a moderator yet."
HIDDEN_BEFORE = "A moderator has hidden an entry of this submitter before."
FILES = "A moderator looks at the files of this upload."  # what is odd is for moderators to read
NOT_IN_NAMES = re.compile(r"[\W_]+")
SHORTEST = 3  # letters of a vendor's name that are looked for inside a model's


def doubts_about(run: Run) -> list[str]:
    """Sentences for moderators and the submitter; none: it may publish itself.

    What the operator brings in by a command belongs to nobody and is not doubted.
    """
    if run.owner is None and run.stewards is None:
        return []
    if run.owner is not None and policy.may_moderate(run.owner):
        return []
    found = [*_about_submitter(run), *_about_name(run.entry.card)]
    if run.endpoint_id is None and any(one.is_striking for one in signals(run)):
        found.append(FILES)
    return found


def _about_submitter(run: Run) -> Iterator[str]:
    theirs = publications_of(run.owner, run.stewards)
    if theirs.filter(state=Publication.State.HIDDEN).exists():
        yield HIDDEN_BEFORE
    elif not vouched_for(theirs).exists():
        yield FIRST


def publications_of(owner: User | None, stewards: Group | None) -> QuerySet[Publication]:
    whose = Q(run__stewards=stewards) if stewards else Q(run__owner=owner)
    return Publication.objects.filter(whose)


def vouched_for(publications: QuerySet[Publication]) -> QuerySet[Publication]:
    """Those that a moderator, and not the rule for trusted submitters, has published."""
    return publications.filter(state=Publication.State.PUBLISHED, decided_by__isnull=False)


def _about_name(card: ModelCard) -> Iterator[str]:
    """Asked once for a card: what a moderator has let pass under it stands for its name."""
    if vouched_for(Publication.objects.filter(run__entry__card=card)).exists():
        return
    for name in _namesakes(card):
        yield f"The name is that of another model on this board: {name}."
    if vendor := _vendor(card):
        yield f"It bears the name of {vendor}, and its submitter is not known to be them."


def _namesakes(card: ModelCard) -> list[str]:
    whose = Q(stewards=card.stewards) if card.stewards_id else Q(owner=card.owner)
    others = ModelCard.objects.exclude(pk=card.pk).exclude(whose)
    wanted = plain(card.name)
    return [name for name in others.values_list("name", flat=True) if plain(name) == wanted][:1]


def _vendor(card: ModelCard) -> str:
    """The known vendor whose name a card bears, unless it is that vendor's own; else ""."""
    submitter = submitter_of(card)
    if submitter and submitter.is_confirmed and submitter.is_maker:
        return ""
    maker = plain(card.organisation)
    words = {plain(word) for word in re.split(r"[\s/:_-]+", card.name)}
    for vendor in vendors():
        name = plain(vendor)
        if name and (name == maker or (len(name) >= SHORTEST and name in words)):
            return vendor
    return ""


def vendors() -> list[str]:
    """Who made the models that the benchmarks' own teams list."""
    published = ModelCard.objects.filter(entries__evidence=Evidence.PUBLISHED)
    return sorted(set(published.values_list("organisation", flat=True)))


def plain(name: str) -> str:
    """Letters and digits alone, without case, accents and width: what names are compared by."""
    apart = unicodedata.normalize("NFKD", name)
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return NOT_IN_NAMES.sub("", bare.casefold())
