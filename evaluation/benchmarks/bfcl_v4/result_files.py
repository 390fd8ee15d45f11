"""Result files as the official tool writes them: where they lie, what a line is, what is wrong.

Joined by id, never by position. Every problem is reported with file and line; a reader of the
report can mend all of them in one go. Nothing here decides a verdict.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, NoReturn

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES
from evaluation.engine.types import JSON

MAX_LINE = 4 * 1024 * 1024  # bytes; long-context conversations with their log reach about one
MAX_LINES = 50_000  # of all files; whole results of every category have about ten thousand
MAX_DEPTH = 100  # brackets open at once
MAX_PROBLEMS = 200  # reported; more only counted
MAX_ERROR = 2_000  # characters kept of what a failed request said
MAX_COUNT = 2**31 - 1
FIGURES = ("input_token_count", "output_token_count", "latency")
ERROR_TEXT = "Error during inference:"  # the official generator's result for a failed request
_FILE = re.compile(r"BFCL_(v\d+)_([a-z0-9_]{1,60}?)_result\.json(?:l)?(?:\.gz)?")
_OLD_ID = re.compile(r"(?:simple|java|javascript|live_ast_\w+|exec_\w+|rest)_\d+[\d-]*")
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)

GROUPS = {  # folder of each group of categories in a result directory
    "multi_turn": "multi_turn",
    "web_search": "agentic",
    "memory_kv": "agentic/memory/kv",
    "memory_vector": "agentic/memory/vector",
    "memory_rec_sum": "agentic/memory/rec_sum",
    "format_sensitivity": "format_sensitivity",
    "live_": "live",
}


def folder_of(category: str) -> str:
    """The official folder of a category's files, below the model's own."""
    return next(
        (folder for start, folder in GROUPS.items() if category.startswith(start)), "non_live"
    )


def path_of(category: str, kind: str = "result") -> str:
    """``non_live/BFCL_v4_simple_python_result.json``; `kind` is result or score."""
    return f"{folder_of(category)}/BFCL_v4_{category}_{kind}.json"


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


@dataclass(frozen=True, slots=True)
class Result:
    """One case's result line, held small: hostile values take many times the room of their text.

    `body` is the zlib-compressed JSON text of the result value. Numbers are sums over the case;
    where the line has lists of them, turn by turn and step by step, `figures` is their JSON text.
    """

    id: str
    body: bytes
    is_error: bool = False  # the generator failed, not the model: neither right nor wrong
    error: str = ""  # what it said then
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency: float | None = None  # seconds
    figures: str = ""

    @property
    def result(self) -> JSON:
        return json.loads(zlib.decompress(self.body))


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
        if _is_beside_the_point(file.name):
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


def _is_beside_the_point(name: str) -> bool:
    """Files that the official tool keeps among the results, and what archives carry along."""
    last = name.rsplit("/", 1)[-1]
    parts = name.split("/")
    return (
        last.startswith((".", "_"))
        or "__MACOSX" in parts
        or "memory_snapshot" in parts
        or last.endswith(("_score.json", ".csv", ".lock", "_prereq_result.json"))
        or last == "manifest.json"
    )


def _declared_category(name: str, report: _Report) -> str | None:
    """The category a file's name promises, "" for a bare file of lines, None if refused."""
    last = name.rsplit("/", 1)[-1]
    found = _FILE.fullmatch(last)
    if found is None:
        if last.endswith((".jsonl", ".jsonl.gz")):
            return ""
        report.add(name, 0, "it is no result file: BFCL_v4_<category>_result.json or .jsonl.")
        return None
    if found[1] != "v4":
        report.add(name, 0, f"it belongs to BFCL {found[1].upper()}; this board scores V4.")
        return None
    if found[2] not in CATEGORIES:
        report.add(name, 0, f"BFCL V4 has no category “{found[2]}”.")
        return None
    return found[2]


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
                result = _parse(line)
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


def _parse(line: bytes) -> Result:
    """One line as a result. Raises ValueError with a sentence."""
    if _depth(line) > MAX_DEPTH:
        raise ValueError(f"it nests deeper than {MAX_DEPTH} levels.")
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _NotANumber) else "it is not JSON."
        raise ValueError(reason) from error
    if not isinstance(row, dict):
        raise ValueError("a line is an object with “id” and “result”; this one is not.")
    if not isinstance(row.get("id"), str):
        raise ValueError("“id” is missing or no text.")
    if "result" not in row:
        raise ValueError(f"{_shown(row['id'])} has no “result”.")
    result = row["result"]
    is_error = isinstance(result, str) and result.startswith(ERROR_TEXT)
    figures = {name: _numbers(row, name) for name in FIGURES}
    has_lists = any(isinstance(value, list) for value in figures.values())
    return Result(
        id=row["id"],
        body=zlib.compress(json.dumps(result).encode()),
        is_error=is_error,
        error=result[:MAX_ERROR] if is_error else "",
        tokens_in=_whole(figures["input_token_count"]),
        tokens_out=_whole(figures["output_token_count"]),
        latency=_sum(figures["latency"]),
        figures=json.dumps(figures, separators=(",", ":")) if has_lists else "",
    )


class _NotANumber(ValueError):
    """NaN or Infinity in a line: no JSON, and poison for every later sum."""


def _refuse_constant(name: str) -> NoReturn:
    raise _NotANumber(f"{name} is not JSON; give a number or null.")


def _depth(line: bytes) -> int:
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for match in _BRACKETS.finditer(line):
        if match[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in b"]}":
            depth -= 1
    return deepest


def _numbers(row: Mapping[str, JSON], name: str) -> JSON:
    """A count or time: a number ≥ 0, or lists of such. Raises ValueError."""
    value = row.get(name)
    if value is None:
        return None
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending.extend(each)
        elif each is not None and (isinstance(each, bool) or not _is_amount(each)):
            raise ValueError(f"“{name}” of {_shown(row['id'])} is no number of at least 0.")
    return value


def flat(value: JSON) -> list[float]:
    """Every number in a value or in lists of lists of them, in order."""
    if isinstance(value, list):
        return [number for each in value for number in flat(each)]
    return [] if value is None else [value]


def _sum(value: JSON) -> float | None:
    numbers = flat(value)
    return float(sum(numbers)) if numbers else None


def _whole(value: JSON) -> int | None:
    """A count as a database can hold it; a larger one is no count."""
    total = _sum(value)
    return int(total) if total is not None and total <= MAX_COUNT else None


def _is_amount(value: JSON) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e12


def _shown(text: str) -> str:
    """An id as it may stand in a sentence: short, printable."""
    return "".join(letter if letter.isprintable() else "�" for letter in text[:80])


def _place(case_id: str, declared: str) -> str:
    """The category of an id. Raises ValueError for an id that the benchmark does not have."""
    category = SUITE.category_of(case_id)
    if category is None:
        hint = " (V3 id)" if _OLD_ID.fullmatch(case_id) else ""
        raise ValueError(f"unknown {_shown(case_id)}{hint}.")
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
