"""Verdicts on memory and web search: only the final message counts."""

from __future__ import annotations

import re

from evaluation.benchmarks.bfcl_v4 import conversation
from evaluation.benchmarks.bfcl_v4.decode_python import Undecodable
from evaluation.benchmarks.bfcl_v4.executable import call_texts, is_empty
from evaluation.benchmarks.bfcl_v4.multi_turn import decoded
from evaluation.engine.types import JSON, CaseData, Fault, Judgement, Mode, Setup

__all__ = ["decoded", "expects", "judge", "play"]

_PUNCTUATION = re.compile(r"[,./\-_*^()]")
SHOWN = 200  # characters of a message shown in a judgement


play = conversation.play


def judge(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """The official verdict: some accepted answer stands as whole words in the final message."""
    if not isinstance(result, list) or len(result) != 1 or not _is_iterable(result[0]):
        message = "The result is not one turn of steps."
        return _wrong("inference_error", Fault.WRONG_FORMAT, message)
    final = final_message(result[0], setup.mode)
    if not final:
        return _wrong("no_last_message", Fault.NO_ANSWER, "No step is a message without calls.")
    text = final[0] if isinstance(final, list) else final
    said = standardized(text if isinstance(text, str) else str(text))
    for answer in case.answer:
        found = re.search(rf"\b{re.escape(standardized(answer))}\b", said)
        if found:
            return Judgement(True, message=_found(answer, said, found.start()))
    message = f"The final message holds no accepted answer: {said[:SHOWN]}"
    return _wrong("answer_not_found", Fault.WRONG_ANSWER, message)


def expects(case: CaseData) -> str:
    return "A final message in which one of the accepted answers stands as whole words."


def final_message(steps: JSON, mode: Mode) -> JSON:
    """The last step that holds no calls, whatever comes after it; None if there is none."""
    final = None
    for step in steps:
        try:
            is_message = is_empty(call_texts(step, mode))
        except Undecodable:
            is_message = True
        if is_message:
            final = step
    return final


def standardized(text: str) -> str:
    """Without some punctuation, in lower case, with one kind of quotes; spaces stay."""
    return _PUNCTUATION.sub("", text).lower().replace("'", '"')


def _is_iterable(turn: JSON) -> bool:
    return isinstance(turn, list | str | dict)


def _found(answer: str, said: str, start: int) -> str:
    """Where the answer stood, so that a reader can tell luck from knowledge."""
    before, after = max(0, start - SHOWN // 2), start + SHOWN // 2
    return f"“{answer}” was found in the final message: …{said[before:after]}…"


def _wrong(kind: str, fault: Fault, message: str) -> Judgement:
    return Judgement(False, f"agentic:{kind}", fault, "", message)
