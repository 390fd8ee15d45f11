"""The multi-turn categories as the suite's table wants them."""

from __future__ import annotations

from evaluation.benchmarks.bfcl_v4 import conversation, multi_turn_judge
from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable
from evaluation.benchmarks.bfcl_v4.executable import call_texts
from evaluation.engine.types import JSON, CaseData, Mode, Setup

__all__ = ["decoded", "expects", "judge", "play"]

play = conversation.play
judge = multi_turn_judge.judge


def decoded(case: CaseData, result: JSON, setup: Setup) -> JSON:
    """Call texts as `[turn][step][call]`, an empty step where a message had none; or None."""
    if not isinstance(result, list):
        return None
    return [
        [_texts(step, setup.mode) for step in turn] if isinstance(turn, list) else []
        for turn in result
    ]


def expects(case: CaseData) -> str:
    return (
        "After every turn the same state as the accepted calls leave behind, and every reply "
        "they get among the replies so far."
    )


def _texts(step: JSON, mode: Mode) -> list[str]:
    try:
        return call_texts(step, mode)
    except Undecodable:
        return []
