"""What a benchmark must offer: one object with this shape, in a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Protocol

from evaluation.benchmarks.categories import Category, Group
from evaluation.engine.play import Play, World
from evaluation.engine.types import JSON, CaseData, Fault, Judgement, Setup


class BenchmarkMissing(Exception):
    """The benchmark's data is not installed; the message says how to get it."""


class BenchmarkBroken(Exception):
    """The data is there but is not what it should be; nothing may be scored with it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the cases came from: package or repository, its version, digest of all data files."""

    package: str
    version: str
    digest: str  # sha256, hex
    licence: str


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case as a reader sees it, without any HTML: text and plain JSON only."""

    messages: Sequence[Mapping[str, JSON]]  # the conversation asked: role, content
    tools: Sequence[Mapping[str, JSON]]  # what was on offer
    accepted: JSON  # accepted answers, None where none is needed
    decoded: JSON  # the reply's calls [{name: {parameter: value}}], None if undecodable
    expects: str  # one sentence: what a right answer is here
    in_source: bool = False  # arguments are texts of source code that mean a value


@dataclass(frozen=True, slots=True)
class Chain:
    """Cases that build on one another: each starts from the snapshot the one before it kept.

    `prerequisites` are played in this order; they are outside the category's n and never judged.
    `dependents` are ids of the category's own cases: each starts from the last prerequisite's
    snapshot, on its own. An unscored prerequisite makes them unscored.
    """

    name: str
    prerequisites: tuple[CaseData, ...]
    dependents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One model in one published table, figures as printed: percent, in the columns' order."""

    model: str
    setting: str
    percent: tuple[float, ...]
    rouge: tuple[float, ...] = ()

    def fractions(self) -> tuple[float, ...]:
        """Accuracies in [0, 1]."""
        return tuple(figure / 100 for figure in self.percent)


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """One table whose figures may be compared with one another and with nothing else.

    `denominators` are the numbers of items each column counts, None where the source does not
    let them be told; `note` says what makes the table different.
    """

    slug: str
    title: str
    source: str  # paper, table, page
    columns: tuple[str, ...]
    denominators: tuple[int | None, ...]
    rows: tuple[PublishedRow, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """What `judge` measures on answers that are neither right nor wrong (`Judgement.measure`).

    Their cases are excluded in every profile; the means are a footnote of one, never ranked.
    """

    title: str
    profile: str
    about: str  # how it is found, in a sentence or two


@dataclass(frozen=True, slots=True)
class FaultClasses:
    """The classes of error of a paper, as kinds of `Fault`: they sort any benchmark's faults.

    `classes` maps faults to classes, in the order the classes are shown in; `other` gathers the
    faults that are none of them.
    """

    slug: str
    title: str  # whose classes these are
    classes: Mapping[Fault, str]
    other: str


DEFAULT_PROFILE = "default"
# Right answers of the recording itself, and all that count.
Share = tuple[int, int]
Ceilings = Mapping[str, Mapping[str, Share]]  # by profile, then by name of a category or group
NO_CEILINGS: Ceilings = MappingProxyType({})


class Suite(Protocol):
    """One benchmark: its data, how to ask, how to judge. Pure: files in, values out.

    No method knows the web site, the database or the network (`install` alone may fetch).
    `judge` never raises on hostile results: what cannot be read is a wrong answer.

    A suite is a subclass. What has a value or a body here is optional: the benchmark has one
    profile, excludes nothing, and its data comes as a package.
    """

    # Ways to judge the same answers, the usual one first. Figures of two are never one column.
    profiles: ClassVar[tuple[str, ...]] = (DEFAULT_PROFILE,)
    # What the accepted answers reach themselves, where that is less than all or worth showing.
    ceilings: ClassVar[Ceilings] = NO_CEILINGS
    notice: ClassVar[str] = ""  # what every reader of its figures must know
    getting: ClassVar[str] = ""  # how an operator gets the data, where no package brings it
    published: ClassVar[tuple[ColumnSet, ...]] = ()  # tables of papers, each by itself
    # What must be known of one category or group, in a sentence or two, by its name.
    notes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    # How the names of categories begin whose cases take several requests: of an upload's figures
    # one number is that of a whole case there, not of a request.
    stepwise: ClassVar[tuple[str, ...]] = ()
    # What is measured on answers that are neither right nor wrong.
    measure: ClassVar[Measure | None] = None
    # A paper's own classes of error; models' pages show every benchmark's faults in them.
    fault_classes: ClassVar[FaultClasses | None] = None
    # What a scorer version judges differently from the one before, by version.
    changes: ClassVar[Mapping[str, str]] = MappingProxyType({})

    slug: str
    title: str
    scorer_version: str
    tree: Group  # the root is Overall; its leaves are every scored category
    extras: tuple[Category, ...]  # categories outside Overall

    def source(self) -> Source:
        """Raises BenchmarkMissing, BenchmarkBroken."""

    def cases(self, category: str) -> Sequence[CaseData]:
        """Every case of one category in dataset order. Raises KeyError, BenchmarkMissing."""

    def chains(self, category: str) -> Sequence[Chain]:
        """The category's dependent cases, in chains; empty where every case stands alone."""

    def category_of(self, case_id: str) -> str | None:
        """The category a case id belongs to, None for an id that cannot exist."""

    def play(self, case: CaseData, setup: Setup) -> Play:
        """The conversation with a model about this case, as a generator without I/O.

        Takes prerequisites of a chain as well.
        """

    def world(self, case: CaseData, setup: Setup) -> World | None:
        """The world in which this case's calls act, None where there is none."""

    def judge(self, case: CaseData, result: JSON, setup: Setup) -> Judgement:
        """The official verdict on a case's result value.

        Runs in the sandbox child only where the category says `in_sandbox`.
        """

    def view(self, case: CaseData, result: JSON, setup: Setup) -> CaseView:
        """The case and one result for it, ready to be shown. Never raises on hostile results."""

    def excluded(self, profile: str) -> Mapping[str, str]:
        """Cases nobody can be judged on in a profile, with the reason: they leave n.

        They are asked all the same: another profile may judge them. Raises BenchmarkMissing.
        """
        return {}

    def options(self) -> Mapping[str, JSON]:
        """Settings of this machine that can change a verdict: frozen with a run, read from Setup.

        Raises BenchmarkMissing: what a setting asks for is not installed.
        """
        return {}

    def install(self, source: str, tasks: str = "") -> str:
        """Put the data in place and say in a sentence what was done.

        `source` is a folder, a tarball or its address; `tasks` adds what the source itself lacks.
        Raises BenchmarkMissing, BenchmarkBroken.
        """
        raise BenchmarkMissing(f"{self.title} needs no --source: a package brings its data.")

    def score(self, argv: Sequence[str]) -> int | None:
        """`manage.py score` where its lines are of another shape; None: the common shape."""
        return None
