"""What the methodology page says of benchmarks that judge in several ways or leave cases out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.categories import Group
from evaluation.benchmarks.suite import Share, Suite
from evaluation.models import Benchmark, Erratum


@dataclass(frozen=True, slots=True)
class Profile:
    """One way of judging: what it leaves out and why, and what the recorded answers reach."""

    name: str
    excluded: list[tuple[str, int]]  # reason, number of cases
    ceilings: list[tuple[str, Share]]


@dataclass(frozen=True, slots=True)
class About:
    """A loaded benchmark of which more must be known than its weights."""

    benchmark: Benchmark
    notice: str
    profiles: list[Profile]


def abouts() -> Iterator[About]:
    """Every loaded benchmark with a notice or with several profiles."""
    loaded = {one.suite: one for one in Benchmark.objects.current()}
    for suite in SUITES:
        if suite.slug in loaded and (suite.notice or len(suite.profiles) > 1):
            benchmark = loaded[suite.slug]
            found = [_profile(suite, benchmark, name) for name in suite.profiles]
            yield About(benchmark, suite.notice, found)


def not_loaded() -> list[Suite]:
    """Suites whose data an operator has to bring, and has not."""
    loaded = set(Benchmark.objects.current().values_list("suite", flat=True))
    return [suite for suite in SUITES if suite.getting and suite.slug not in loaded]


def _profile(suite: Suite, benchmark: Benchmark, name: str) -> Profile:
    errata = Erratum.objects.filter(
        case__category__benchmark=benchmark, is_excluded=True, profile__in=("", name)
    )
    counted = errata.order_by().values_list("reason").annotate(cases=Count("case"))
    ceilings = suite.ceilings.get(name, {})
    groups = [suite.tree, *(one for one in suite.tree.members if isinstance(one, Group))]
    return Profile(
        name,
        sorted(counted, key=lambda pair: (-pair[1], pair[0])),
        [(group.title, ceilings[group.name]) for group in groups if group.name in ceilings],
    )
