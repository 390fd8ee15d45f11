"""BM25+ ranking, as the key-value memory of the benchmark asks it of a library.

The memory class wants `BM25Plus(corpus).get_scores(query)` with the variant's usual constants.
The order of arithmetic is that of the `rank_bm25` library, so that scores agree to the last bit
and a memory's reply is the same text. Lv & Zhai (2011), "Lower-bounding term frequency
normalization", CIKM.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

K1, B, DELTA = 1.5, 0.75, 1


class BM25Plus:
    """Scores a fixed corpus of tokenised texts. Raises ZeroDivisionError on an empty corpus."""

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        self.counts = [Counter(text) for text in corpus]
        self.lengths = [len(text) for text in corpus]
        self.mean_length = sum(self.lengths) / len(self.lengths)
        texts_with = Counter(word for count in self.counts for word in count)
        total = len(self.counts) + 1
        self.weights = {word: math.log(total / found) for word, found in texts_with.items()}

    def get_scores(self, query: Sequence[str]) -> list[float]:
        """One score for each text of the corpus, in its order; higher is more alike."""
        scores = [0.0] * len(self.counts)
        for word in query:
            weight = self.weights.get(word, 0)
            for place, count in enumerate(self.counts):
                found = count[word]
                norm = K1 * (1 - B + B * self.lengths[place] / self.mean_length) + found
                scores[place] += weight * (DELTA + found * (K1 + 1) / norm)
        return scores
