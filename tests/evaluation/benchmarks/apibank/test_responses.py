"""Answers in words, as the published program compares them."""

from __future__ import annotations

import pytest

from evaluation.benchmarks.apibank.answers import NEITHER
from evaluation.benchmarks.apibank.corpus import Corpus
from evaluation.benchmarks.apibank.responses import mean_rouge, references
from evaluation.benchmarks.apibank.rouge import rouge_l
from evaluation.benchmarks.apibank.suite import ApiBank
from evaluation.benchmarks.apibank.tree import ANSWERS
from evaluation.engine.play import Ask
from evaluation.engine.types import Mode, Setup


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


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("mode", list(Mode))
def test_an_answer_is_asked_right_after_the_result_of_its_call(
    suite: ApiBank, level: int, mode: Mode
) -> None:
    for case in suite.cases(ANSWERS[level].name):
        step = next(suite.play(case, Setup(mode)))

        assert isinstance(step, Ask)
        *_, last = step.question.messages
        assert last["role"] == ("tool" if mode is Mode.FC else "system")
        assert (step.question.tools is None) == (mode is Mode.PROMPT)


def test_an_answer_has_a_measure_and_no_verdict_that_counts(suite: ApiBank) -> None:
    for category in ANSWERS.values():
        case = suite.cases(category.name)[0]
        setup = Setup(Mode.PROMPT)

        same = suite.judge(case, case.answer["said"], setup)
        called = suite.judge(case, [{"GetToday": "{}"}], setup)

        assert same.measure == pytest.approx(1.0)
        assert called.measure == 0
        assert (same.valid, same.fault) == (False, None)


def test_no_profile_counts_answers_in_words(suite: ApiBank) -> None:
    ids = {case.id for one in ANSWERS.values() for case in suite.cases(one.name)}

    for profile in suite.profiles:
        out = suite.excluded(profile)

        assert {name for name, reason in out.items() if reason == NEITHER} == ids
