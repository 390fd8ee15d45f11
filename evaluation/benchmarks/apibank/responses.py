"""The published figure for answers in words: a footnote of the upstream profile, never ranked."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.benchmarks.apibank.corpus import Corpus
from evaluation.benchmarks.apibank.rouge import rouge_l, without_roles

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
        _score(said.get(key, ""), reference, level)
        for key, reference in references(corpus, level).items()
    ]
    return sum(scores) / len(scores) if scores else 0.0


def _score(said: str, reference: str, level: int) -> float:
    if level == 3:
        return rouge_l(without_roles(said), reference)
    return round(rouge_l(said, reference), 4)
