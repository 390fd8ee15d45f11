"""`score`: official verdicts on BFCL result lines, without a database.

Standard output gets one line for each line read, in the same order. The official rules hold to
the letter: a stored error text is judged like any other text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing, Suite
from evaluation.cli.lines import Malformed, Output, Unreadable, as_line, lines_of, object_in
from evaluation.engine.types import JSON, CaseData, Judgement, Mode, Setup

if TYPE_CHECKING:
    from evaluation.sandbox.blocking import Sandbox

EXIT_FAILED = 2  # a file cannot be read, or the benchmark's data is not there
BATCH = 256  # lines judged together, so that sandboxed ones run side by side
BATCH_BYTES = 16 * 1024 * 1024  # the same, but no more than this and one line


@dataclass(frozen=True, slots=True)
class Line:
    """One line read: the case and the result to judge, or why it cannot be judged."""

    id: JSON
    case: CaseData | None = None
    result: JSON = None
    error: str = ""


class Scorer:
    """Judges lines of one suite, all asked in the same way."""

    def __init__(self, suite: Suite, setup: Setup, key: str, resources: ExitStack) -> None:
        self._suite = suite
        self._setup = setup
        self._key = key
        self._resources = resources
        self._sandbox: Sandbox | None = None
        self._cases: dict[str, dict[str, CaseData]] = {}
        leaves = (*suite.tree.leaves(), *suite.extras)
        self._categories = {leaf.name: leaf for leaf in leaves}

    def read(self, line: bytes) -> Line:
        """What a line asks for. Never raises on the line's account."""
        try:
            entry = object_in(line)
        except Malformed as error:
            return Line(None, error=str(error))
        case_id = entry.get("id")
        if not isinstance(case_id, str):
            return Line(None, error="the line has no text as its id")
        case = self._case(case_id)
        if isinstance(case, str):
            return Line(case_id, error=case)
        if self._key not in entry:
            return Line(case_id, error=f"the line has no {self._key}")
        return Line(case_id, case, entry[self._key])

    def _case(self, case_id: str) -> CaseData | str:
        """The case of an id, or why there is none to judge."""
        name = self._suite.category_of(case_id)
        if name is None:
            return "no case of this benchmark has this id"
        category = self._categories[name]
        if self._setup.mode.value not in category.modes:
            return f"{name} is not asked in {self._setup.mode.value} mode"
        if self._key == "decoded" and not category.in_sandbox:
            return f"decoded calls of {name} are not judged, only its results"
        if name not in self._cases:
            self._cases[name] = {case.id: case for case in self._suite.cases(name)}
        return self._cases[name][case_id]

    def judge(self, lines: Sequence[Line]) -> Iterator[dict[str, JSON]]:
        """One entry for each line, in their order."""
        boxed = [place for place, line in enumerate(lines) if self._is_boxed(line)]
        verdicts = dict(
            zip(boxed, self._judge_boxed([lines[place] for place in boxed]), strict=True)
        )
        for place, line in enumerate(lines):
            yield self._entry(line, verdicts.get(place))

    def _is_boxed(self, line: Line) -> bool:
        return line.case is not None and self._categories[line.case.category].in_sandbox

    def _judge_boxed(self, lines: Sequence[Line]) -> list[Judgement]:
        if not lines:
            return []
        if self._sandbox is None:
            from evaluation.sandbox.blocking import Sandbox

            self._sandbox = self._resources.enter_context(Sandbox())
        jobs = [(line.case, line.result, self._setup) for line in lines if line.case]
        return self._sandbox.judge_all(self._suite.slug, jobs)

    def _entry(self, line: Line, verdict: Judgement | None) -> dict[str, JSON]:
        if line.case is None:
            return _failure(line.id, line.error)
        try:
            verdict = verdict or self._suite.judge(line.case, line.result, self._setup)
        except BenchmarkMissing as error:
            return _failure(line.id, str(error))
        return {"id": line.id, "valid": verdict.valid, "error_type": verdict.error_type}


def _failure(case_id: JSON, error: str) -> dict[str, JSON]:
    return {"id": case_id, "valid": None, "error_type": None, "error": error}


def add_arguments(parser: Any) -> None:
    """Declare the command's arguments on an argparse parser."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="result lines; .gz too")
    parser.add_argument("--mode", required=True, choices=[mode.value for mode in Mode])
    parser.add_argument(
        "--underscore",
        action="store_true",
        help="dots in tool names were sent as underscores (FC mode only)",
    )
    parser.add_argument(
        "--decoded",
        action="store_true",
        help='multi-turn lines {"id", "decoded": [turn][step][call text]}',
    )
    parser.add_argument(
        "--benchmark",
        default=SUITES[0].slug,
        choices=[suite.slug for suite in SUITES],
        help="some have lines and options of their own: name one and add --help",
    )


def main(argv: Sequence[str]) -> int:
    """Run the command; returns its exit status."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--benchmark")
    named = first.parse_known_args(argv)[0].benchmark
    for suite in SUITES:
        status = suite.score(argv) if suite.slug == named else None
        if status is not None:  # it reads lines of another shape
            return status
    parser = argparse.ArgumentParser(prog="manage.py score", description=__doc__)
    add_arguments(parser)
    return run(parser.parse_args(argv), sys.stdout, sys.stderr)


def run(options: argparse.Namespace, output: Output, errors: Output) -> int:
    """Score the files named in the options; returns the exit status."""
    if options.mode == Mode.PROMPT.value and options.underscore:
        errors.write("--underscore is for FC mode: a prompt holds names with their dots.\n")
        return EXIT_FAILED
    suite = next(suite for suite in SUITES if suite.slug == options.benchmark)
    key = "decoded" if options.decoded else "result"
    setup = Setup(
        Mode(options.mode),
        options.underscore,
        options={"decoded": True} if options.decoded else {},
    )
    try:
        with ExitStack() as resources:
            scorer = Scorer(suite, setup, key, resources)
            _score(scorer, options.files, output)
    except BrokenPipeError:  # the reader has had enough
        return 0
    except (Unreadable, BenchmarkMissing, BenchmarkBroken) as error:
        output.flush()
        errors.write(f"{error}\n")
        return EXIT_FAILED
    return 0


def _score(scorer: Scorer, files: Sequence[str], output: Output) -> None:
    lines = (line for path in files for line in lines_of(path))
    for batch in _batches(lines):
        for entry in scorer.judge([scorer.read(line) for line in batch]):
            output.write(as_line(entry))
        output.flush()


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines in batches; those read before a file proved unreadable come first."""
    batch: list[bytes] = []
    size = 0
    try:
        for line in lines:
            batch.append(line)
            size += len(line)
            if len(batch) == BATCH or size > BATCH_BYTES:
                yield batch
                batch, size = [], 0
    except Unreadable:
        yield batch
        raise
    yield batch
