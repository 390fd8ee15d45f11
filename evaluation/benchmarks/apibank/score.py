"""Judging calls from a file, without a database: one line in, one line out."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from evaluation.benchmarks.apibank import repaired, upstream
from evaluation.benchmarks.apibank.corpus import Corpus, GoldCall, read_corpus
from evaluation.benchmarks.apibank.install import data_folder
from evaluation.benchmarks.apibank.judging import as_text
from evaluation.benchmarks.apibank.searching import OPTION, chosen, embedding
from evaluation.benchmarks.apibank.toolsearch import Embedding, ToolIndex
from evaluation.benchmarks.apibank.verdicts import PROFILES, REPAIRED, UPSTREAM, CallVerdict
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.engine.types import JSON

LONGEST_LINE = 4 * 1024**2  # characters


class BadLine(Exception):
    """A line that asks for nothing that can be judged."""


class Scorer:
    """Judges calls of one corpus in one profile."""

    def __init__(
        self, corpus: Corpus, profile: str = REPAIRED, embed: Embedding | None = None
    ) -> None:
        self._corpus = corpus
        self._judge: Callable[[GoldCall, JSON], CallVerdict] = (
            self._upstream if profile == UPSTREAM else self._repaired
        )
        self._chains: dict[str, list[GoldCall]] = {}
        self._searches: dict[int, repaired.RecordedSearch] = {}
        for level, group in ((1, "dialogue"), (2, "dialogue"), (3, "planning")):
            calls = tuple(corpus.calls(level))
            index = ToolIndex(corpus.descriptions[group], embed)
            self._searches[level] = repaired.RecordedSearch(index, calls)
            for call in calls:
                self._chains.setdefault(call.sample, []).append(call)

    def gold(self, sample: str, turn: int, index: int) -> GoldCall:
        """The call that is due at a place. Raises BadLine."""
        for call in self._chains.get(str(sample), ()):
            if call.turn == turn and call.index == index:
                return call
        raise BadLine(f"there is no call {index} at turn {turn} of {sample}")

    def judge(self, gold: GoldCall, result: JSON) -> CallVerdict:
        """The verdict on a text, or on a list of calls. Never raises on hostile results."""
        return self._judge(gold, result)

    def _upstream(self, gold: GoldCall, result: JSON) -> CallVerdict:
        return upstream.judge(gold, as_text(result), self._corpus.state(gold.level))

    def _repaired(self, gold: GoldCall, result: JSON) -> CallVerdict:
        state = self._corpus.state(gold.level)
        state.search = self._searches[gold.level]
        earlier = [call for call in self._chains[gold.sample] if call.turn < gold.turn]
        repaired.replay(earlier, state)
        return repaired.judge(gold, result, state)


def score_lines(lines: Iterator[str], scorer: Scorer) -> Iterator[dict[str, JSON]]:
    """`{"id", "valid", "error_class"}` for every line. Raises BadLine with the line's number."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
            gold = scorer.gold(row["sample"], row["turn"], row["call_index"])
        except BadLine as fault:
            raise BadLine(f"Line {number}: {fault}.") from None
        verdict = scorer.judge(gold, row["call"])
        yield {
            "id": row["id"],
            "valid": verdict.valid,
            "error_class": verdict.error_class.value,
        }


def _row(line: str) -> dict[str, JSON]:
    if len(line) > LONGEST_LINE:
        raise BadLine("it is too long")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise BadLine("it is no JSON") from None
    needed = {"id", "sample", "turn", "call_index", "call"}
    if not isinstance(row, dict) or not needed <= set(row):
        raise BadLine(f"it is no object with {', '.join(sorted(needed))}")
    return row


def main(argv: Sequence[str]) -> int:
    """Score a file of calls; 0 when every line was judged, 2 when something is wrong with it."""
    parser = argparse.ArgumentParser(
        prog="manage.py score --benchmark apibank", description="Judge calls of API-Bank."
    )
    parser.add_argument("--benchmark", choices=("apibank",), default="apibank")
    parser.add_argument("--profile", choices=PROFILES, default=REPAIRED)
    parser.add_argument("--source", type=Path, help="a checkout; default: the installed data")
    parser.add_argument("file", metavar="FILE", help="lines of calls, .gz too; -: standard input")
    given = parser.parse_args(argv)
    try:
        corpus = read_corpus(given.source or data_folder())
        scorer = Scorer(corpus, given.profile, embedding({OPTION: chosen()}))
        with _opened(given.file) as lines:
            for verdict in score_lines(iter(lines), scorer):
                sys.stdout.write(json.dumps(verdict) + "\n")
    except BrokenPipeError:  # the reader has had enough
        return 0
    except (BenchmarkMissing, BenchmarkBroken, BadLine, OSError, EOFError, ValueError) as trouble:
        sys.stderr.write(f"{trouble}\n")
        return 2
    return 0


def _opened(name: str) -> nullcontext[IO[str]] | IO[str]:
    if name == "-":
        return nullcontext(sys.stdin)
    if name.endswith(".gz"):
        return gzip.open(name, "rt", encoding="utf-8")
    return Path(name).open(encoding="utf-8")
