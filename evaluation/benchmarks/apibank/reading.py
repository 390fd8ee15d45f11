"""Finding the call in a model's text, in the published way and in a careful one.

The published way takes the first `[Name(…)]` on one line and picks `key=value` pairs by a loose
pattern: a quoted value ends at the next quote of either kind, positional values are lost, two
calls in one bracket run together. The careful way reads the bracket as a list of calls and only
falls back to looser rules where quotes are nested.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.engine.types import JSON

LONGEST_CALL = 20_000  # characters; longer texts are no call
DEEPEST = 12  # nested lists and dictionaries

OPENING = re.compile(r"\[(\w+)\(")
CLOSING = ")]"
# Keys start where words start, so that long words are not tried from every letter.
LOOSE_PAIR = re.compile(
    r"""(?<!\w)(?:(?P<key1>\w+)\s*=\s*['"](?P<quoted>.+?)['"]"""
    r"""|(?P<key2>\w+)\s*=\s*(?P<listed>\[.*\])"""
    r"""|(?P<key3>\w+)\s*=\s*(?P<word>\w+))"""
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call as written: a tool's name and its values by key, as text or native JSON."""

    name: str
    values: dict[str, JSON]


class Unreadable(Exception):
    """The text is meant as a call, but cannot be read as one."""


@dataclass(frozen=True, slots=True)
class _Bracket:
    name: str
    inside: str

    @property
    def text(self) -> str:
        return f"[{self.name}({self.inside}{CLOSING}"


def _bracket(text: str) -> _Bracket | None:
    """The first `[Name(` that a `)]` follows on its line, up to the last of those."""
    for line in text[:LONGEST_CALL].split("\n"):
        end = line.rfind(CLOSING)
        opening = OPENING.search(line, 0, max(end, 0))
        if opening is not None:
            return _Bracket(opening.group(1), line[opening.end() : end])
    return None


def read_loosely(text: str) -> Call | None:
    """The call as the published evaluator reads it; None when there is none."""
    found = _bracket(text)
    return None if found is None else _loose_call(found)


def _loose_call(found: _Bracket) -> Call:
    values: dict[str, JSON] = {}
    for pair in LOOSE_PAIR.finditer(found.inside):
        for key, value in (("key1", "quoted"), ("key2", "listed"), ("key3", "word")):
            if pair.group(key):
                values[pair.group(key)] = pair.group(value)
    return Call(found.name, values)


def read_carefully(text: str) -> list[Call]:
    """Every call of the first bracket; empty when there is no bracket."""
    found = _bracket(text)
    if found is None:
        return []
    for attempt in (_strictly, _by_boundary):
        try:
            return attempt(found)
        except Unreadable:
            continue
    return [_loose_call(found)]


def _strictly(found: _Bracket) -> list[Call]:
    return _Scanner(found.text).calls()


def _by_boundary(found: _Bracket) -> list[Call]:
    first, *others = NEXT_CALL.split(found.inside)
    insides = [(found.name, first), *zip(others[::2], others[1::2], strict=True)]
    return [Call(name, _pairs_by_boundary(inside)) for name, inside in insides]


NEXT_CALL = re.compile(r"(?<=['\"])\)\s*,\s*(\w+)\(")  # where one call ends and another begins
BOUNDARY = re.compile(r"(?<!\s)\s*(?:,\s*(?=\w+\s*=)|$)")
KEY = re.compile(r"\s*(\w+)\s*=\s*")


def _pairs_by_boundary(text: str) -> dict[str, JSON]:
    """Pairs whose values may hold quotes: a value ends where the next `key=` begins."""
    values: dict[str, JSON] = {}
    at = 0
    while at < len(text):
        key = KEY.match(text, at)
        if key is None:
            raise Unreadable(f"there is no parameter name at {text[at : at + 20]!r}")
        value, at = _value_to_boundary(text, key.end())
        values[key.group(1)] = value
    return values


def _value_to_boundary(text: str, start: int) -> tuple[str, int]:
    quote = text[start : start + 1]
    for edge in BOUNDARY.finditer(text, start):
        value = text[start : edge.start()]
        if quote not in ("'", '"'):
            return value, edge.end()
        if len(value) > 1 and value.endswith(quote):
            return value[1:-1], edge.end()
    raise Unreadable("a quotation is not closed")


BARE = re.compile(r"[^,()\[\]{}'\"=:]+")
NAME = re.compile(r"\w+")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class _Scanner:
    """Reads `[Name(key=value, …), …]`. Every scalar stays text; lists and dictionaries nest."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def calls(self) -> list[Call]:
        self._take("[")
        calls = [self._call()]
        while self._see(","):
            calls.append(self._call())
        self._take("]")
        if self.at != len(self.text):
            raise Unreadable("there is something behind the bracket")
        return calls

    def _call(self) -> Call:
        name = self._match(NAME)
        self._take("(")
        values: dict[str, JSON] = {}
        while not self._see(")"):
            if values:
                self._take(",")
            key = self._match(NAME)
            self._take("=")
            values[key] = self._value(0)
        return Call(name, values)

    def _value(self, depth: int) -> JSON:
        if depth > DEEPEST:
            raise Unreadable("values are nested too deeply")
        self._skip()
        opener = self.text[self.at : self.at + 1]
        if opener in ("'", '"'):
            return self._quoted(opener)
        if opener == "[":
            return self._list(depth)
        if opener == "{":
            return self._dictionary(depth)
        return self._match(BARE).strip()

    def _list(self, depth: int) -> list[JSON]:
        self._take("[")
        items: list[JSON] = []
        while not self._see("]"):
            if items:
                self._take(",")
            items.append(self._value(depth + 1))
        return items

    def _dictionary(self, depth: int) -> dict[str, JSON]:
        self._take("{")
        entries: dict[str, JSON] = {}
        while not self._see("}"):
            if entries:
                self._take(",")
            key = str(self._value(depth + 1))
            self._take(":")
            entries[key] = self._value(depth + 1)
        return entries

    def _quoted(self, quote: str) -> str:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != quote:
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise Unreadable("a quotation is not closed")
        value = self.text[self.at + 1 : end]
        self.at = end + 1
        return ESCAPED.sub(lambda pair: {"n": "\n", "t": "\t"}.get(pair[1], pair[1]), value)

    def _skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _see(self, sign: str) -> bool:
        self._skip()
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def _take(self, sign: str) -> None:
        if not self._see(sign):
            raise Unreadable(f"{sign!r} is missing at {self.text[self.at : self.at + 20]!r}")

    def _match(self, pattern: re.Pattern[str]) -> str:
        self._skip()
        found = pattern.match(self.text, self.at)
        if found is None:
            raise Unreadable(f"a value is missing at {self.text[self.at : self.at + 20]!r}")
        self.at = found.end()
        return found.group()


def read_list(text: str) -> list[JSON]:
    """A list written as text, e.g. `['Mary', 'Peter']`. Raises Unreadable."""
    scanner = _Scanner(text[:LONGEST_CALL].strip())
    items = scanner._list(0)
    if scanner.at != len(scanner.text):
        raise Unreadable("there is something behind the list")
    return items
