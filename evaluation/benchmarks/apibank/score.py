"""Judging calls from a file, without a database: one line in, one line out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from evaluation.benchmarks.apibank import repaired, upstream
from evaluation.benchmarks.apibank.corpus import Corpus, GoldCall, read_corpus
from evaluation.benchmarks.apibank.judging import as_text
from evaluation.benchmarks.apibank.place import data_folder
from evaluation.benchmarks.apibank.searching import OPTION, chosen, embedding
from evaluation.benchmarks.apibank.toolsearch import Embedding, ToolIndex
from evaluation.benchmarks.apibank.verdicts import PROFILES, REPAIRED, UPSTREAM, CallVerdict
from evaluation.benchmarks.lines import Malformed, Unreadable, as_line, lines_of, object_in
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.engine.types import JSON

MOST_SAID = 200  # characters of a place that is not there
NEEDED = ("id", "sample", "turn", "call_index", "call")


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
        """The call that is due at a place. Raises Malformed."""
        for call in self._chains.get(str(sample), ()):
            if (call.turn, call.index) == (turn, index):
                return call
        place = f"call {index!r} at turn {turn!r} of {sample!r}"
        raise Malformed(f"there is no {place[:MOST_SAID]}")

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


def score_lines(lines: Iterable[bytes], scorer: Scorer) -> Iterator[dict[str, JSON]]:
    """`{"id", "valid", "error_class"}` for every line, in order.

    A line that asks for nothing that can be judged has neither, and an `error` that says why.
    """
    for line in lines:
        row: dict[str, JSON] = {}
        try:
            row = object_in(line)
            verdict = _verdict(row, scorer)
        except Malformed as fault:
            failure = {"id": row.get("id"), "valid": None, "error_class": None}
            yield {**failure, "error": str(fault)}
        else:
            yield {
                "id": row["id"],
                "valid": verdict.valid,
                "error_class": verdict.error_class.value,
            }


def _verdict(row: Mapping[str, JSON], scorer: Scorer) -> CallVerdict:
    """Raises Malformed."""
    lacking = [name for name in NEEDED if name not in row]
    if lacking:
        raise Malformed(f"the line has no {', '.join(lacking)}")
    gold = scorer.gold(row["sample"], row["turn"], row["call_index"])
    return scorer.judge(gold, row["call"])


def main(argv: Sequence[str]) -> int:
    """Score a file of calls; 0 when it was read to its end, 2 when something is wrong with it."""
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
        for verdict in score_lines(lines_of(given.file), scorer):
            sys.stdout.write(as_line(verdict))
    except BrokenPipeError:  # the reader has had enough
        return 0
    except (BenchmarkMissing, BenchmarkBroken, Unreadable) as trouble:
        sys.stdout.flush()
        sys.stderr.write(f"{trouble}\n")
        return 2
    return 0
