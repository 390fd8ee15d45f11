"""Counts over many verdicts: each call once, as published, and what the recording reaches."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.benchmarks.apibank.corpus import Corpus, GoldCall
from evaluation.benchmarks.apibank.prompts import written_call
from evaluation.benchmarks.apibank.score import Scorer

Key = tuple[str, int]
Share = tuple[int, int]  # right ones, and all that count
Verdicts = Mapping[Key, bool | None]


def recorded_verdicts(corpus: Corpus, profile: str) -> dict[Key, bool | None]:
    """The verdict on every recorded call, given as the model's answer."""
    scorer = Scorer(corpus, profile)
    return {
        call.key: scorer.judge(call, written_call(call.tool, call.written)).valid
        for level in (1, 2, 3)
        for call in corpus.calls(level)
    }


def once_each(corpus: Corpus, verdicts: Verdicts) -> dict[int, Share]:
    """Every call once; those without a verdict leave the count."""
    shares = {}
    for level in (1, 2, 3):
        valid = [verdicts.get(call.key) for call in corpus.calls(level)]
        counted = [one for one in valid if one is not None]
        shares[level] = (sum(one is True for one in counted), len(counted))
    return shares


def as_published(corpus: Corpus, verdicts: Verdicts) -> dict[int, Share]:
    """The published counts: a call after a call twice; at level 3, tasks without a wrong step."""
    shares = {}
    for level in (1, 2):
        dialogues = [one for one in corpus.dialogues if one.level == level]
        weighted = [
            (_times(dialogue.entries, call), verdicts.get(call.key) is True)
            for dialogue in dialogues
            for call in dialogue.calls
        ]
        right = sum(times for times, valid in weighted if valid)
        shares[level] = (right, sum(times for times, _ in weighted))
    solved = sum(all(verdicts.get(call.key) is True for call in one.calls) for one in corpus.tasks)
    shares[3] = (solved, len(corpus.tasks))
    return shares


def _times(entries: object, call: GoldCall) -> int:
    """The published list of samples holds a call again when it follows another call."""
    assert isinstance(entries, list)
    follows = call.turn > 0 and entries[call.turn - 1]["role"] == "API"
    return 2 if follows else 1
