"""Fills a tool's parameters from a question, each by its type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from evaluation.reference import moments
from evaluation.reference.fitting import PLACES, Surroundings, fits_number, fits_text
from evaluation.reference.knowledge import NOTHING, Known
from evaluation.reference.mentions import Mention, find_mentions, find_phrases
from evaluation.reference.schema import Parameter, Tool
from evaluation.reference.words import COMMON, content_stems, stem, stems_of, words

OPTIONAL_NUMBER = 3.2  # points from which an optional parameter is filled
OPTIONAL_TEXT = 4.2
NEGATIONS = ("not", "no", "without", "don't", "dont", "exclude", "excluding", "never", "disable")
EMPTY = stems_of("is include has with show")
SECRETS = stems_of("token")
STATED = 6000  # characters in which a value may be given by a parameter's name


@dataclass(slots=True)
class Filled:
    """Arguments found, and how sure one can be that the tool is meant."""

    arguments: dict[str, Any]
    missing: int = 0  # required parameters that nothing was found for
    guessed: int = 0  # required parameters filled with a mere guess
    points: float = 0.0
    sources: dict[str, Mention] = field(default_factory=dict)  # where arguments came from


class Filler:
    """One question, ready to fill any tool's parameters."""

    def __init__(self, question: str, known: Known = NOTHING) -> None:
        self.question = question
        self.known = known
        self.lower = question.lower()
        self.words = tuple(words(question))
        self.stems = frozenset(word.stem for word in self.words)
        self.place = Surroundings(question, self.words)
        self.mentions = find_mentions(question)
        self.phrases = tuple(find_phrases(question))

    def fill(self, tool: Tool) -> Filled:
        return self._fill(tool.parameters, set(tool.stems))

    def _fill(self, parameters: tuple[Parameter, ...], tool_stems: set[str]) -> Filled:
        filled = Filled({})
        rest: list[Parameter] = []
        for parameter in parameters:
            if not self._fill_closed(parameter, filled):
                rest.append(parameter)
        numbers = [one for one in rest if one.type in ("integer", "number")]
        texts = [one for one in rest if one.type not in ("integer", "number")]
        self._assign(numbers, self.mentions.numbers, filled, fits_number, OPTIONAL_NUMBER)
        self._assign_texts(texts, tool_stems, filled)
        order = {parameter.name: n for n, parameter in enumerate(parameters)}
        filled.arguments = dict(sorted(filled.arguments.items(), key=lambda one: order[one[0]]))
        return filled

    def _fill_closed(self, parameter: Parameter, filled: Filled) -> bool:
        """Fill what needs no competition between parameters; False to leave it for later."""
        value = self.known.value_of(parameter)
        if value is None:
            value = self._stated(parameter)
        if value is not None or is_secret(parameter):
            self._settle(parameter, value, filled)
            return True
        return self._fill_by_type(parameter, filled)

    def _fill_by_type(self, parameter: Parameter, filled: Filled) -> bool:
        if parameter.type == "boolean":
            self._settle(parameter, self._boolean(parameter), filled)
        elif parameter.enum:
            self._settle(parameter, self._choice(parameter), filled)
        elif parameter.type == "array":
            self._settle(parameter, self._list(parameter), filled)
        elif parameter.type == "object":
            self._settle(parameter, self._object(parameter), filled)
        else:
            return self._fill_moment(parameter, filled)
        return True

    def _fill_moment(self, parameter: Parameter, filled: Filled) -> bool:
        if parameter.type != "string":
            return False
        if moments.FORMAT.search(parameter.description):
            self._settle(parameter, moments.whole(parameter, self.mentions), filled)
        elif _is_about(parameter, "date") and self.mentions.dates:
            self._settle(parameter, moments.date(parameter, self.mentions.dates), filled)
        elif _is_about(parameter, "time") and self.mentions.times:
            self._settle(parameter, moments.time(parameter, self.mentions.times), filled)
        else:
            return False
        return True

    def _settle(self, parameter: Parameter, value: Any, filled: Filled) -> None:
        if value is not None:
            filled.arguments[parameter.name] = value
            filled.points += 1.0
        elif parameter.is_required:
            filled.guessed += 1
            guess = _guess(parameter)
            if guess is None:
                filled.missing += 1
            else:
                filled.arguments[parameter.name] = guess

    def _boolean(self, parameter: Parameter) -> bool | None:
        telling = [one for one in parameter.stems if one not in EMPTY]
        hit = next((word for word in self.words if word.stem in telling), None)
        if hit is None:
            return None
        lead = self.lower[max(0, hit.start - 25) : hit.start]
        return not any(re.search(rf"\b{negation}\b", lead) for negation in NEGATIONS)

    def _choice(self, parameter: Parameter) -> Any:
        found = self._named(parameter.enum)
        return found[0] if found else None

    def _named(self, values: Iterable[Any]) -> list[Any]:
        """Those of the values that the question names, the most exactly named first."""
        ranked: list[tuple[float, int, Any]] = []
        for position, value in enumerate(values):
            text = str(value)
            stems = content_stems(text.replace("_", " ")) or {stem(text)}
            if re.search(rf"(?<!\w){re.escape(text.lower())}(?!\w)", self.lower):
                ranked.append((2.0 + len(text) / 100, -position, value))
            elif stems <= self.stems and len(text) > 1:
                ranked.append((1.0, -position, value))
        ranked.sort(key=lambda one: one[:2], reverse=True)
        return [value for _, _, value in ranked]

    def named_in_order(self, values: Iterable[Any]) -> list[Any]:
        """Those of the values that the question names word for word, in its order."""
        places = [(self.lower.find(str(value).lower()), value) for value in values]
        return [value for place, value in sorted(places, key=lambda one: one[0]) if place >= 0]

    def _list(self, parameter: Parameter) -> list[Any] | None:
        item = parameter.item
        if item is not None and item.enum:
            named = self._named(item.enum)
            return [value for value in item.enum if value in named] or None
        wants_number = item is not None and item.type in ("integer", "number")
        if self.mentions.lists:
            return self._best_list(parameter, wants_number)
        if wants_number:
            return self._number_run()
        if item is not None and item.type in ("object", "array"):
            return None
        return self._text_run(parameter)

    def _best_list(self, parameter: Parameter, wants_number: bool) -> list[Any] | None:
        def points(mention: Mention) -> float:
            numeric = all(isinstance(one, (int, float)) for one in mention.value)
            before = self.question[max(0, mention.start - 60) : mention.start]
            near = content_stems(before) & (set(parameter.stems) | parameter.about)
            return (2.0 if numeric == wants_number else 0.0) + len(near)

        best: list[Any] = max(self.mentions.lists, key=points).value
        return best

    def _number_run(self) -> list[Any] | None:
        """Numbers that follow one another: “2, 3 and 4”."""
        run: list[Mention] = []
        for mention in self.mentions.numbers:
            between = self.question[run[-1].end : mention.start] if run else ""
            if run and not re.fullmatch(r"\s*(,|and|,\s*and|°?\s*[NSEW]?,)\s*", between):
                if len(run) > 1:
                    break
                run = []
            run.append(mention)
        return [mention.value for mention in run] if len(run) > 1 else None

    def _text_run(self, parameter: Parameter) -> list[Any] | None:
        if parameter.examples and (named := self._named(parameter.examples)):
            return named
        best = sorted(self.mentions.texts, key=lambda one: -fits_text(parameter, one, self.place))
        if not best:
            return None
        run = [best[0]]
        for mention in self.mentions.texts:
            between = self.question[run[-1].end : mention.start]
            if mention.start > run[-1].end and re.fullmatch(r"\W*(and|or|&)?\W*", between):
                run.append(mention)
        is_named = fits_text(parameter, best[0], self.place) >= OPTIONAL_TEXT
        return [one.value for one in run] if parameter.is_required or is_named else None

    def _object(self, parameter: Parameter) -> dict[str, Any] | None:
        inner = self._fill(parameter.members, set(parameter.stems))
        return inner.arguments or None

    def _stated(self, parameter: Parameter) -> str | None:
        """A word that the question itself gives by the parameter's name: “username is ann”."""
        if parameter.type != "string" or moments.FORMAT.search(parameter.description):
            return None
        name = r"[\s_]?".join(map(re.escape, re.split(r"[\s_]+", parameter.name.lower())))
        match = re.search(
            rf"(?<!\w){name}(?: is|:| =) ([a-z\d@][\w@.+-]*)", self.question[:STATED]
        )
        word = match[1].rstrip(".") if match else ""
        return word if word and word not in COMMON else None

    def _assign_texts(
        self, parameters: list[Parameter], tool_stems: set[str], filled: Filled
    ) -> None:
        examples = {parameter.name: self._example(parameter) for parameter in parameters}
        open_ones = []
        for parameter in parameters:
            found = examples[parameter.name]
            if found is not None and parameter.stems[-1:] != ("name",):
                self._settle(parameter, found, filled)
            else:
                open_ones.append(parameter)
        phrases = [one for one in self.phrases if one.kind == "phrase"]
        self._assign(open_ones, (*self.mentions.texts, *phrases), filled, fits_text, OPTIONAL_TEXT)

    def _example(self, parameter: Parameter) -> Any:
        """A value that the description gives as an example and the question uses."""
        lowered = [one for one in parameter.examples if one.lower() not in COMMON]
        found = [
            one
            for one in lowered
            if re.search(rf"(?<!\w){re.escape(one.lower())}(?!\w)", self.lower)
            and stem(one) not in parameter.stems
        ]
        if not found or set(parameter.stems) & PLACES:
            return None
        return max(found, key=len)

    def _assign(
        self,
        parameters: list[Parameter],
        mentions: tuple[Mention, ...],
        filled: Filled,
        fits: Any,
        threshold: float,
    ) -> None:
        """Give each parameter the mention that fits best, the best pair first."""
        pairs = [
            (fits(parameter, mention, self.place), -p, -m, parameter, mention)
            for p, parameter in enumerate(parameters)
            for m, mention in enumerate(mentions)
        ]
        pairs.sort(key=lambda pair: pair[:3], reverse=True)
        given: set[str] = set()
        spans: list[tuple[int, int]] = []
        for points, _, _, parameter, mention in pairs:
            is_taken = any(mention.start < end and start < mention.end for start, end in spans)
            if parameter.name in given or is_taken:
                continue
            if not parameter.is_required and points < threshold:
                continue
            if points <= 0:
                continue
            given.add(parameter.name)
            spans.append((mention.start, mention.end))
            filled.arguments[parameter.name] = written(parameter, mention)
            filled.sources[parameter.name] = mention
            filled.points += min(points, 6.0) / 3.0
        for parameter in parameters:
            if parameter.name not in given:
                self._settle(parameter, None, filled)


def is_secret(parameter: Parameter) -> bool:
    """Whether only another tool can give it: nobody says a token."""
    return bool(SECRETS & set(parameter.stems)) and parameter.type == "string"


def _is_about(parameter: Parameter, what: str) -> bool:
    return stem(what) in parameter.stems or (
        stem(what) in parameter.about and bool(re.search(r"yyyy|hh:", parameter.description, re.I))
    )


def written(parameter: Parameter, mention: Mention) -> Any:
    """A mention as the parameter wants it written."""
    value = mention.value
    if mention.kind == "number":
        if mention.is_percent and parameter.type == "number":
            wants_percent = re.search(r"percent(age)?\b|%", parameter.description, re.I)
            return value if wants_percent else round(value / 100, 10)
        if parameter.type == "integer":
            return int(value) if float(value).is_integer() else value
        return value
    wants_whole = set(parameter.stems) & PLACES and re.search(
        r"city,\s*(state|country)", parameter.description, re.I
    )
    return mention.text if mention.kind == "name" and wants_whole else value


def _guess(parameter: Parameter) -> Any:
    """What a required parameter gets when the question says nothing about it."""
    if parameter.default is not None:
        return parameter.default
    if parameter.type == "boolean":
        return True
    if parameter.enum:
        return parameter.enum[0]
    if parameter.type == "object":
        return {}
    return None
