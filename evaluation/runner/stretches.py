"""A stretch of a category's cases, read once and kept: they are the same for every model."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import QuerySet

from evaluation.benchmarks import suite as find_suite
from evaluation.engine.types import CaseData
from evaluation.models import Case, Category, Erratum, Scoring

KEPT = 32  # stretches a process remembers; all of BFCL's categories but format sensitivity


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cases by primary key, in dataset order; None where an erratum took a case out."""

    in_sandbox: bool
    cases: Mapping[int, CaseData | None]


@lru_cache(maxsize=KEPT)
def stretch(
    category_id: int,
    answers_version: int,
    profile: str,
    positions: range,
    last_correction: int,
) -> Stretch:
    """The cases at some positions, with the accepted answers of a version in a profile.

    `last_correction` only tells one state of the corrections from another.
    """
    category = Category.objects.select_related("benchmark").get(pk=category_id)
    rows = Case.objects.filter(
        category=category_id,
        is_prerequisite=False,
        position__gte=positions.start,
        position__lt=positions.stop,
    ).order_by("position")
    errata = corrections([category_id], answers_version, profile)
    cases: dict[int, CaseData | None] = {}
    for pk, name, question, answer in rows.values_list("pk", "name", "question", "answer"):
        corrected, is_excluded = errata.get(pk, (answer, False))
        cases[pk] = (
            None
            if is_excluded
            else CaseData(
                name,
                category.name,
                json.loads(question),
                json.loads(corrected) if corrected else None,
            )
        )
    return Stretch(_is_boxed(category), cases)


def corrections(
    categories: Collection[int], answers_version: int, profile: str
) -> dict[int, tuple[str, bool]]:
    """Accepted answer, and whether the case is out of n, by primary key of corrected cases."""
    errata = in_force(answers_version, profile).filter(case__category__in=categories)
    found: dict[int, tuple[str, bool]] = {}
    for case, answer, is_excluded in errata.values_list("case_id", "answer", "is_excluded"):
        # What holds in one profile takes a case out; it never takes one back in.
        found[case] = (answer, is_excluded or (case in found and found[case][1]))
    return found


def excluded(categories: Collection[int], scoring: Scoring) -> set[int]:
    """Cases of these categories that errata take out of n in a scoring."""
    corrected = corrections(categories, scoring.answers_version, scoring.profile)
    return {case for case, (_, is_out) in corrected.items() if is_out}


def in_force(answers_version: int, profile: str) -> QuerySet[Erratum]:
    """Errata that hold in a version of the answers and a profile, the newest last."""
    return Erratum.objects.filter(
        answers_version__lte=answers_version, profile__in=("", profile)
    ).order_by("answers_version", "pk")


def _is_boxed(category: Category) -> bool:
    suite = find_suite(category.benchmark.suite)
    leaves = (*suite.tree.leaves(), *suite.extras)
    return any(leaf.in_sandbox for leaf in leaves if leaf.name == category.name)
