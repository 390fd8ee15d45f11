"""The published figure for answers in words: a footnote of the upstream profile, never ranked.

The published program asks for the assistant's next words after each call, and compares them with
the recorded ones by ROUGE-L. Such an answer is neither right nor wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.benchmarks.apibank.answers import MEASURE
from evaluation.benchmarks.apibank.corpus import Corpus
from evaluation.benchmarks.apibank.rouge import rouge_l, without_roles
from evaluation.engine.types import JSON, CaseData, Judgement, Setup

Key = tuple[str, int]  # sample, and the turn of the call that the answer follows


def references(corpus: Corpus, level: int) -> dict[Key, str]:
    """What the assistant says after each call, and at level 3 at the end of each task."""
    if level == 3:
        return {(task.sample, len(task.calls)): task.response for task in corpus.tasks}
    found: dict[Key, str] = {}
    for dialogue in corpus.dialogues:
        for call in dialogue.calls if dialogue.level == level else ():
            after = dialogue.entries[call.turn + 1 : call.turn + 2]
            if after and after[0]["role"] == "AI":
                found[call.key] = after[0]["text"]
    return found


def mean_rouge(corpus: Corpus, level: int, said: Mapping[Key, str]) -> float:
    """The mean ROUGE-L in [0, 1] of what was said; what was not said counts as 0."""
    scores = [
        measured(said.get(key, ""), reference, level)
        for key, reference in references(corpus, level).items()
    ]
    return sum(scores) / len(scores) if scores else 0.0


def measured(said: str, reference: str, level: int) -> float:
    if level == 3:
        return rouge_l(without_roles(said), reference)
    return round(rouge_l(said, reference), 4)


def judge_answer(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """No verdict, but a measure; a call where words are due has no words."""
    said = result if isinstance(result, str) else ""
    measure = measured(said, str(case.answer["said"]), int(case.question["level"]))
    message = (
        f"{MEASURE.title} {measure:.4f} against the recorded answer; neither right nor wrong."
    )
    return Judgement(False, "ANSWER_IN_WORDS", message=message, measure=measure)
