"""An upload's result files, read whole or refused whole.

Joined by id, never by position. Every problem is reported with file and line; a reader of the
report can mend all of them in one go. Nothing here decides a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.result_layout import is_beside_the_point, named, path_of
from evaluation.benchmarks.bfcl_v4.result_lines import Result, parse, shown_id
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES

MAX_LINE = 4 * 1024 * 1024  # bytes; long-context conversations with their log reach about one
MAX_LINES = 50_000  # of all files; whole results of every category have about ten thousand
MAX_PROBLEMS = 200  # reported; more only counted
_OLD_ID = re.compile(r"(?:simple|java|javascript|live_ast_\w+|exec_\w+|rest)_\d+[\d-]*")


@dataclass(frozen=True, slots=True)
class File:
    """One file of an upload: its name as given, and a way to read its bytes (decompressed)."""

    name: str
    open: Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an upload; `line` counts from 1, 0 for the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.reason}"


class ResultsRefused(Exception):
    """The upload cannot be scored as it is; `problems` says why, all of them."""

    def __init__(
        self, problems: list[Problem], more: int = 0, *, is_too_large: bool = False
    ) -> None:
        super().__init__(str(problems[0]) if problems else "The upload holds no results.")
        self.problems = problems
        self.more = more
        self.is_too_large = is_too_large  # a line is longer than is read, or there are too many


@dataclass(slots=True)
class Results:
    """What an upload holds: results by category, whole categories only."""

    by_category: dict[str, dict[str, Result]] = field(default_factory=dict)
    omitted: frozenset[str] = frozenset()  # ids an honest manifest says were left out


class _Report:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.more = 0
        self.lines = 0
        self.is_too_large = False

    def count_line(self) -> None:
        self.lines += 1
        if self.lines > MAX_LINES:
            raise _TooMuch(f"the upload has more than {MAX_LINES:,} lines")

    def add(self, file: str, line: int, reason: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(file, line, reason))
        else:
            self.more += 1

    def raise_if_any(self) -> None:
        if self.problems:
            raise ResultsRefused(self.problems, self.more, is_too_large=self.is_too_large)


def read_results(files: Iterable[File], omitted: Iterable[str] = ()) -> Results:
    """Read an upload's result files.

    Args:
        files: In any order; files that are no results (scores, memory snapshots) are passed over.
        omitted: Ids that the upload's own manifest says are left out on purpose.

    Raises:
        ResultsRefused: Something is wrong; with every problem by file and line.
    """
    report, results = _Report(), Results(omitted=frozenset(omitted))
    places: dict[str, str] = {}
    for file in files:
        if is_beside_the_point(file.name):
            continue
        declared = _declared_category(file.name, report)
        if declared is None:
            continue
        try:
            _read_file(file, declared, results, places, report)
        except (OSError, EOFError, ValueError) as error:
            report.is_too_large |= isinstance(error, _TooMuch)
            report.add(file.name, 0, f"it cannot be read: {error}")
    _check_whole(results, report)
    if not results.by_category and not report.problems:
        report.add("upload", 0, "it holds no file of BFCL V4 results (BFCL_v4_…_result.json).")
    report.raise_if_any()
    return results


def _declared_category(name: str, report: _Report) -> str | None:
    """The category a file's name promises, "" for a bare file of lines, None if refused."""
    last = name.rsplit("/", 1)[-1]
    found = named(last)
    if found is None:
        if last.endswith((".jsonl", ".jsonl.gz")):
            return ""
        report.add(name, 0, "it is no result file: BFCL_v4_<category>_result.json or .jsonl.")
        return None
    version, category = found
    if version != "v4":
        report.add(name, 0, f"it belongs to BFCL {version.upper()}; this board scores V4.")
        return None
    if category not in CATEGORIES:
        report.add(name, 0, f"BFCL V4 has no category “{category}”.")
        return None
    return category


def _read_file(
    file: File, declared: str, results: Results, places: dict[str, str], report: _Report
) -> None:
    is_empty = True
    with file.open() as stream:
        for number, line in _lines(stream):
            report.count_line()
            if not line.strip():
                continue
            is_empty = False
            try:
                result = parse(line)
                category = _place(result.id, declared)
            except ValueError as error:
                report.add(file.name, number, str(error))
                continue
            if result.id in places:
                report.add(
                    file.name, number, f"duplicate {result.id}, first in {places[result.id]}."
                )
                continue
            places[result.id] = f"{file.name}, line {number}"
            results.by_category.setdefault(category, {})[result.id] = result
    if is_empty:
        report.add(file.name, 0, "it is empty.")


class _TooMuch(ValueError):
    """No result is this long, or no upload has so many; the rest of the file is not read."""


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise _TooMuch(f"line {number} is longer than {MAX_LINE:,} bytes")
        yield number, line


def _place(case_id: str, declared: str) -> str:
    """The category of an id. Raises ValueError for an id that the benchmark does not have."""
    category = SUITE.category_of(case_id)
    if category is None:
        hint = " (V3 id)" if _OLD_ID.fullmatch(case_id) else ""
        raise ValueError(f"unknown {shown_id(case_id)}{hint}.")
    if declared and category != declared:
        raise ValueError(f"{case_id} belongs to {category}, not in a file of {declared}.")
    return category


def _check_whole(results: Results, report: _Report) -> None:
    """Whole categories only, but for ids that a manifest says were left out."""
    for category, found in sorted(results.by_category.items()):
        wanted = [case.id for case in loader.cases(category)]
        missing = [each for each in wanted if each not in found and each not in results.omitted]
        if missing:
            report.add(
                path_of(category),
                0,
                f"missing {len(missing)} ids of {len(wanted)}, the first is {missing[0]}.",
            )
