"""What every benchmark must be, whichever it is."""

from __future__ import annotations

import json

import pytest

from evaluation.benchmarks import SUITES, suite
from evaluation.benchmarks.categories import Category, Group
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
