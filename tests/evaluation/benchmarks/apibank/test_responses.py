"""Answers in words, as the published program compares them."""

from __future__ import annotations

from evaluation.benchmarks.apibank.corpus import Corpus
from evaluation.benchmarks.apibank.responses import mean_rouge, references
from evaluation.benchmarks.apibank.rouge import rouge_l


def test_there_are_as_many_answers_as_published(corpus: Corpus) -> None:
    assert [len(references(corpus, level)) for level in (1, 2, 3)] == [375, 103, 50]


def test_saying_what_is_expected_scores_one_and_silence_zero(corpus: Corpus) -> None:
    for level in (1, 2, 3):
        expected = references(corpus, level)

        assert mean_rouge(corpus, level, expected) > 0.999
        assert mean_rouge(corpus, level, {}) == 0


def test_case_and_order_of_words_matter() -> None:
    assert rouge_l("the cat sat", "The cat sat") < 1
    assert rouge_l("sat cat the", "the cat sat") < rouge_l("the cat sat", "the cat sat")
