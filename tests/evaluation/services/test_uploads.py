"""Results of somebody else become a run: whole, judged as ours are, private."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation import tasks
from evaluation.benchmarks.bfcl_v4.manifest import Manifest
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import Mode, Setup
from evaluation.models import Benchmark, Evidence, Reply, Run
from evaluation.runner import queueing, rejudging
from evaluation.services import publishing
from evaluation.services.uploads import CannotStore
from tests.evaluation.services import brought

ERROR = "Error during inference: 429 too many requests"


def test_verdicts_are_the_suites_own_and_the_run_ends_private(board: Benchmark) -> None:
    run = brought.judged(board, {"simple_javascript": brought.lines("simple_javascript")})

    setup = Setup(Mode.FC, underscore=True)
    cases = SUITE.cases("simple_javascript")
    right = sum(SUITE.judge(case, brought.accepted(case), setup).valid for case in cases)
    assert brought.figures(run)["simple_javascript"] == (50, right, 50 - right, 0)
    assert (run.state, run.published_at, run.n) == ("finished", None, 50)
    assert run.entry.evidence == Evidence.UPLOADED
    assert [event.to_state for event in run.events.all()] == ["queued", "running", "finished"]


def test_conversations_are_judged_in_the_sandbox(board: Benchmark) -> None:
    run = brought.judged(board, {"multi_turn_base": brought.lines("multi_turn_base")})

    n, correct, wrong, _ = brought.figures(run)["multi_turn_base"]
    assert correct is not None
    assert correct > 100
    assert (n, correct + (wrong or 0)) == (200, 200)


def test_error_texts_are_unscored_even_where_they_would_pass(board: Benchmark) -> None:
    lines = brought.lines("irrelevance", {"irrelevance_0": ERROR, "irrelevance_1": ERROR})

    run = brought.judged(board, {"irrelevance": lines})

    assert brought.figures(run)["irrelevance"] == (240, 238, 0, 2)
    assert run.state == Run.State.INCOMPLETE
    assert brought.outcomes(run)["irrelevance_0"] == "unscored"


def test_errors_that_a_manifest_owns_up_to_are_wrong(board: Benchmark) -> None:
    lines = brought.lines("live_parallel", {"live_parallel_0-0-0": ERROR})
    manifest = Manifest(without_completion={"live_parallel_0-0-0": "context_overflow"})

    run = brought.judged(board, {"live_parallel": lines}, manifest=manifest)

    verdict = run.scorings.get().verdicts.get(case__name="live_parallel_0-0-0")
    assert (verdict.outcome, verdict.fault) == ("wrong", "context_overflow")


def test_cases_left_out_keep_their_place_in_n(board: Benchmark) -> None:
    kept = brought.lines("live_parallel").splitlines()[2:]
    manifest = Manifest(
        unscored=frozenset({"live_parallel_0-0-0"}), not_run=frozenset({"live_parallel_1-0-1"})
    )

    run = brought.judged(board, {"live_parallel": b"\n".join(kept)}, manifest=manifest)

    n, correct, wrong, unscored = brought.figures(run)["live_parallel"]
    assert (n, (correct or 0) + (wrong or 0), unscored) == (16, 14, 1)
    assert "1 of 16 cases were not asked" in run.reason


def test_counts_and_times_of_conversations_are_kept_as_given(board: Benchmark) -> None:
    figures: dict[str, Any] = {
        "latency": [[1.5, 0.5], [1.0]],
        "input_token_count": [[10, 20], [30]],
    }
    lines = brought.lines("multi_turn_base", **figures)

    run = brought.stored(board, {"multi_turn_base": lines})

    reply = Reply.objects.filter(run=run).first()
    assert reply is not None
    assert (reply.latency, reply.tokens_in, reply.tokens_out) == (3.0, 60, None)
    assert json.loads(reply.figures)["latency"] == figures["latency"]


def test_prompt_only_categories_are_refused_in_fc_mode_and_nothing_is_stored(
    board: Benchmark,
) -> None:
    board.categories.filter(name="live_parallel").update(modes=["prompt"])

    with pytest.raises(CannotStore, match="prompt mode only"):
        brought.stored(board, {"live_parallel": brought.lines("live_parallel")})

    assert not Run.objects.exists()


def test_workers_judge_an_upload_chunk_by_chunk(board: Benchmark) -> None:
    run = brought.stored(board, {"live_parallel": brought.lines("live_parallel")})

    chunks = list(rejudging.claim_chunks())
    for chunk in [*chunks, *chunks]:  # every message delivered twice
        tasks.judge_chunk(chunk.scoring_id, chunk.category_id, chunk.number)
    rejudging.leave()

    run.refresh_from_db()
    assert (run.state, len(brought.outcomes(run))) == ("finished", 16)
    assert list(rejudging.claim_chunks()) == []


def test_lost_hints_are_given_again_once_nothing_moves(board: Benchmark) -> None:
    run = brought.stored(board, {"live_parallel": brought.lines("live_parallel")})
    first = list(rejudging.claim_chunks())

    at_once = list(rejudging.claim_chunks())
    run.scorings.update(hinted_at=run.created_at - 2 * rejudging.STALLED_AFTER)
    later = list(rejudging.claim_chunks())

    assert (at_once, later) == ([], first)


def test_the_sweep_leaves_an_upload_to_its_judges(board: Benchmark) -> None:
    run = brought.stored(board, {"live_parallel": brought.lines("live_parallel")})

    queueing.sweep()

    run.refresh_from_db()
    assert run.state == Run.State.QUEUED


def test_our_own_mistake_ends_the_run_with_a_reason(board: Benchmark) -> None:
    run = brought.stored(board, {"live_parallel": brought.lines("live_parallel")})

    rejudging.give_up(run.scorings.get().pk, "Our own mistake.")

    run.refresh_from_db()
    assert (run.state, run.reason) == ("failed", "Our own mistake.")
    assert list(rejudging.claim_chunks()) == []


def test_a_published_upload_is_shown_by_its_entry(board: Benchmark) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})

    publishing.publish(run)

    run.entry.refresh_from_db()
    assert run.entry.shown_run == run
