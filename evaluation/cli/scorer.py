"""Official verdicts on lines of results, whichever command reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.benchmarks.lines import Malformed, object_in
from evaluation.benchmarks.suite import BenchmarkMissing, Suite
from evaluation.engine.types import JSON, CaseData, Judgement, Setup

if TYPE_CHECKING:
    from evaluation.sandbox.blocking import Sandbox


@dataclass(frozen=True, slots=True)
class Line:
    """One line read: the case and the result to judge, or why it cannot be judged."""

    id: JSON
    case: CaseData | None = None
    result: JSON = None
    error: str = ""
    entry: Mapping[str, JSON] = field(default_factory=dict)  # all that the line holds


class Scorer:
    """Judges lines of one suite, all asked in the same way."""

    def __init__(self, suite: Suite, setup: Setup, key: str, resources: ExitStack) -> None:
        self.suite = suite
        self.setup = setup
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
        return Line(case_id, case, entry[self._key], entry=entry)

    def _case(self, case_id: str) -> CaseData | str:
        """The case of an id, or why there is none to judge."""
        name = self.suite.category_of(case_id)
        if name is None:
            return "no case of this benchmark has this id"
        category = self._categories[name]
        if self.setup.mode.value not in category.modes:
            return f"{name} is not asked in {self.setup.mode.value} mode"
        if self._key == "decoded" and not category.in_sandbox:
            return f"decoded calls of {name} are not judged, only its results"
        if name not in self._cases:
            self._cases[name] = {case.id: case for case in self.suite.cases(name)}
        return self._cases[name][case_id]

    def judgements(self, lines: Sequence[Line]) -> Iterator[Judgement | str]:
        """A verdict on each line in their order, or why there is none."""
        boxed = [place for place, line in enumerate(lines) if self._is_boxed(line)]
        verdicts = dict(
            zip(boxed, self._judge_boxed([lines[place] for place in boxed]), strict=True)
        )
        for place, line in enumerate(lines):
            yield verdicts.get(place) or self._judge_here(line)

    def _is_boxed(self, line: Line) -> bool:
        return line.case is not None and self._categories[line.case.category].in_sandbox

    def _judge_boxed(self, lines: Sequence[Line]) -> list[Judgement]:
        if not lines:
            return []
        if self._sandbox is None:
            from evaluation.sandbox.blocking import Sandbox

            self._sandbox = self._resources.enter_context(Sandbox())
        jobs = [(line.case, line.result, self.setup) for line in lines if line.case]
        return self._sandbox.judge_all(self.suite.slug, jobs)

    def _judge_here(self, line: Line) -> Judgement | str:
        if line.case is None:
            return line.error
        try:
            return self.suite.judge(line.case, line.result, self.setup)
        except BenchmarkMissing as error:
            return str(error)
