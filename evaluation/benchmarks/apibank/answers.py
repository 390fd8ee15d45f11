"""Answers in words: measured by ROUGE-L, neither right nor wrong, and a footnote at most."""

from __future__ import annotations

from evaluation.benchmarks.apibank.tree import ANSWERS
from evaluation.benchmarks.apibank.verdicts import UPSTREAM
from evaluation.benchmarks.suite import Measure
from evaluation.engine.types import CaseData

NAMES = frozenset(category.name for category in ANSWERS.values())
NEITHER = (
    "An answer in words is neither right nor wrong: ROUGE-L sets it against the recorded one."
)
MEASURE = Measure(
    "ROUGE-L",
    UPSTREAM,
    "The assistant’s next words after each call are set against the recorded ones, counted as the "
    "published program does: case matters, sentences end at full stops, and an answer without "
    "words counts as 0. It is a footnote: nothing is ranked by it.",
)


def is_answer(case: CaseData) -> bool:
    return case.category in NAMES
