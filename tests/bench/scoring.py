"""How long judging one model's 3,641 single-turn answers takes, decoding included.

    python -m tests.bench.scoring

The answers are made of the accepted ones. *Cold* includes preparing every case, as in a process
just started; *warm* is every later model. CPU time of this process, the best of five rounds.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from evaluation.benchmarks.bfcl_v4 import judge, tree
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Mode, Setup

ROUNDS = 5


def arguments_of(accepted: dict[str, list[Any]]) -> dict[str, Any]:
    """One accepted value for each parameter that has one."""
    return {key: options[0] for key, options in accepted.items() if options and options[0] != ""}


def answer_to(case: CaseData, mode: Mode) -> Any:
    """A plausible answer: the accepted calls, or a sentence where none is due."""
    if case.answer is None:
        return "I cannot help with that."
    calls = [(name, arguments_of(args)) for call in case.answer for name, args in call.items()]
    if mode is Mode.FC:
        return [{name: json.dumps(arguments)} for name, arguments in calls]
    texts = [
        f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
        for name, arguments in calls
    ]
    return f"[{', '.join(texts)}]"


def seconds(answers: list[tuple[CaseData, Any]], setup: Setup) -> float:
    started = time.process_time()
    for case, answer in answers:
        SUITE.judge(case, answer, setup)
    return time.process_time() - started


def main() -> int:
    cases = [case for name in tree.SINGLE_TURN for case in SUITE.cases(name)]
    for mode in Mode:
        answers = [(case, answer_to(case, mode)) for case in cases]
        cold, warm = [], []
        for _ in range(ROUNDS):
            judge.forget()
            cold.append(seconds(answers, Setup(mode)))
            warm.append(seconds(answers, Setup(mode)))
        sys.stdout.write(
            f"{mode.value:7}{len(answers)} answers:"
            f" {min(cold):.3f} s cold, {min(warm):.3f} s warm\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
