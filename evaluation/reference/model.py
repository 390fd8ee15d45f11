"""The heuristic that answers: picks tools by word overlap, and abstains when nothing fits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.reference.filling import Filled, Filler, is_secret
from evaluation.reference.knowledge import NOTHING, Known
from evaluation.reference.schema import Tool
from evaluation.reference.spreading import spread
from evaluation.reference.words import COMMON, words

ENOUGH = 0.18  # share of a question's telling words that a tool must explain
MISSING = 0.6  # what a tool's points shrink to when a required parameter finds nothing
FILLED = 3  # tools whose parameters are tried, the most similar first
VERB = 0.1
MAX_CALLS = 8
MAX_QUESTION = 6000  # characters that are looked at, from the end
CLAUSE = re.compile(
    r"(?<=[.?!;])\s+|,?\s+(?:and then|then|after that|also|additionally|furthermore|finally"
    r"|secondly|thirdly|lastly|as well as)\b,?\s*|\n+"
    r"|,\s+and\s+(?=(?:also\s+)?[a-z]+\s+(?:the|a|me|for)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    filler: Filler
    tool: Tool
    filled: Filled
    points: float


def answer(question: str, tools: list[Tool], known: Known = NOTHING) -> list[Call]:
    """The calls a question seems to ask for; none when no tool fits.

    `known` are values that earlier results gave.
    """
    question = question[-MAX_QUESTION:]
    if not tools or not question.strip():
        return []
    rarity = _rarity(tools)
    best = _best(Filler(question, known), tools, rarity)
    if best is None:
        return []
    calls = _by_clause(best.filler, tools, rarity)
    whole = _spread(best)
    return calls if len(calls) > len(whole) else whole


def _rarity(tools: list[Tool]) -> dict[str, float]:
    """How telling a stem is: one that all tools share tells nothing about which is meant."""
    seen: dict[str, int] = {}
    for tool in tools:
        for one in tool.about | set(tool.stems):
            seen[one] = seen.get(one, 0) + 1
    return {one: 1.0 / count for one, count in seen.items()}


def _best(filler: Filler, tools: list[Tool], rarity: dict[str, float]) -> Candidate | None:
    told = telling(filler.question)
    ranked = sorted(tools, key=lambda tool: -overlap(told, tool, rarity))
    candidates = [_candidate(filler, told, tool, rarity) for tool in ranked[:FILLED]]
    # Verbs such as “find” say little, but they tell apart what is otherwise alike.
    best = max(
        candidates,
        key=lambda one: one.points + VERB * len(filler.stems & set(one.tool.stems)),
    )
    if best.points < ENOUGH:
        return None
    return _giver(best, tools) if best.filled.missing else best


def _giver(best: Candidate, tools: list[Tool]) -> Candidate | None:
    """The tool that gives what only a tool can give, where nothing else was missing too."""
    secrets = [one for one in best.tool.parameters if is_secret(one) and one.is_required]
    if len(secrets) != 1 or best.filled.missing > 1:
        return None
    for tool in tools:
        if set(secrets[0].stems) <= set(tool.stems) and not any(map(is_secret, tool.parameters)):
            filled = best.filler.fill(tool)
            return None if filled.missing else Candidate(best.filler, tool, filled, best.points)
    return None


def telling(question: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(question) if word.text.lower() not in COMMON)


def _candidate(
    filler: Filler, told: frozenset[str], tool: Tool, rarity: dict[str, float]
) -> Candidate:
    filled = filler.fill(tool)
    points = overlap(told, tool, rarity) * (MISSING if filled.missing else 1.0)
    return Candidate(filler, tool, filled, points)


def overlap(told: frozenset[str], tool: Tool, rarity: Mapping[str, float]) -> float:
    """How much of what a question tells the tool explains, about 0 to 2."""
    name = set(tool.stems)
    named = sum(rarity.get(one, 1.0) for one in told & name)
    described = sum(rarity.get(one, 1.0) for one in told & (tool.about - name))
    inside = len(told & tool.inside)
    points = 2.0 * named + described + 0.4 * inside
    return points / (3.0 + 0.3 * len(told))


def _by_clause(whole: Filler, tools: list[Tool], rarity: dict[str, float]) -> list[Call]:
    """A call for each clause that names a task of its own."""
    clauses = [part for part in CLAUSE.split(whole.question) if part and len(part.split()) >= 3]
    if not 1 < len(clauses) <= 3 * MAX_CALLS:
        return []
    calls: list[Call] = []
    for clause in clauses:
        best = _best(Filler(clause, whole.known), tools, rarity)
        if best is None or best.filled.points <= 0 or best.filled.guessed:
            continue
        for call in _spread(best):
            _add(calls, call)
    return calls[:MAX_CALLS]


def _add(calls: list[Call], call: Call) -> None:
    """Add a call, unless it only tells more about the one before it."""
    last = calls[-1] if calls else None
    if last is not None and last.name == call.name:
        shared = last.arguments.keys() & call.arguments.keys()
        if all(last.arguments[name] == call.arguments[name] for name in shared):
            calls[-1] = Call(call.name, last.arguments | call.arguments)
            return
    if call not in calls:
        calls.append(call)


def _spread(best: Candidate) -> list[Call]:
    rows = spread(best.filler, best.tool, best.filled)
    return [Call(best.tool.name, arguments) for arguments in rows]


def calls_as_text(calls: list[Call]) -> str:
    """Calls in the form that prompt mode demands: `[name(parameter=value)]`."""
    return "[" + ", ".join(_call_text(call) for call in calls) + "]"


def _call_text(call: Call) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"
