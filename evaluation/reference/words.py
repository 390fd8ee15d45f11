"""Words, stems and identifiers: what two texts must share to be called alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

TOKEN = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SUFFIXES = ("ization", "ations", "ation", "ings", "ing", "ies", "ers", "ed", "er", "es", "ly", "s")
# Words that say how, not what: they make no two texts alike.
COMMON = frozenset(
    """a about above after all also am an and any are as at available be been before being between
    both but by can could default did do does doing each either else etc example find for format
    from function get give given had has have help her here him his how i if in include input into
    is it its just kindly know let like make me may might more most must my need no not note of on
    one only optional or other our out over parameter please program provide provided python return
    retrieve same see she should show so some specific specified specify string such syntax tell
    than that the their them then there these they this those through to type up use used using
    value want was we were what when where whether which while who whose why will with would yes
    you your""".split()  # noqa: SIM905
)
# Different words for what is mostly the same thing in a request.
SAME = {
    "cost": "price", "pricing": "price", "town": "city", "location": "place", "loc": "place",
    "movie": "film", "compute": "calculate", "calc": "calculate", "determine": "calculate",
    "search": "lookup", "locate": "lookup", "fetch": "lookup", "purchase": "buy", "num": "number",
    "count": "number", "amount": "number", "temp": "temperature", "photo": "image",
    "picture": "image", "song": "track", "reserve": "book", "reservation": "book",
    "schedule": "book", "vehicle": "car", "automobile": "car", "person": "people",
    "guest": "people", "begin": "start", "finish": "end", "destination": "to", "origin": "from",
    "id": "identifier", "lat": "latitude", "lon": "longitude", "lng": "longitude",
    "lawsuit": "case", "forecast": "weather", "mph": "speed", "velocity": "speed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question and where it stands."""

    text: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its grammar: lower case, common endings off, near-synonyms merged."""
    word = word.lower().replace("’s", "").replace("'s", "")
    if word in SAME:
        return SAME[word]
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
            word += "y" if suffix == "ies" else ""
            break
    word = word.removesuffix("e") if len(word) > 3 else word
    return SAME.get(word, word)


def words(text: str) -> list[Word]:
    return [
        Word(match[0], stem(match[0]), match.start(), match.end())
        for match in TOKEN.finditer(text)
    ]


@lru_cache(maxsize=5_000)
def name_stems(identifier: str) -> tuple[str, ...]:
    """The words an identifier is made of: `minRating`, `min_rating` and `min.rating` alike."""
    spaced = CAMEL.sub(" ", identifier).replace("_", " ").replace(".", " ").replace("-", " ")
    return tuple(stem(part) for part in TOKEN.findall(spaced))


@lru_cache(maxsize=5_000)
def content_stems(text: str) -> frozenset[str]:
    """The stems of a text that say what it is about."""
    found = (match[0] for match in TOKEN.finditer(text))
    return frozenset(stem(word) for word in found if word.lower() not in COMMON and len(word) > 1)


def stems_of(text: str) -> frozenset[str]:
    """The stems of a few words written down in code."""
    return frozenset(stem(word) for word in text.split())
