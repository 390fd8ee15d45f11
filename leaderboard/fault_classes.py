"""Wrong answers of any benchmark in the error classes of a paper, so that entries compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.suite import FaultClasses
from evaluation.engine.types import Fault
from evaluation.models import Verdict
from leaderboard.samples import fault_in_words


@dataclass(frozen=True, slots=True)
class Share:
    """Answers of one entry in one class."""

    count: int
    share: float  # of all its wrong answers, in [0, 1]

    @property
    def width(self) -> float:
        """Percent, for the bar."""
        return round(100 * self.share, 1)


@dataclass(frozen=True, slots=True)
class Line:
    """One class: the faults in it, and its share among each entry's wrong answers."""

    title: str
    faults: str
    shares: Sequence[Share]


@dataclass(frozen=True, slots=True)
class Table:
    """One paper's classes over several runs, in the order the runs were given in."""

    slug: str
    title: str
    runs: Sequence[int]
    wrong: Sequence[int]  # wrong answers of each run
    lines: Sequence[Line]


def tables(runs: Sequence[int]) -> Iterator[Table]:
    """A table for each paper whose classes a suite brings; none without wrong answers."""
    known = [suite.fault_classes for suite in SUITES if suite.fault_classes is not None]
    counted = _counted(runs) if known and runs else {}
    shown = [run for run in runs if counted.get(run)]
    if shown:
        yield from (_table(classes, {run: counted[run] for run in shown}) for classes in known)


def _counted(runs: Sequence[int]) -> dict[int, dict[str, int]]:
    """How often each fault was the first one found, by run."""
    wrong = Verdict.objects.filter(
        scoring__run__in=runs, scoring__is_current=True, outcome=Verdict.Outcome.WRONG
    )
    found: dict[int, dict[str, int]] = {}
    rows = wrong.order_by().values_list("scoring__run", "fault").annotate(count=Count("pk"))
    for run, fault, count in rows:
        found.setdefault(run, {})[fault] = count
    return found


def _table(classes: FaultClasses, counted: Mapping[int, Mapping[str, int]]) -> Table:
    titles = [*dict.fromkeys(classes.classes.values()), classes.other]
    class_of = {fault: classes.classes.get(fault, classes.other) for fault in Fault}
    sums = {title: dict.fromkeys(counted, 0) for title in titles}
    for run, faults in counted.items():
        for fault, count in faults.items():
            title = class_of[Fault(fault)] if fault in class_of else classes.other
            sums[title][run] += count
    wrong = {run: sum(faults.values()) for run, faults in counted.items()}
    return Table(
        slug=classes.slug,
        title=classes.title,
        runs=list(counted),
        wrong=list(wrong.values()),
        lines=[
            Line(
                title,
                "everything else"
                if title == classes.other
                else ", ".join(
                    fault_in_words(fault).lower()
                    for fault, one in class_of.items()
                    if one == title
                ),
                [Share(count, count / wrong[run]) for run, count in sums[title].items()],
            )
            for title in titles
        ],
    )
