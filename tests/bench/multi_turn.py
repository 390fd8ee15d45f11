"""How long judging 800 multi-turn traces takes, sandbox included, beside the official code.

    python -m tests.bench.multi_turn [--json FILE]

The traces are the accepted calls, a step each. The official checker runs in a process of its
own, with nothing but the benchmark's package and what its simulated classes need: no vendor's
libraries, no result files, no walls. (The official runner as a whole takes about six times as
long.) Figures are wall times: they mean something on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from evaluation.benchmarks.bfcl_v4 import package
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.benchmarks.bfcl_v4.tree import MULTI_TURN
from evaluation.engine.types import CaseData, Mode, Setup
from evaluation.sandbox.blocking import Sandbox
from tests.bench import figures

DECODED = Setup(Mode.FC, options={"decoded": True})
OFFICIAL = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker
jobs = json.load(open(sys.argv[2]))
valid = sum(
    multi_turn_checker(trace, answer, entry, category, "official")["valid"]
    for trace, answer, entry, category in jobs
)
assert valid == len(jobs), valid
"""


def steps_of(case: CaseData) -> list[list[list[str]]]:
    return [[[call] for call in turn] for turn in case.answer]


def official_seconds(cases: list[CaseData]) -> float:
    """Wall time of the official checker on all traces, its process's start included."""
    jobs: list[Any] = [
        [steps_of(case), case.answer, {"id": case.id, **case.question}, case.category]
        for case in cases
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(jobs, file)
        file.flush()
        command = [sys.executable, "-c", OFFICIAL, str(package.root().parent), file.name]
        started = time.perf_counter()
        subprocess.run(command, check=True, cwd=Path(file.name).parent)
        return time.perf_counter() - started


def our_seconds(cases: list[CaseData]) -> tuple[float, float]:
    """Wall time with new sandbox children, and again with the same ones."""
    jobs = [(case, steps_of(case), DECODED) for case in cases]
    started = time.perf_counter()
    with Sandbox() as sandbox:
        first = sandbox.judge_all(SUITE.slug, jobs)
        between = time.perf_counter()
        again = sandbox.judge_all(SUITE.slug, jobs)
        ended = time.perf_counter()
    assert all(judgement.valid for judgement in (*first, *again))
    return between - started, ended - between


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.multi_turn")
    figures.add_option(parser)
    given = parser.parse_args()
    cases = [case for leaf in MULTI_TURN.leaves() for case in SUITE.cases(leaf.name)]
    official = min(official_seconds(cases) for _ in range(3))
    cold, warm = (min(pair) for pair in zip(*(our_seconds(cases) for _ in range(3)), strict=True))
    sys.stdout.write(
        f"{len(cases)} traces: official checker alone {official:.2f} s;"
        f" ours {cold:.2f} s with new children ({official / cold:.1f} ×),"
        f" {warm:.2f} s for every later model"
        f" ({official / warm:.1f} ×)\n"
    )
    found = {"traces": len(cases), "official_checker": official, "cold": cold, "warm": warm}
    figures.keep(given.json, "multi_turn", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
