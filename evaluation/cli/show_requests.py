"""`show_requests`: what would reach an endpoint, without asking any.

Prints one line for each request that a run would send if every reply were the text
`I am done.`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.lines import Output, as_line
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing, Suite
from evaluation.engine.play import (
    Ask,
    Fetch,
    Fetched,
    Play,
    Recall,
    Recalled,
    Reply,
    Step,
    WebResponse,
)
from evaluation.engine.types import JSON, Answer, CaseData, Mode, Question, Setup

EXIT_FAILED = 2
REPLY = "I am done."
_ANSWER = Answer(REPLY, {"role": "assistant", "content": REPLY})


def requests_of(play: Play) -> Iterator[Question]:
    """Every question of a play whose answers are all the same text."""
    try:
        step = next(play)
        while True:
            if isinstance(step, Ask):
                yield step.question
            step = play.send(_reply_to(step))
    except StopIteration:
        return


def _reply_to(step: Step) -> Reply:
    if isinstance(step, Recall):
        return Recalled(None)
    if isinstance(step, Fetch):
        return Fetched(tuple(WebResponse(0, trouble="nothing is fetched") for _ in step.requests))
    return _ANSWER if isinstance(step, Ask) else ()


def entry_of(case: CaseData, question: Question) -> dict[str, JSON]:
    entry: dict[str, JSON] = {
        "id": case.id,
        "turn": question.turn,
        "messages": list(question.messages),
    }
    if question.tools is not None:
        entry["tools"] = list(question.tools)
    return entry


def cases_of(suite: Suite, category: str) -> Iterator[CaseData]:
    """A category's cases in dataset order, after the conversations that they build on."""
    for chain in suite.chains(category):
        yield from chain.prerequisites
    yield from suite.cases(category)


def add_arguments(parser: Any) -> None:
    """Declare the command's arguments on an argparse parser."""
    parser.add_argument("--mode", required=True, choices=[mode.value for mode in Mode])
    parser.add_argument(
        "--underscore",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="send dots in tool names as underscores (the default in FC mode; not for prompts)",
    )
    parser.add_argument(
        "--category",
        nargs="+",
        action="extend",
        default=[],
        metavar="C",
        help="one or more; may be given repeatedly",
    )
    parser.add_argument(
        "--benchmark", default=SUITES[0].slug, choices=[suite.slug for suite in SUITES]
    )


def main(argv: Sequence[str]) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="manage.py show_requests", description=__doc__)
    add_arguments(parser)
    return run(parser.parse_args(argv), sys.stdout, sys.stderr)


def run(options: argparse.Namespace, output: Output, errors: Output) -> int:
    """Print the requests asked for; returns the exit status."""
    suite = next(suite for suite in SUITES if suite.slug == options.benchmark)
    mode = Mode(options.mode)
    trouble = _trouble(suite, mode, options)
    if trouble:
        errors.write(f"{trouble}\n")
        return EXIT_FAILED
    is_fc = mode is Mode.FC
    setup = Setup(mode, is_fc if options.underscore is None else options.underscore)
    try:
        for category in _chosen(suite, mode, options.category):
            for case in cases_of(suite, category):
                for question in requests_of(suite.play(case, setup)):
                    output.write(as_line(entry_of(case, question)))
        output.flush()
    except BrokenPipeError:  # the reader has had enough
        return 0
    except (BenchmarkMissing, BenchmarkBroken) as error:
        errors.write(f"{error}\n")
        return EXIT_FAILED
    return 0


def _chosen(suite: Suite, mode: Mode, wanted: Sequence[str]) -> list[str]:
    """The categories wanted, else those of a whole run, in the order of the benchmark."""
    leaves = (*suite.tree.leaves(), *suite.extras)
    if wanted:
        return [leaf.name for leaf in leaves if leaf.name in wanted]
    return [
        leaf.name
        for leaf in leaves
        if mode.value in leaf.modes and not leaf.is_extra and not leaf.unavailable
    ]


def _trouble(suite: Suite, mode: Mode, options: argparse.Namespace) -> str:
    """What is wrong with the options, in a sentence; empty if nothing is."""
    if mode is Mode.PROMPT and options.underscore:
        return "--underscore is for FC mode: a prompt holds names with their dots."
    leaves = {leaf.name: leaf for leaf in (*suite.tree.leaves(), *suite.extras)}
    for category in options.category:
        if category not in leaves:
            return f"There is no category {category!r}; there are {', '.join(leaves)}."
        if mode.value not in leaves[category].modes:
            return f"{category} is not asked in {mode.value} mode."
    return ""
