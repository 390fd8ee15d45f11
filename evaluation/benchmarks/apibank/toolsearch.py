"""Finding a tool by keywords: a lexical index that always answers the same.

Each tool is a bag of its name's words (counted more often), its description's words, and the
letter groups in both, weighted by how rare they are among the tools; the closest bag wins, by
cosine. A caller may hand in an embedding instead, which then decides alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from evaluation.engine.types import JSON

Embedding = Callable[[Sequence[str]], Sequence[Sequence[float]]]
Bag = Counter[str]

WORD = re.compile(r"[a-z0-9]+")
NAME_WEIGHT = 4  # times a word of the name counts as much as one of the description
GROUP_WEIGHT = 0.4  # of a letter group against a whole word
GROUP = 4  # letters in a group
LONGEST_QUERY = 2000  # characters; the rest of a longer one is not read

# Common words for what tools do; none is about a single tool.
SYNONYMS = {
    "book": "add",
    "create": "add",
    "make": "add",
    "new": "add",
    "set": "add",
    "cancel": "delete",
    "cancellation": "delete",
    "remove": "delete",
    "change": "modify",
    "edit": "modify",
    "reschedule": "modify",
    "update": "modify",
    "check": "query",
    "find": "query",
    "look": "query",
    "retrieve": "query",
    "search": "query",
    "view": "query",
}
_FILLERS = "a an and api for from given in is it of or that the this to with"
COMMON = frozenset(_FILLERS.split())
ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s")


def split_name(name: str) -> str:
    """`QueryMeeting` as `query meeting`."""
    return re.sub(r"(?<!^)([A-Z])", r" \1", name).lower()


def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def bag_of(text: str) -> Bag:
    """Stems, with synonyms brought together, and letter groups of a text."""
    bag: Bag = Counter()
    for word in WORD.findall(text.lower()[:LONGEST_QUERY]):
        if word in COMMON:
            continue
        bag[stem(SYNONYMS.get(word, word))] += 1
        padded = f"^{word}$"
        for start in range(max(1, len(padded) - GROUP + 1)):
            bag[f"#{padded[start : start + GROUP]}"] += 1
    return bag


class ToolIndex:
    """The tools of a library by what they are about."""

    def __init__(
        self, tools: Mapping[str, Mapping[str, JSON]], embed: Embedding | None = None
    ) -> None:
        self.tools = {name: tool for name, tool in tools.items() if name != "ToolSearcher"}
        self._embed = embed
        names = list(self.tools)
        self._summaries = [split_name(name) + self.tools[name]["description"] for name in names]
        bags = [self._tool_bag(name) for name in names]
        spread = Counter(feature for bag in bags for feature in bag)
        self._rarity = {f: math.log((1 + len(bags)) / n) for f, n in spread.items()}
        self._vectors = {name: self._vector(bag) for name, bag in zip(names, bags, strict=True)}

    def _tool_bag(self, name: str) -> Bag:
        bag = bag_of(str(self.tools[name]["description"]))
        for feature, count in bag_of(split_name(name)).items():
            bag[feature] += NAME_WEIGHT * count
        return bag

    def _vector(self, bag: Bag) -> dict[str, float]:
        weights = {
            feature: (1 + math.log(count))
            * self._rarity.get(feature, 0.0)
            * (GROUP_WEIGHT if feature.startswith("#") else 1.0)
            for feature, count in bag.items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {feature: weight / length for feature, weight in weights.items()}

    def ranking(self, keywords: str) -> list[str]:
        """All tools that have anything in common with the keywords, best first."""
        if self._embed is not None:
            scores = self._embedded(keywords)
        else:
            query = self._vector(bag_of(keywords))
            scores = {
                name: sum(weight * vector.get(f, 0.0) for f, weight in query.items())
                for name, vector in self._vectors.items()
            }
        exact = "".join(WORD.findall(keywords.lower()))
        found = [name for name, score in scores.items() if score > 0]
        return sorted(found, key=lambda name: (name.lower() != exact, -scores[name], name))

    def _embedded(self, keywords: str) -> dict[str, float]:
        assert self._embed is not None
        query, *vectors = self._embed([keywords[:LONGEST_QUERY], *self._summaries])
        return {
            name: _cosine(query, vector) for name, vector in zip(self.tools, vectors, strict=True)
        }

    def search(self, keywords: str) -> JSON:
        """The best tool's description, after GetUserToken's where it takes a token; or None."""
        best = next(iter(self.ranking(keywords)), None)
        if best is None:
            return None
        tool = dict(self.tools[best])
        if "token" in tool["input_parameters"] and "GetUserToken" in self.tools:
            return [dict(self.tools["GetUserToken"]), tool]
        return tool


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    lengths = math.sqrt(sum(a * a for a in one)) * math.sqrt(sum(b * b for b in other))
    return product / lengths if lengths else 0.0


def found_name(answer: JSON) -> str | None:
    """The name of the tool that a search answered with."""
    tool = answer[-1] if isinstance(answer, list) and answer else answer
    return tool.get("name") if isinstance(tool, dict) else None
