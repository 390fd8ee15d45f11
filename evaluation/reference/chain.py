"""Calls that follow from calls: a tool that was searched for, a value that a result has given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evaluation.reference.filling import Filler
from evaluation.reference.history import (
    Message,
    Step,
    all_said,
    facts,
    found_tools,
    question,
    results,
    since_asked,
)
from evaluation.reference.knowledge import Known
from evaluation.reference.model import CLAUSE, MAX_QUESTION, Call, overlap, telling
from evaluation.reference.schema import Tool
from evaluation.reference.words import COMMON, content_stems, stems_of, words

SEARCHES = stems_of("search find lookup retrieve discover")
TOOLS = stems_of("tool tools api apis function functions")
MOST_SEARCHES = 5  # for one request
LONGEST_SEARCH = 8  # words
ASIDE = re.compile(r"\([^()]{0,200}\)")  # values, mostly: nothing to search by
PART = re.compile(r",?\s+\band\b\s+(?:then\s+)?|[,;]\s+", re.IGNORECASE)


def finder_of(tools: Iterable[Tool]) -> Tool | None:
    """The tool that finds other tools by keywords, if there is one."""
    for tool in tools:
        named = set(tool.stems) | content_stems(tool.description)
        searches = {*tool.stems, *(word.stem for word in words(tool.description))} & SEARCHES
        texts = [one for one in tool.parameters if one.type == "string"]
        if named & TOOLS and searches and len(texts) == len(tool.parameters) == 1:
            return tool
    return None


def next_call(
    messages: Sequence[Message], tools: Sequence[Tool], done: Sequence[Step]
) -> Call | None:
    """What to call where tools have to be found first; None when nothing is left to do."""
    finder = finder_of(tools)
    if finder is None:
        return None
    said, known = all_said(messages), Known(facts(done), is_loose=True)
    for tool in waiting(tools, done):
        call = filled(tool, said, known)
        if call is not None:
            return call
    keywords = _keywords(question(messages), finder, since_asked(messages, done))
    return Call(finder.name, {finder.parameters[0].name: keywords}) if keywords else None


def waiting(tools: Sequence[Tool], done: Sequence[Step]) -> list[Tool]:
    """What searches have found and nobody has called since, the newest first."""
    offered = {tool.name: tool for tool in tools}
    left: list[Tool] = []
    called: set[str] = set()
    for step in reversed(done):
        left += [
            offered.get(tool.name, tool)
            for tool in reversed(found_tools(step))
            if tool.name not in called
        ]
        called.add(step.name)
    return left


def filled(tool: Tool, said: str, known: Known) -> Call | None:
    """A call of this tool with values that are known or were said; None if one is missing."""
    found = Filler(said[-MAX_QUESTION:], known).fill(tool)
    return None if found.missing else Call(tool.name, found.arguments)


def _keywords(request: str, finder: Tool, done: Sequence[Step]) -> str:
    """What to search for next: the first part of the request that no search was made for."""
    searched = [step for step in done if step.name == finder.name]
    if len(searched) >= MOST_SEARCHES:
        return ""
    before = {str(value) for step in searched for value in step.arguments.values()}
    known = [tool for step in searched for tool in found_tools(step)]
    covered = {one for tool in known for one in (*tool.stems, *tool.about)}
    for part in _parts(request):
        kept = [
            word
            for word in words(part)
            if word.text.lower() not in COMMON and not word.text.isdecimal()
        ]
        new = [word for word in kept if word.stem not in covered]
        keywords = " ".join(word.text for word in kept[:LONGEST_SEARCH])
        if kept and 2 * len(new) > len(kept) and keywords not in before:
            return keywords
    return ""


def _parts(request: str) -> list[str]:
    lines = ASIDE.sub("", request[-MAX_QUESTION:]).splitlines()
    plain = "\n".join(" ".join(line.split()) for line in lines if line.strip())
    clauses = [part for clause in CLAUSE.split(plain) if clause for part in PART.split(clause)]
    return [part for part in clauses if part and part.strip()]


def follow_up(said: str, tools: Sequence[Tool], done: Sequence[Step]) -> Call | None:
    """A call that the last result makes possible: it gives a value that a tool was waiting for."""
    if not done:
        return None
    known, new = Known(facts(done), is_loose=True), results(done[-1:])
    told = telling(said)
    called = {step.name for step in done}
    for tool in sorted(tools, key=lambda one: -overlap(told, one, {})):
        needs = [one.name for one in tool.parameters if one.is_required]
        if tool.name in called or not set(needs) & set(new):
            continue
        call = filled(tool, said, known)
        if call is not None:
            return call
    return None
