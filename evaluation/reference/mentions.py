"""What a question mentions that could be an argument: numbers, names, quotes, dates, lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from evaluation.reference.words import COMMON

UNITS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "mn": 1e6, "billion": 1e9,
         "bn": 1e9, "lakh": 1e5, "hundred": 1e2}  # fmt: skip
UNITS_IN_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty"""
SPELLED: dict[str, float] = {
    **{name: number for number, name in enumerate(UNITS_IN_WORDS.split())},
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "hundred": 100,
    "thousand": 1000,
    "dozen": 12,
    "half": 0.5,
    "twice": 2,
}
MONTHS = "january february march april may june july august september october november december"
MONTH_NAMES = MONTHS.split()
MONTH = "|".join([*MONTH_NAMES, *(name[:3] for name in MONTH_NAMES), "sept"])
NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>-)?[$€£₹]?\s?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|\.\d+)(?:e(?P<power>[+-]?\d+))?(?P<tail>\s?%|\s?percent|st\b|nd\b|rd\b|th\b"
    r"|\s?(?:thousand|million|billion|lakh)\b|[kK]\b|[mM]n?\b(?!\w))?",
)
SPELLED_NUMBER = re.compile(rf"\b({'|'.join(SPELLED)})\b", re.IGNORECASE)
QUOTED = re.compile(
    r"\"([^\"\n]{1,300})\"|“([^”]{1,300})”|(?<!\w)'([^'\n]{1,200}(?:'[a-z][^'\n]{0,100})?)'(?!\w)"
    r"|`([^`]{1,300})`|‘([^’]{1,200})’"
)
NAME = re.compile(
    r"\b(?:(?:St|Dr|Mr|Mrs|Ms|Mt)\.\s)?[A-ZÀ-Þ][\w’'&+-]*(?:\.\w+)*"
    r"(?:(?:\s+(?:of|the|de|la|le|du|von|van|and the|&)\s+|\s+)"
    r"(?:[A-ZÀ-Þ][\w’'&+-]*|\d{1,4}(?![\w%,.]*\d)))*"
)
PLACE_TAIL = re.compile(r",\s+(?:[A-Z]{2,3}\b|[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)")
CODE = re.compile(
    r"\b(?!\d+[a-zA-Z]{1,5}\b)(?=\w*\d)(?=\w*[A-Za-z])[\w-]{3,}\b|\b[a-z]+(?:_[a-z0-9]+)+\b"
)
LINK = re.compile(
    r"\b(?:https?://|www\.)\S+[\w/]|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]+\w|(?:[A-Za-z]:)?[/\\][\w./\\-]+"
)
LIST = re.compile(r"[\[({]\s*([^\[\](){}]{1,2000})\s*[\])}]")
NESTED_LIST = re.compile(r"\[\s*(?:\[[^\[\]]*\]\s*,?\s*)+\]")
DATE = re.compile(
    rf"\b(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})\b"
    rf"|\b({MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?:of\s+)?(\d{{4}}))?\b"
    rf"|\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({MONTH})\.?,?(?:\s+(\d{{4}}))?\b"
    rf"|\b(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})\b",
    re.IGNORECASE,
)
TIME = re.compile(
    r"\b(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap])\.?m\b\.?|\b(\d{1,2}):(\d{2})(?::(\d{2}))?\b",
    re.IGNORECASE,
)
OPENERS = frozenset(
    """book calculate can compare compute convert could create determine do does draw estimate
    evaluate explain fetch find generate get give help hey hi how i i'd i'm if is let's list look
    make order play please predict provide recommend retrieve schedule search send set show solve
    tell the translate update use want what what's when where which who who's will would you add
    also and then next finally first second third are analyze check identify my in on for from
    it's check delete need analyse plan buy""".split()  # noqa: SIM905
)
PHRASE = re.compile(
    r"\b(?:for|of|about|on|with|named|called|by|using|in|as|a|an|the)\s+"
    r"(?!the\b|a\b|an\b|my\b|this\b)([a-z][\w-]*(?:\s+[a-z][\w-]*){0,2})"
)
PHRASE_ENDS = frozenset(
    """a an and are at but by for from given has have having in into is it of on or that the then
    to using when where which while who with without per between during if as please using over
    after before""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something in the question that could be an argument."""

    kind: str  # number, quoted, name, code, link, list, date, time
    value: Any
    start: int
    end: int
    text: str = ""
    is_percent: bool = False
    is_spelled: bool = False


@dataclass(frozen=True, slots=True)
class Mentions:
    """All mentions of a question by kind, in the order of the text."""

    numbers: tuple[Mention, ...]
    texts: tuple[Mention, ...]  # quoted, names, codes, links
    lists: tuple[Mention, ...]
    dates: tuple[Mention, ...]
    times: tuple[Mention, ...]


MAX_MENTIONS = 60  # of a kind; each is weighed against every parameter


def find_mentions(question: str) -> Mentions:
    lists = tuple(_lists(question))
    dates = tuple(_dates(question))
    times = tuple(_times(question))
    quotes = tuple(_quotes(question))
    links = tuple(_matches(LINK, "link", question))
    taken = [*lists, *quotes, *links]
    names = _outside(_names(question), [*quotes, *links, *dates])
    codes = _outside(_matches(CODE, "code", question), [*taken, *dates, *times])
    texts = sorted([*quotes, *links, *names, *codes], key=lambda mention: mention.start)
    numbers = _outside(_numbers(question), [*lists, *links, *dates, *times, *codes])
    numbers, texts = numbers[:MAX_MENTIONS], texts[:MAX_MENTIONS]
    return Mentions(numbers, tuple(texts), lists, dates, times)


def _outside(found: Iterator[Mention], taken: list[Mention]) -> tuple[Mention, ...]:
    """Those that do not lie within something already found."""
    spans = [(mention.start, mention.end) for mention in taken]
    return tuple(
        mention
        for mention in found
        if not any(start <= mention.start and mention.end <= end for start, end in spans)
    )


def _matches(pattern: re.Pattern[str], kind: str, question: str) -> Iterator[Mention]:
    for match in pattern.finditer(question):
        yield Mention(kind, match[0], match.start(), match.end(), match[0])


def _quotes(question: str) -> Iterator[Mention]:
    whole = len(question.strip())
    for match in QUOTED.finditer(question):
        text = next(group for group in match.groups() if group is not None)
        if len(match[0]) < 0.9 * whole and text.strip():
            yield Mention("quoted", text.strip(" ,.") or text, match.start(), match.end(), text)


def _names(question: str) -> Iterator[Mention]:
    for match in NAME.finditer(question):
        text, start = match[0], match.start()
        while text:  # an opening verb is no part of a name
            first, _, rest = text.partition(" ")
            if first.lower().strip(".'’") not in OPENERS and first.lower() not in COMMON:
                break
            start += len(text) - len(rest) if rest else 0
            text = rest
        text = text.rstrip(".'’").removesuffix("'s").removesuffix("’s")
        if len(text) > 1:
            end = start + len(text)
            tail = PLACE_TAIL.match(question, end)
            yield Mention("name", text, start, end, text + (tail[0] if tail else ""))


def _numbers(question: str) -> Iterator[Mention]:
    found = list(_digits(question)) + list(_spelled(question))
    yield from sorted(found, key=lambda mention: mention.start)


def _digits(question: str) -> Iterator[Mention]:
    for match in NUMBER.finditer(question):
        tail = (match["tail"] or "").strip().lower()
        written = match["digits"].replace(",", "") + f"e{match['power'] or 0}"
        value = float(written) * UNITS.get(tail, 1.0)
        if not isfinite(value):
            continue
        if match["sign"] and not re.search(r"\w\s?$", question[: match.start()]):
            value = -value
        whole = int(value) if value.is_integer() else value
        is_percent = tail in ("%", "percent")
        yield Mention("number", whole, match.start(), match.end(), match[0], is_percent)


def _spelled(question: str) -> Iterator[Mention]:
    for match in SPELLED_NUMBER.finditer(question):
        value = SPELLED[match[0].lower()]
        yield Mention("number", value, match.start(), match.end(), match[0], is_spelled=True)


def _lists(question: str) -> Iterator[Mention]:
    nested = list(NESTED_LIST.finditer(question))
    for match in nested:
        try:
            yield Mention("list", json.loads(match[0]), match.start(), match.end(), match[0])
        except (ValueError, RecursionError):
            continue
    spans = [match.span() for match in nested]
    for match in LIST.finditer(question):
        if any(start <= match.start() and match.end() <= end for start, end in spans):
            continue
        items = [_item(part) for part in re.split(r"\s*,\s*", match[1].strip())]
        if match[0][0] == "[" or (
            len(items) > 1 and all(isinstance(i, (int, float)) for i in items)
        ):
            yield Mention("list", items, match.start(), match.end(), match[0])


def _item(text: str) -> Any:
    text = text.strip()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip("'\"“”‘’")


def _dates(question: str) -> Iterator[Mention]:
    for match in DATE.finditer(question):
        groups = match.groups()
        if groups[0]:
            year, month, day = (int(part) for part in groups[:3])
        elif groups[3]:
            year, month, day = int(groups[5] or 0), _month(groups[3]), int(groups[4])
        elif groups[7]:
            year, month, day = int(groups[8] or 0), _month(groups[7]), int(groups[6])
        else:
            month, day, year = (int(part) for part in groups[9:12])
            month, day = (day, month) if month > 12 else (month, day)
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield Mention("date", (year, month, day), match.start(), match.end(), match[0])


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTH_NAMES, 1) if month[:3] == name.lower()[:3])


def _times(question: str) -> Iterator[Mention]:
    for match in TIME.finditer(question):
        groups = match.groups()
        hour = int(groups[0] or groups[4])
        minute = int(groups[1] or groups[5] or 0)
        if groups[3]:
            hour = hour % 12 + (12 if groups[3].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            yield Mention("time", (hour, minute), match.start(), match.end(), match[0])


def find_phrases(question: str) -> Iterator[Mention]:
    """Plain word groups after a preposition: “of water”, “for gluten-free recipes”."""
    for match in PHRASE.finditer(question):
        kept: list[str] = []
        for word in match[1].split():
            if word.lower() in PHRASE_ENDS:
                break
            kept.append(word)
        text = " ".join(kept)
        if text and text.lower() not in COMMON:
            start = match.start(1)
            yield Mention("phrase", text, start, start + len(text), text)
