"""What every benchmark must be, whichever it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

from evaluation.benchmarks import SUITES, suite
from evaluation.benchmarks.categories import Category, Group, without
from evaluation.benchmarks.suite import Suite
from evaluation.engine.types import Mode, Setup
from tests.suites import real_suite

EVERY = pytest.mark.parametrize("slug", [known.slug for known in SUITES])
# One answer no case can want, in every shape a result value can have.
HOSTILE = (None, "", "[f(a=(", [{"f": '{"a": NaN}'}], [{"f": "{"}], {"a": 1}, [[["x"]]], 5, [None])


def leaves(known: Suite) -> list[Category]:
    return [*known.tree.leaves(), *known.extras]


def groups(group: Group) -> list[Group]:
    inner = [
        found for member in group.members if isinstance(member, Group) for found in groups(member)
    ]
    return [group, *inner]


def test_slugs_are_unique_and_an_unknown_one_names_those_there_are() -> None:
    assert len({known.slug for known in SUITES}) == len(SUITES)
    with pytest.raises(KeyError, match=SUITES[0].slug):
        suite("nonsense")


@EVERY
def test_names_in_the_tree_are_unique(slug: str) -> None:
    known = suite(slug)
    names = [leaf.name for leaf in leaves(known)] + [group.name for group in groups(known.tree)]

    assert len(set(names)) == len(names)


@EVERY
def test_every_weight_is_positive_and_every_group_has_members(slug: str) -> None:
    for group in groups(suite(slug).tree):
        assert group.members
        assert all(member.weight > 0 for member in group.members)


@EVERY
def test_ids_are_unique_and_counts_are_those_published(slug: str) -> None:
    known = real_suite(slug)
    runnable = [leaf for leaf in leaves(known) if not leaf.unavailable]

    ids = [case.id for leaf in runnable for case in known.cases(leaf.name)]

    assert len(set(ids)) == len(ids) == sum(leaf.cases for leaf in runnable)
    for leaf in runnable:
        first = known.cases(leaf.name)[0]
        assert (first.category, known.category_of(first.id)) == (leaf.name, leaf.name)
    assert known.category_of("no_such_case_1") is None


@EVERY
def test_hostile_results_are_judged_wrong_or_right_and_shown_as_strict_json(slug: str) -> None:
    known = real_suite(slug)

    for leaf in leaves(known):
        if leaf.unavailable or leaf.in_sandbox:
            continue
        case = known.cases(leaf.name)[0]
        for mode in leaf.modes:
            for result in HOSTILE:
                setup = Setup(Mode(mode))
                verdict = known.judge(case, result, setup)
                shown = known.view(case, result, setup)

                assert (verdict.error_type is None) == verdict.valid
                assert bool(verdict.message) != verdict.valid
                json.dumps(
                    [shown.decoded, list(shown.tools), list(shown.messages)], allow_nan=False
                )


@EVERY
def test_a_ceiling_belongs_to_a_profile_and_a_node_and_is_a_share(slug: str) -> None:
    known = suite(slug)
    names = {leaf.name for leaf in leaves(known)} | {one.name for one in groups(known.tree)}

    assert len(set(known.profiles)) == len(known.profiles) > 0
    assert set(known.ceilings) <= set(known.profiles)
    for shares in known.ceilings.values():
        assert set(shares) <= names
        assert all(0 <= right <= count for right, count in shares.values())


@EVERY
def test_every_profile_leaves_cases_to_judge_and_says_why_others_are_out(slug: str) -> None:
    known = real_suite(slug)
    sizes = {leaf.name: leaf.cases for leaf in known.tree.leaves()}

    for profile in known.profiles:
        reasons = known.excluded(profile)
        out = Counter(known.category_of(case) for case in reasons)

        assert None not in out
        assert all(reason.endswith(".") for reason in reasons.values())
        assert without(known.tree, {name: out[name] for name in sizes}) is not None
        for name, (_, count) in known.ceilings.get(profile, {}).items():
            if name in sizes:
                assert count == sizes[name] - out[name]


@EVERY
def test_published_tables_have_a_source_and_a_figure_in_every_column(slug: str) -> None:
    for table in suite(slug).published:
        assert table.source
        assert len(table.denominators) == len(table.columns)
        for row in table.rows:
            assert len(row.percent) == len(table.columns)
            assert all(0 <= figure <= 100 for figure in row.percent)


def test_nothing_outside_its_folder_knows_api_bank_by_name() -> None:
    folder = Path(settings.BASE_DIR)
    sources = (
        path
        for part in ("evaluation", "leaderboard", "submissions", "templates")
        for path in (folder / part).rglob("*.*")
        if path.suffix in (".py", ".html")
    )

    named = {
        path.relative_to(folder).as_posix()
        for path in sources
        if re.search(r"api.?bank", path.read_text("utf-8"), re.IGNORECASE)
        and "apibank" not in path.parts
    }

    assert named == {"evaluation/benchmarks/__init__.py"}


def test_overall_of_bfcl_v4_has_the_official_weights() -> None:
    tree = suite("bfcl-v4").tree
    weights = {member.name: member.weight for member in tree.members}

    assert weights == {
        "non_live": 10,
        "live": 10,
        "irrelevance_detection": 10,
        "multi_turn": 30,
        "agentic": 40,
    }
    assert sum(weights.values()) == 100
    assert sum(leaf.cases for leaf in leaves(suite("bfcl-v4")) if not leaf.is_extra) == 5106
