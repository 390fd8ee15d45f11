"""BFCL V3 as a benchmark of published figures: categories and means, no cases to ask.

Its Overall was the plain mean of three groups, each its own way: non-live as the plain mean of
its columns, irrelevance among them, live by number of cases, multi-turn as a plain mean. The
executable categories were dropped in mid 2025; they are shown beside the tree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from types import MappingProxyType

from evaluation.benchmarks.categories import Category, Group, Mean
from evaluation.benchmarks.suite import BenchmarkMissing, CaseView, Chain, Source, Suite
from evaluation.engine.play import Play, World
from evaluation.engine.types import JSON, CaseData, Judgement, Setup

_NOT_RUN = "Only published tables are kept of BFCL V3; new runs are made on V4."


def _published(name: str, title: str, cases: int, *, is_extra: bool = False) -> Category:
    return Category(name, title, cases, unavailable=_NOT_RUN, is_extra=is_extra)


_SIMPLE = Group(
    "simple",
    "Simple",
    (
        _published("simple_python", "Simple Python", 400),
        _published("simple_java", "Simple Java", 100),
        _published("simple_javascript", "Simple JavaScript", 50),
    ),
)
_NON_LIVE = Group(
    "non_live",
    "Non-live",
    (
        _SIMPLE,
        _published("multiple", "Multiple", 200),
        _published("parallel", "Parallel", 200),
        _published("parallel_multiple", "Parallel multiple", 200),
        _published("irrelevance", "Irrelevance", 240),
    ),
)
_LIVE = Group(
    "live",
    "Live",
    (
        _published("live_simple", "Live simple", 258),
        _published("live_multiple", "Live multiple", 1053),
        _published("live_parallel", "Live parallel", 16),
        _published("live_parallel_multiple", "Live parallel multiple", 24),
        _published("live_irrelevance", "Live irrelevance", 882),
        _published("live_relevance", "Live relevance", 18),
    ),
    mean=Mean.BY_CASES,
)
_MULTI_TURN = Group(
    "multi_turn",
    "Multi-turn",
    (
        _published("multi_turn_base", "Multi-turn base", 200),
        _published("multi_turn_miss_func", "Multi-turn missing function", 200),
        _published("multi_turn_miss_param", "Multi-turn missing parameter", 200),
        _published("multi_turn_long_context", "Multi-turn long context", 200),
    ),
)
_EXECUTABLE = (
    _published("exec_simple", "Executable simple", 100, is_extra=True),
    _published("rest", "Executable REST", 70, is_extra=True),
    _published("exec_multiple", "Executable multiple", 50, is_extra=True),
    _published("exec_parallel", "Executable parallel", 50, is_extra=True),
    _published("exec_parallel_multiple", "Executable parallel multiple", 40, is_extra=True),
)


class BfclV3(Suite):
    """The Suite of BFCL V3; asking it anything is refused with the reason."""

    slug = "bfcl-v3"
    title = "BFCL V3"
    scorer_version = "published"
    changes = MappingProxyType({"published": "Published tables only: nothing is judged here."})
    tree = Group("overall", "Overall", (_NON_LIVE, _LIVE, _MULTI_TURN))
    extras: tuple[Category, ...] = _EXECUTABLE

    def source(self) -> Source:
        names = [leaf.name for leaf in self.tree.leaves()] + [leaf.name for leaf in self.extras]
        digest = hashlib.sha256("\n".join(names).encode()).hexdigest()
        return Source("BFCL, published tables", "V3", digest, "Apache-2.0")

    def cases(self, category: str) -> Sequence[CaseData]:
        return ()

    def chains(self, category: str) -> Sequence[Chain]:
        return ()

    def category_of(self, case_id: str) -> str | None:
        return None

    def play(self, case: CaseData, setup: Setup) -> Play:
        raise BenchmarkMissing(_NOT_RUN)

    def world(self, case: CaseData, setup: Setup) -> World | None:
        return None

    def judge(self, case: CaseData, result: JSON, setup: Setup) -> Judgement:
        raise BenchmarkMissing(_NOT_RUN)

    def view(self, case: CaseData, result: JSON, setup: Setup) -> CaseView:
        raise BenchmarkMissing(_NOT_RUN)


SUITE = BfclV3()
