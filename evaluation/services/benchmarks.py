"""Loading a benchmark's cases into the database, a row per version of its data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.db import connection, transaction

from evaluation import freshness
from evaluation.benchmarks.categories import Category as Leaf
from evaluation.benchmarks.suite import BenchmarkBroken, Source, Suite
from evaluation.engine.types import CaseData
from evaluation.models import Benchmark, Case, Category, Erratum

BATCH = 2000


def load(suite: Suite) -> tuple[Benchmark, bool]:
    """The current version of a suite in the database, and whether it was loaded just now.

    Idempotent. Changed data makes a new version beside the old one, which stays as it is.

    Raises:
        BenchmarkMissing: The data is not installed.
        BenchmarkBroken: The data is not what it should be; nothing is loaded.
    """
    source = suite.source()
    with transaction.atomic():
        _take_turn(suite.slug)
        versions = Benchmark.objects.filter(suite=suite.slug)
        known = next((one for one in versions if one.digest == source.digest), None)
        if known is not None:
            return _make_current(known), False
        return _load_version(suite, source, number=len(versions) + 1), True


def _take_turn(slug: str) -> None:
    """Two loads at once go one after the other, also when no row is there to lock yet.

    The second then finds everything there. The turn ends with the transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"load {slug}"])


def ensure_loaded(suite: Suite) -> Benchmark:
    return load(suite)[0]


def _make_current(benchmark: Benchmark) -> Benchmark:
    if not benchmark.is_current:
        Benchmark.objects.filter(suite=benchmark.suite).update(is_current=False)
        benchmark.is_current = True
        benchmark.save(update_fields=["is_current"])
    return benchmark


def _load_version(suite: Suite, source: Source, *, number: int) -> Benchmark:
    Benchmark.objects.filter(suite=suite.slug).update(is_current=False)
    in_overall = tuple(suite.tree.leaves())
    benchmark = Benchmark.objects.create(
        suite=suite.slug,
        slug=suite.slug if number == 1 else f"{suite.slug}-{number}",
        title=suite.title,
        package=source.package,
        version=source.version,
        digest=source.digest,
        licence=source.licence,
        runnable=[leaf.name for leaf in in_overall if not leaf.unavailable],
    )
    for position, leaf in enumerate((*in_overall, *suite.extras)):
        _load_category(suite, benchmark, leaf, position)
    for profile in suite.profiles:
        _exclude(benchmark, profile, suite.excluded(profile))
    return benchmark


def _exclude(benchmark: Benchmark, profile: str, reasons: Mapping[str, str]) -> None:
    """Take cases out of n in one profile, from the first version of the answers on."""
    cases = Case.objects.filter(category__benchmark=benchmark, name__in=reasons)
    Erratum.objects.bulk_create(
        Erratum(
            case_id=pk, profile=profile, answers_version=1, is_excluded=True, reason=reasons[name]
        )
        for pk, name in cases.values_list("pk", "name")
    )


@transaction.atomic
def refresh(benchmark: Benchmark, suite: Suite) -> list[str]:
    """Take over what this machine can ask by now; the names of categories that changed.

    A key may have been set since, or an extra installed, or taken away. What Overall (runnable)
    is made of stays: it belongs to the benchmark version.
    """
    rows = {row.name: row for row in benchmark.categories.select_for_update()}
    changed = []
    for leaf in (*suite.tree.leaves(), *suite.extras):
        row = rows.get(leaf.name)
        if row is None:
            continue
        if not row.cases.exists():
            _load_cases(suite, row, leaf)
        if row.unavailable != leaf.unavailable:
            row.unavailable = leaf.unavailable
            row.save(update_fields=["unavailable"])
            changed.append(leaf.name)
    if changed:
        freshness.announce()
    return changed


def _load_category(suite: Suite, benchmark: Benchmark, leaf: Leaf, position: int) -> None:
    row = Category.objects.create(
        benchmark=benchmark,
        name=leaf.name,
        title=leaf.title,
        position=position,
        n=leaf.cases,
        modes=list(leaf.modes),
        unavailable=leaf.unavailable,
        is_extra=leaf.is_extra,
    )
    _load_cases(suite, row, leaf)


def _load_cases(suite: Suite, row: Category, leaf: Leaf) -> None:
    """A category's cases. Results that others bring are judged where nothing can be asked, too.

    Only then may they be missing: their data may be what is not there.
    """
    cases: Sequence[CaseData] = suite.cases(leaf.name)
    if len(cases) != leaf.cases and (cases or not leaf.unavailable):
        raise BenchmarkBroken(
            f"{leaf.name} has {len(cases)} cases where {leaf.cases} are published: "
            "install the pinned version of the benchmark's package again."
        )
    rows = [*as_rows(row, cases), *_prerequisites(row, suite, first=len(cases))]
    chain_of = {name: chain.name for chain in suite.chains(leaf.name) for name in chain.dependents}
    for one in rows:
        one.chain = one.chain or chain_of.get(one.name, "")
    Case.objects.bulk_create(rows, batch_size=BATCH)


def as_rows(category: Category, cases: Iterable[CaseData], first: int = 0) -> Iterator[Case]:
    """Rows of cases in their order. Everything is kept as JSON text, so nothing changes."""
    return (
        Case(
            category=category,
            name=case.id,
            position=position,
            question=json.dumps(case.question, ensure_ascii=False),
            answer="" if case.answer is None else json.dumps(case.answer, ensure_ascii=False),
        )
        for position, case in enumerate(cases, start=first)
    )


def _prerequisites(category: Category, suite: Suite, first: int) -> list[Case]:
    """Rows of the cases that only prepare others, after the category's own."""
    rows: list[Case] = []
    for chain in suite.chains(category.name):
        for row in as_rows(category, chain.prerequisites, first + len(rows)):
            row.chain, row.is_prerequisite = chain.name, True
            rows.append(row)
    return rows
