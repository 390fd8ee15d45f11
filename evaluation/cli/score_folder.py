"""`score --results DIR --out DIR`: a result folder's score files and tables, in official layout.

Nothing of a file is scored unless all of it can be: every case of its category once, by id.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path

from evaluation.benchmarks.bfcl_v4 import columns, result_layout
from evaluation.benchmarks.bfcl_v4.result_lines import FIGURES, numbers
from evaluation.benchmarks.bfcl_v4.score_files import Scored, as_csv, failure_line, header_line
from evaluation.benchmarks.bfcl_v4.sensitivity import Sensitivity, sensitivity
from evaluation.benchmarks.bfcl_v4.spending import spending
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES, FORMAT_SENSITIVITY
from evaluation.benchmarks.lines import Output, Unreadable, numbered_lines
from evaluation.benchmarks.suite import Suite
from evaluation.cli.scorer import Line, Scorer
from evaluation.engine.stats import flat
from evaluation.engine.types import CaseData, Setup

EXIT_REFUSED = 2


@dataclass(frozen=True, slots=True)
class Source:
    """A result file: which model's, of which category, and where it lies."""

    model: str
    category: str
    path: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: the counts and figures of its cases, or why it was refused."""

    source: Source
    correct: int = 0
    total: int = 0
    figures: Mapping[str, list[float]] = field(default_factory=dict)
    spread: Sensitivity | None = None
    reasons: Sequence[str] = ()


class Refused(Exception):
    """A file cannot be scored; `reasons` says why, all of them."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(reasons[0])
        self.reasons = reasons


def score_folder(suite: Suite, setup: Setup, results: Path, out: Path, errors: Output) -> int:
    """Score every result file below a folder; returns the exit status.

    The tables are written only if no file was refused: they would show its cases as failed.
    """
    try:
        sources, surplus = _once_each(_sources(results))
        outcomes = [*_score_all(Folder(suite, setup, out), sources), *surplus]
        refused = [each for each in outcomes if each.reasons]
        for each in refused:
            errors.write("".join(f"{each.source.path}: {reason}\n" for reason in each.reasons))
        if outcomes and not refused:
            _write_tables(outcomes, out)
    except OSError as error:
        errors.write(f"{error.filename or out}: {error.strerror or error}\n")
        return EXIT_REFUSED
    except BrokenProcessPool:
        errors.write("A process that scored files was killed. Has the machine enough memory?\n")
        return EXIT_REFUSED
    if not outcomes:
        errors.write(f"{results} holds no BFCL_v4_<category>_result.json.\n")
    return 0 if outcomes and not refused else EXIT_REFUSED


def _once_each(sources: Iterable[Source]) -> tuple[list[Source], list[Outcome]]:
    """The first file of each category of a model, and why any further one is refused."""
    first: dict[tuple[str, str], Source] = {}
    surplus = []
    for source in sources:
        other = first.setdefault((source.model, source.category), source)
        if other is not source:
            surplus.append(Outcome(source, reasons=[f"{other.path} has the same category"]))
    return list(first.values()), surplus


def _score_all(folder: Folder, sources: Sequence[Source]) -> list[Outcome]:
    """What became of every file, in their order; each core takes its share of them."""
    shares = _shares(sources, os.cpu_count() or 1)
    if len(shares) > 1 and "fork" in get_all_start_methods():
        fork = get_context("fork")  # nothing runs beside us yet
        with ProcessPoolExecutor(len(shares), fork) as pool:  # notices a process that was killed
            done = list(pool.map(folder.score, shares))
    else:
        done = [folder.score(share) for share in shares]
    by_path = {outcome.source.path: outcome for share in done for outcome in share}
    return [by_path[source.path] for source in sources]


def _shares(sources: Sequence[Source], most: int) -> list[list[Source]]:
    """At most so many lists of about the same work, which goes with the size of the files."""
    shares: list[list[Source]] = [[] for _ in range(most)]
    sizes = [0] * most
    sized = [(source.path.stat().st_size, source) for source in sources]
    for size, source in sorted(sized, key=lambda each: each[0], reverse=True):
        lightest = sizes.index(min(sizes))
        shares[lightest].append(source)
        sizes[lightest] += size
    return [share for share in shares if share]


def _sources(results: Path) -> Iterator[Source]:
    """The result files of a `result` folder, or of one model's folder in it."""
    for path in sorted(results.rglob("BFCL_*")):
        found = result_layout.named(path.name)
        place = path.relative_to(results)
        if found is None or result_layout.is_beside_the_point(place.as_posix()):
            continue
        version, category = found
        if version == "v4" and category in CATEGORIES:
            above = place.parent.as_posix().removesuffix(result_layout.folder_of(category))
            yield Source(above.strip("/") or results.resolve().name, category, path)


@dataclass(frozen=True, slots=True)
class Folder:
    """Where files are scored to, and how."""

    suite: Suite
    setup: Setup
    out: Path

    def score(self, sources: Sequence[Source]) -> list[Outcome]:
        """Score some files one after the other. Raises OSError."""
        outcomes = []
        with ExitStack() as resources:
            scorer = Scorer(self.suite, self.setup, "result", resources)
            for source in sources:
                try:
                    outcomes.append(self._score(scorer, source))
                except Refused as refused:
                    outcomes.append(Outcome(source, reasons=refused.reasons))
        return outcomes

    def _score(self, scorer: Scorer, source: Source) -> Outcome:
        """Raises Refused, OSError."""
        lines, figures = _read(scorer, source)
        failures: list[bytes] = []
        valid: dict[str, bool] = {}
        for line, verdict in zip(lines, scorer.judgements(lines), strict=True):
            if isinstance(verdict, str) or line.case is None:
                raise Refused([f"{line.id}: {verdict}"])
            valid[line.case.id] = verdict.valid
            if not verdict.valid:
                wrong = Scored(line.case, line.result, verdict.error_type or "", verdict.message)
                failures.append(failure_line(wrong, source.model, self.setup))
        is_spread = source.category == FORMAT_SENSITIVITY.name
        spread = sensitivity(valid.items()) if is_spread else None
        target = self.out / source.model / result_layout.path_of(source.category, "score")
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            file.write(header_line(sum(valid.values()), len(valid), spread))
            file.writelines(failures)
        return Outcome(source, sum(valid.values()), len(valid), figures, spread)


def _read(scorer: Scorer, source: Source) -> tuple[list[Line], dict[str, list[float]]]:
    """A file's lines in the order of the dataset, and their token counts and times.

    Raises Refused.
    """
    found: dict[str, Line] = {}
    figures: dict[str, list[float]] = {name: [] for name in FIGURES}
    reasons: list[str] = []
    try:
        for number, text in numbered_lines(str(source.path)):
            line = scorer.read(text)
            reason = _reason(line, source.category, found) or _count(line, figures)
            if reason or line.case is None:
                reasons.append(f"line {number}: {reason}")
            else:
                found[line.case.id] = Line(line.id, line.case, line.result)  # not its log
    except Unreadable as error:
        raise Refused([str(error)]) from error
    cases = scorer.suite.cases(source.category)
    missing = [case.id for case in cases if case.id not in found]
    if missing:
        reasons.append(f"{len(missing)} of {len(cases)} ids are missing, the first {missing[0]}")
    if reasons:
        raise Refused(reasons)
    return [found[case.id] for case in cases], figures


def _reason(line: Line, category: str, found: dict[str, Line]) -> str:
    """Why a line cannot count; empty if it can."""
    case: CaseData | None = line.case
    if case is None:
        return f"{line.id}: {line.error}" if line.id else line.error
    if case.category != category:
        return f"{case.id} belongs to {case.category}"
    return f"{case.id} is there twice" if case.id in found else ""


def _count(line: Line, figures: dict[str, list[float]]) -> str:
    """Add a line's token counts and times; what is wrong with them."""
    try:
        for name in FIGURES:
            if name in line.entry:
                figures[name] += flat(numbers(line.entry, name))
    except ValueError as error:
        return str(error)
    return ""


def _write_tables(outcomes: Sequence[Outcome], out: Path) -> None:
    by_model: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_model.setdefault(outcome.source.model, []).append(outcome)
    models = [_model(name, found) for name, found in by_model.items()]
    for table, rows in columns.tables(models).items():
        (out / table).write_bytes(as_csv(rows))


def _model(name: str, outcomes: Sequence[Outcome]) -> columns.Model:
    tokens_in, tokens_out, latencies = (
        [number for outcome in outcomes for number in outcome.figures[figure]]
        for figure in FIGURES
    )
    return columns.Model(
        name,
        {each.source.category: (each.correct / each.total, each.total) for each in outcomes},
        spending=spending(tokens_in, tokens_out, latencies),
        sensitivity=next((each.spread for each in outcomes if each.spread), None),
    )
