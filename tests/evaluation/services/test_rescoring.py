"""A new scoring takes the place of the old one when it is whole, and not before."""

from __future__ import annotations

import json

from evaluation.models import Benchmark, Case, Erratum, Scoring
from evaluation.runner import rejudging
from evaluation.services import scoring
from tests.evaluation.services import brought

ERROR = "Error during inference: no route"


def correct(board: Benchmark, name: str, *, is_excluded: bool = False) -> None:
    """An erratum that nothing said so far can satisfy."""
    case = Case.objects.get(category__benchmark=board, name=name)
    answer = json.dumps(
        [
            {function: {key: ["what nobody said"] for key in arguments}}
            for call in json.loads(case.answer)
            for function, arguments in call.items()
        ]
    )
    Erratum.objects.create(
        case=case, answers_version=2, answer=answer, is_excluded=is_excluded, reason="A test."
    )


def test_a_corrected_answer_changes_the_verdict(board: Benchmark) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})
    right = sorted(name for name, outcome in brought.outcomes(run).items() if outcome == "correct")
    correct(board, right[0])

    fresh = scoring.rescore(run)

    assert (fresh.is_current, fresh.answers_version) == (True, 2)
    assert brought.outcomes(run)[right[0]] == "wrong"
    assert run.scorings.filter(is_current=False).get().verdicts.count() == 16
    assert run.events.filter(reason__startswith="Judged again").count() == 1


def test_an_excluded_case_leaves_n(board: Benchmark) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})
    correct(board, "live_parallel_0-0-0", is_excluded=True)

    scoring.rescore(run)

    assert brought.figures(run)["live_parallel"][0] == 15
    assert "live_parallel_0-0-0" not in brought.outcomes(run)


def test_unscored_cases_stay_unscored(board: Benchmark) -> None:
    lines = brought.lines("irrelevance", {"irrelevance_3": ERROR})
    run = brought.judged(board, {"irrelevance": lines})

    scoring.rescore(run, profile="repaired")

    assert brought.figures(run)["irrelevance"] == (240, 239, 0, 1)


def test_the_old_scoring_stays_current_until_the_new_one_is_whole(board: Benchmark) -> None:
    run = brought.judged(
        board,
        {
            "live_parallel": brought.lines("live_parallel"),
            "irrelevance": brought.lines("irrelevance"),
        },
    )
    old = run.scorings.get()

    fresh = scoring.begin(run, profile="repaired")
    first, *others = rejudging.chunks_left(fresh)
    bench = rejudging.Bench()
    bench.judge(first)
    rejudging.close_if_whole(fresh.pk)
    between = Scoring.objects.get(run=run, is_current=True)
    for chunk in others:
        bench.judge(chunk)
    bench.close()
    rejudging.close_if_whole(fresh.pk)

    assert between == old
    assert Scoring.objects.get(run=run, is_current=True) == fresh
    assert not scoring.begin(run, profile="repaired").due


def test_the_same_versions_are_not_judged_twice(board: Benchmark) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})

    again = scoring.rescore(run)

    assert again == run.scorings.get()


def test_a_case_that_never_came_to_an_end_is_not_judged_for_its_replies(board: Benchmark) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})
    run.scorings.get().verdicts.get(case__name="live_parallel_0-0-0").delete()

    fresh = scoring.rescore(run, profile="repaired")

    assert fresh.is_current
    assert fresh.verdicts.count() == 15
    assert "live_parallel_0-0-0" not in brought.outcomes(run)


def test_judged_again_without_any_change_every_verdict_is_the_same(board: Benchmark) -> None:
    categories = ("live_parallel", "irrelevance", "multi_turn_base")
    run = brought.judged(board, {name: brought.lines(name) for name in categories})
    old = run.scorings.get()

    new = scoring.rescore(run, profile="repaired")

    assert new != old
    assert rows_of(new) == rows_of(old)
    assert len(rows_of(new)) == 16 + 240 + 200


def rows_of(judged: Scoring) -> set[tuple[object, ...]]:
    columns = ("case", "outcome", "error_type", "fault", "where", "message", "attempts")
    return set(judged.verdicts.values_list(*columns))
