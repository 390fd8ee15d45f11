"""The benchmarks this board knows. Adding one is a folder and one name here."""

from __future__ import annotations

from evaluation.benchmarks.apibank.suite import SUITE as APIBANK
from evaluation.benchmarks.bfcl_v3.suite import SUITE as BFCL_V3
from evaluation.benchmarks.bfcl_v4.suite import SUITE as BFCL_V4
from evaluation.benchmarks.suite import Suite

SUITES: tuple[Suite, ...] = (BFCL_V4, APIBANK, BFCL_V3)


def suite(slug: str) -> Suite:
    """The suite with this slug. Raises KeyError, naming those there are."""
    for found in SUITES:
        if found.slug == slug:
            return found
    known = ", ".join(found.slug for found in SUITES)
    raise KeyError(f"There is no benchmark {slug!r}; there are {known}.")


def is_stepwise(slug: str, category: str) -> bool:
    """Whether a case of this category takes several requests."""
    return any(found.slug == slug and category.startswith(found.stepwise) for found in SUITES)


def profiles_of(slug: str) -> tuple[str, ...]:
    """The ways a suite judges, the usual one first; none for a suite that is gone."""
    return next((found.profiles for found in SUITES if found.slug == slug), ())
