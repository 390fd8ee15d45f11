"""Loading a benchmark: once, whole, beside its older versions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from django.db import connection

from evaluation.benchmarks.categories import Category as Leaf
from evaluation.benchmarks.categories import Group
from evaluation.benchmarks.suite import BenchmarkBroken, Chain, Source
from evaluation.engine.types import CaseData
from evaluation.models import Benchmark, Case, Erratum
from evaluation.services import benchmarks
from evaluation.services.scheduling import choose_categories
from tests.suites import real_suite

SOURCE = Source("tiny-eval", "1", "0" * 64, "Apache-2.0")


@dataclass
class TinySuite:
    """A suite of two categories, with what loading needs of it."""

    found: Source = SOURCE
    count: int = 3
    slug: str = "tiny"
    title: str = "Tiny"
    scorer_version: str = "1"
    tree: Group = field(
        default_factory=lambda: Group("overall", "Overall", (Leaf("plain", "Plain", 3),))
    )
    extras: tuple[Leaf, ...] = (Leaf("beside", "Beside", 1), Leaf("off", "Off", 1, is_extra=True))
    profiles: tuple[str, ...] = ("kind", "strict")

    def source(self) -> Source:
        return self.found

    def cases(self, category: str) -> list[CaseData]:
        count = self.count if category == "plain" else 1
        return [CaseData(f"{category}_{n}", category, {"x": 1.0}) for n in range(count)]

    def chains(self, category: str) -> tuple[Chain, ...]:
        if category != "plain":
            return ()
        before = (CaseData("plain_before", category, {}),)
        return (Chain("story", before, ("plain_1", "plain_2")),)

    def excluded(self, profile: str) -> dict[str, str]:
        return {"plain_2": "Its label is wrong."} if profile == "kind" else {}


def load(suite: TinySuite) -> tuple[Benchmark, bool]:
    return benchmarks.load(suite)  # type: ignore[arg-type]


@pytest.mark.django_db
def test_cases_that_a_profile_excludes_are_listed_as_errata_of_that_profile() -> None:
    benchmark, _ = load(TinySuite())

    errata = Erratum.objects.filter(case__category__benchmark=benchmark)

    assert [(one.case.name, one.profile, one.is_excluded, one.reason) for one in errata] == [
        ("plain_2", "kind", True, "Its label is wrong.")
    ]


@pytest.mark.django_db
def test_loading_twice_changes_nothing() -> None:
    first, was_new = load(TinySuite())

    second, is_new = load(TinySuite())

    assert (was_new, is_new) == (True, False)
    assert first == second
    assert Case.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_two_first_loads_at_once_make_one_version() -> None:
    def load_once(_: int) -> bool:
        try:
            return load(TinySuite())[1]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        are_new = list(pool.map(load_once, range(4)))

    assert sorted(are_new) == [False, False, False, True]
    assert Benchmark.objects.count() == 1


@pytest.mark.django_db
def test_changed_data_makes_another_version_beside_the_old_one() -> None:
    old, _ = load(TinySuite())

    new, _ = load(TinySuite(found=replace(SOURCE, digest="1" * 64)))

    old.refresh_from_db()
    assert (old.is_current, new.is_current) == (False, True)
    assert (old.slug, new.slug) == ("tiny", "tiny-2")


@pytest.mark.django_db
def test_old_data_come_back_makes_its_version_current_again() -> None:
    old, _ = load(TinySuite())
    load(TinySuite(found=replace(SOURCE, digest="1" * 64)))

    again, is_new = load(TinySuite())

    assert (again, is_new) == (old, False)
    assert Benchmark.objects.current().get() == old


@pytest.mark.django_db(transaction=True)
def test_a_category_with_a_case_missing_loads_nothing() -> None:
    with pytest.raises(BenchmarkBroken, match="2 cases where 3"):
        load(TinySuite(count=2))

    assert not Benchmark.objects.exists()


NOT_HERE = Group("overall", "Overall", (Leaf("plain", "Plain", 3, unavailable="It needs a key."),))


@pytest.mark.django_db
def test_what_cannot_be_asked_here_has_its_cases_all_the_same() -> None:
    benchmark, _ = load(TinySuite(tree=NOT_HERE))

    plain = benchmark.categories.get(name="plain")
    assert (plain.unavailable, plain.cases.filter(is_prerequisite=False).count()) == (
        "It needs a key.", 3
    )  # fmt: skip
    assert benchmark.runnable == []


@pytest.mark.django_db
@pytest.mark.parametrize("had_cases", [True, False])
def test_a_key_set_later_makes_a_category_available(had_cases: bool) -> None:
    benchmark, _ = load(TinySuite(tree=NOT_HERE))
    if not had_cases:
        Case.objects.filter(category__name="plain").delete()

    changed = benchmarks.refresh(benchmark, TinySuite())  # type: ignore[arg-type]

    assert changed == ["plain"]
    assert [row.name for row in choose_categories(benchmark, "fc")] == ["plain", "beside"]
    assert Case.objects.filter(category__name="plain").count() == 4
    assert Benchmark.objects.get().runnable == []


@pytest.mark.django_db
def test_cases_that_were_not_loaded_where_they_cannot_be_asked_are_loaded_later() -> None:
    benchmark, _ = load(TinySuite(tree=NOT_HERE))
    Case.objects.filter(category__name="plain").delete()

    changed = benchmarks.refresh(benchmark, TinySuite(tree=NOT_HERE))  # type: ignore[arg-type]

    assert changed == []
    assert Case.objects.filter(category__name="plain").count() == 4


@pytest.mark.django_db
def test_nothing_changes_where_nothing_did() -> None:
    benchmark, _ = load(TinySuite())

    assert benchmarks.refresh(benchmark, TinySuite()) == []  # type: ignore[arg-type]


@pytest.mark.django_db
def test_prerequisites_are_rows_outside_n_that_name_their_chain() -> None:
    benchmark, _ = load(TinySuite())

    category = benchmark.categories.get(name="plain")
    rows = category.cases.order_by("position").values_list("name", "chain", "is_prerequisite")
    assert category.n == 3
    assert list(rows) == [
        ("plain_0", "", False),
        ("plain_1", "story", False),
        ("plain_2", "story", False),
        ("plain_before", "story", True),
    ]


@pytest.mark.django_db
def test_what_is_off_by_default_is_asked_only_when_named() -> None:
    benchmark, _ = load(TinySuite())

    by_default = choose_categories(benchmark, "fc")
    named = choose_categories(benchmark, "fc", ["off"])

    assert [category.name for category in by_default] == ["plain", "beside"]
    assert [category.name for category in named] == ["off"]


def test_all_thirteen_single_turn_categories_are_asked_by_default() -> None:
    suite = real_suite()
    leaves = [*suite.tree.leaves(), *suite.extras]

    asked = {leaf.name for leaf in leaves if not leaf.is_extra}

    assert {"live_relevance", "live_irrelevance", "simple_python"} <= asked
