"""`score`: official verdicts on BFCL results, without a database.

Of result lines, standard output gets one line for each line read, in the same order; of a result
folder, score files and tables are written. The official rules hold to the letter: a stored error
text is judged like any other text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.lines import Output, Unreadable, as_line, lines_of
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.cli.scorer import Line, Scorer
from evaluation.engine.types import JSON, Judgement, Mode, Setup

EXIT_FAILED = 2  # a file cannot be read, or the benchmark's data is not there
BATCH = 256  # lines judged together, so that sandboxed ones run side by side
FOLDERS_OF = "bfcl-v4"  # the benchmark whose official tool keeps results in folders
BATCH_BYTES = 16 * 1024 * 1024  # the same, but no more than this and one line


def _entry(line: Line, verdict: Judgement | str) -> dict[str, JSON]:
    if isinstance(verdict, str):
        return {"id": line.id, "valid": None, "error_type": None, "error": verdict}
    return {"id": line.id, "valid": verdict.valid, "error_type": verdict.error_type}


def add_arguments(parser: Any) -> None:
    """Declare the command's arguments on an argparse parser."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="result lines; .gz too")
    parser.add_argument(
        "--results", metavar="DIR", help="a whole result folder of BFCL V4 instead, for --out"
    )
    parser.add_argument(
        "--out", metavar="DIR", help="where its score files and the six tables are written"
    )
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
    trouble = _trouble(options)
    if trouble:
        errors.write(f"{trouble}\n")
        return EXIT_FAILED
    suite = next(suite for suite in SUITES if suite.slug == options.benchmark)
    key = "decoded" if options.decoded else "result"
    setup = Setup(
        Mode(options.mode),
        options.underscore,
        options={"decoded": True} if options.decoded else {},
    )
    try:
        if options.results:
            from evaluation.cli.score_folder import score_folder

            return score_folder(suite, setup, Path(options.results), Path(options.out), errors)
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


def _trouble(options: argparse.Namespace) -> str:
    """What is wrong with the options, in a sentence; empty if nothing is."""
    if options.mode == Mode.PROMPT.value and options.underscore:
        return "--underscore is for FC mode: a prompt holds names with their dots."
    if bool(options.results) != bool(options.out):
        return "--results and --out belong together."
    if bool(options.results) == bool(options.files):
        return "Name files of result lines, or a folder with --results and --out."
    if options.results and (options.decoded or options.benchmark != FOLDERS_OF):
        return f"--results reads folders of {FOLDERS_OF}, not decoded calls."
    return ""


def _score(scorer: Scorer, files: Sequence[str], output: Output) -> None:
    lines = (line for path in files for line in lines_of(path))
    for batch in _batches(lines):
        read = [scorer.read(line) for line in batch]
        for line, verdict in zip(read, scorer.judgements(read), strict=True):
            output.write(as_line(_entry(line, verdict)))
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
