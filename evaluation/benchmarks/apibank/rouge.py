"""ROUGE-L as the package `rouge` counts it, for the published response figures.

Sentences end at full stops, words at white space, case matters. Common subsequences of every
pair of sentences are united as a set of words and set against the distinct words of each text.
"""

from __future__ import annotations

from collections.abc import Sequence

TINY = 1e-8  # keeps the mean defined where nothing is shared
LONGEST = 20_000  # characters of a text that are read
STRIPPED_AT_LEVEL_3 = ("User:", "AI:")


def rouge_l(hypothesis: str, reference: str) -> float:
    """The F score in [0, 1]; 0 where the hypothesis has no sentence."""
    said, expected = _sentences(hypothesis[:LONGEST]), _sentences(reference[:LONGEST])
    if not said or not expected:
        return 0.0
    shared: set[str] = set()
    for sentence in expected:
        for other in said:
            shared |= _common(sentence, other)
    recall = len(shared) / len({word for sentence in expected for word in sentence})
    precision = len(shared) / len({word for sentence in said for word in sentence})
    return 2 * precision * recall / (precision + recall + TINY)


def without_roles(text: str) -> str:
    """A response of level 3, as it is compared: without the names of the speakers."""
    for role in STRIPPED_AT_LEVEL_3:
        text = text.replace(role, "")
    return text.strip()


def _sentences(text: str) -> list[list[str]]:
    return [" ".join(part.split()).split(" ") for part in text.split(".") if part]


def _common(one: Sequence[str], other: Sequence[str]) -> set[str]:
    """The words of one longest common subsequence."""
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, word in enumerate(one, 1):
        for j, candidate in enumerate(other, 1):
            if word == candidate:
                lengths[i][j] = lengths[i - 1][j - 1] + 1
            else:
                lengths[i][j] = max(lengths[i - 1][j], lengths[i][j - 1])
    return _walk_back(one, other, lengths)


def _walk_back(one: Sequence[str], other: Sequence[str], lengths: list[list[int]]) -> set[str]:
    words: set[str] = set()
    i, j = len(one), len(other)
    while i and j:
        if one[i - 1] == other[j - 1]:
            words.add(one[i - 1])
            i, j = i - 1, j - 1
        elif lengths[i - 1][j] > lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return words
