"""How well a mention of the question fits a parameter: the words around it decide."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.reference.mentions import Mention
from evaluation.reference.schema import Parameter
from evaluation.reference.words import COMMON, Word, content_stems, stems_of

NEAR_BEFORE, NEAR_AFTER = 6, 3  # words around a mention that say what it is
PLACES = stems_of(
    "place city country state region county area street address venue province district"
)
PEOPLE = stems_of("people artist author director actor player user customer name team composer")
FROM = stems_of("from origin source start departure base old initial first")
TO = stems_of("to target end arrival new final second receiver")
IDENTIFIERS = stems_of("identifier code key reference isbn serial")
LINKS = stems_of("url link email mail path file uri website dataset")
COUNTS = stems_of("number limit top result max size quantity")
RATES = stems_of("rate percentage percent interest probability")
COORDINATES = stems_of("latitude longitude coordinate")
PREPOSITION = re.compile(
    r"\b(from|to|in|at|near|around|for|by|of|with|on|into|between|than)\s+(?:the\s+|a\s+|an\s+)?$"
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words of a question, to look around in."""

    question: str
    words: tuple[Word, ...]

    def around(self, mention: Mention) -> tuple[list[Word], list[Word]]:
        before = [word for word in self.words if word.end <= mention.start][-NEAR_BEFORE:]
        after = [word for word in self.words if word.start >= mention.end][:NEAR_AFTER]
        return before[::-1], after

    def preposition(self, mention: Mention) -> str:
        lead = self.question[max(0, mention.start - 20) : mention.start].lower()
        match = PREPOSITION.search(lead)
        return match[1] if match else ""


def nearness(parameter: Parameter, mention: Mention, place: Surroundings) -> float:
    """Points for words of the parameter close to the mention; closer words count more."""
    before, after = place.around(mention)
    points = 0.0
    for side, reach in ((before, NEAR_BEFORE), (after, NEAR_AFTER)):
        for distance, word in enumerate(side):
            weight = (reach - distance) / reach
            if word.stem in parameter.stems and word.text.lower() not in COMMON:
                points += 3.0 * weight
            elif word.stem in parameter.about:
                points += 1.2 * weight
    return points


def fits_number(parameter: Parameter, mention: Mention, place: Surroundings) -> float:
    points = 1.0 + nearness(parameter, mention, place)
    stems = set(parameter.stems)
    is_year = isinstance(mention.value, int) and 1500 <= mention.value <= 2100
    if "year" in stems and is_year and not mention.is_spelled:
        points += 3.0
    elif is_year and place.preposition(mention) in ("in", "for") and "year" not in parameter.about:
        points -= 0.5
    if mention.is_percent and stems & RATES:
        points += 2.0
    if mention.is_spelled:
        points -= 0.6
        points += 1.0 if stems & COUNTS else 0.0
    if re.search(
        rf"\b{re.escape(parameter.name)}\s*(=|is|of|:)\s*$", place.question[: mention.start]
    ):
        points += 6.0
    if stems & COORDINATES and len(mention.text.partition(".")[2]) > 2:
        points += 2.0
    return points + _unit_points(parameter, mention, place)


def _unit_points(parameter: Parameter, mention: Mention, place: Surroundings) -> float:
    """“5 years” fits what is about years."""
    _, after = place.around(mention)
    tied = "$€£₹" if mention.text[:1] in "$€£₹" else ""
    points = 1.5 if tied and (set(parameter.stems) | parameter.about) & MONEY else 0.0
    if after and after[0].start - mention.end <= 2:
        if after[0].stem in parameter.stems:
            points += 2.0
        elif after[0].stem in parameter.about:
            points += 1.5
    return points


MONEY = stems_of("price money dollar budget invest salary incom payment loan principal fee")
KIND_POINTS = {"quoted": 3.0, "name": 2.0, "code": 1.0, "link": 0.5, "phrase": 0.4, "example": 2.2}


def fits_text(parameter: Parameter, mention: Mention, place: Surroundings) -> float:
    points = KIND_POINTS.get(mention.kind, 0.0) + nearness(parameter, mention, place)
    stems, preposition = set(parameter.stems), place.preposition(mention)
    if mention.kind == "link":
        points += 5.0 if (stems | parameter.about) & LINKS else -2.0
    if mention.kind == "code":
        points += 2.5 if stems & IDENTIFIERS else -0.5
    if stems & FROM:
        points += 3.0 if preposition in ("from", "between") else 0.0
        points -= 2.0 if preposition == "to" else 0.0
    if stems & TO and not stems & FROM:
        points += 3.0 if preposition in ("to", "into") else 0.0
        points -= 2.0 if preposition == "from" else 0.0
    if mention.kind == "phrase" and content_stems(mention.text) <= stems:
        points -= 3.0  # it names the parameter, not its value
    return points + _role_points(stems, mention, preposition)


def _role_points(stems: set[str], mention: Mention, preposition: str) -> float:
    is_name = mention.kind == "name"
    if stems & PLACES and is_name:
        return 2.5 if preposition in ("in", "at", "near", "around", "to", "from", "for") else 0.3
    if stems & PEOPLE and is_name:
        return 1.0 if preposition in ("by", "of", "for", "with") else 0.0
    if stems & PLACES and mention.kind in ("phrase", "quoted"):
        return -1.0
    return 0.0
