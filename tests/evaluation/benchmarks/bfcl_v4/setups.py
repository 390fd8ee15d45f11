"""The ways of asking that tests judge by, and short hands for judging."""

from __future__ import annotations

import json
from typing import Any

from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Judgement, Mode, Setup

FC = Setup(Mode.FC, underscore=True)
DOTS = Setup(Mode.FC, underscore=False)
PROMPT = Setup(Mode.PROMPT)


def case_of(case_id: str) -> CaseData:
    category = SUITE.category_of(case_id)
    assert category is not None, case_id
    return next(case for case in SUITE.cases(category) if case.id == case_id)


def called(name: str, /, **arguments: Any) -> dict[str, str]:
    """One call as an FC result holds it."""
    return {name: json.dumps(arguments)}


def judged(case_id: str, result: Any, setup: Setup = FC) -> Judgement:
    return SUITE.judge(case_of(case_id), result, setup)
