"""How long judging one model's 3,641 single-turn answers takes, decoding included.

    python -m tests.bench.scoring [--json FILE]

The answers are made of the accepted ones. *Cold* includes preparing every case, as in a process
just started; *warm* is every later model: CPU time of this process, the best of five rounds.

Then the whole command, from a folder of result files to a folder of score files and tables: wall
times, the start of each process included. Beside it the official runner, once as it was measured
with everything it installs on a like machine, and once here in a throw-away environment, which
flatters it: the clients of all vendors, whose import takes it seconds, are empty modules there.
Every file that the two write is compared.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from evaluation.benchmarks.bfcl_v4 import judge, tree
from evaluation.benchmarks.bfcl_v4.result_layout import path_of
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.engine.types import CaseData, Mode, Setup
from tests.bench import figures
from tests.parity import official

ROUNDS = 5
INSTALLED = {Mode.FC: 2.9, Mode.PROMPT: 4.5}  # seconds of the official runner, all of it installed
GOAL = 5.0  # times faster than that


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


def judging() -> dict[str, Any]:
    """Processor time by mode."""
    found = {}
    for mode in Mode:
        answers = [(case, answer_to(case, mode)) for case in single_turn()]
        cold, warm = [], []
        for _ in range(ROUNDS):
            judge.forget()
            cold.append(seconds(answers, Setup(mode)))
            warm.append(seconds(answers, Setup(mode)))
        found[mode.value] = {"cold": round(min(cold), 3), "warm": round(min(warm), 3)}
        sys.stdout.write(
            f"{mode.value:7}{len(answers)} answers:"
            f" {min(cold):.3f} s cold, {min(warm):.3f} s warm\n"
        )
    return found


def single_turn() -> list[CaseData]:
    return [case for name in tree.SINGLE_TURN for case in SUITE.cases(name)]


def write_results(folder: Path, mode: Mode) -> None:
    """One model's result files as the official generator leaves them."""
    for name in tree.SINGLE_TURN:
        path = folder / path_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        spent = {"input_token_count": 400, "output_token_count": 40, "latency": 0.5}
        lines = [
            json.dumps({"id": case.id, "result": answer_to(case, mode), **spent})
            for case in SUITE.cases(name)
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def our_process(folder: Path, mode: Mode) -> float:
    """Wall time of `manage.py score` from result files to score files, its start included."""
    out = folder / "score"
    shutil.rmtree(out, ignore_errors=True)
    how = ["--mode", mode.value, *(["--underscore"] if mode is Mode.FC else [])]
    where = ["--results", str(folder / "result"), "--out", str(out)]
    started = time.perf_counter()
    subprocess.run([sys.executable, "manage.py", "score", *how, *where], check=True)
    return time.perf_counter() - started


def official_process(python: Path, folder: Path, model: str, mode: Mode) -> float:
    """The same of the official runner, in its own environment."""
    for name in ("root", "official"):
        shutil.rmtree(folder / name, ignore_errors=True)
    how = {
        "folder": model, "display_name": model, "organisation": "", "licence": "",
        "is_fc": mode is Mode.FC, "underscore": mode is Mode.FC,
    }  # fmt: skip
    started = time.perf_counter()
    official.official_scores(python, folder, how, list(tree.SINGLE_TURN))
    return time.perf_counter() - started


def whole_processes(work: Path) -> dict[str, Any]:
    """Wall time from files to files by mode, side by side; also says where the files differ."""
    try:
        python = official.environment(work)
    except official.NotPossible as reason:
        sys.stdout.write(f"official runner: not measured, {reason}\n")
        return {}
    return {mode.value: _whole_process(python, work / mode.value, mode) for mode in Mode}


def _whole_process(python: Path, folder: Path, mode: Mode) -> dict[str, float]:
    model = f"Bench-{mode.value}"
    write_results(folder / "result" / model, mode)
    ours = min(our_process(folder, mode) for _ in range(ROUNDS))
    theirs = min(official_process(python, folder, model, mode) for _ in range(2))
    differing = official.differences(folder, model)
    sys.stdout.write(
        f"{mode.value:7}files to score files: ours {ours:.2f} s, official {INSTALLED[mode]} s"
        f" ({INSTALLED[mode] / ours:.1f} ×, goal {GOAL:g} ×), without vendors' clients"
        f" {theirs:.2f} s ({theirs / ours:.1f} ×); {len(differing)} differences\n"
    )
    sys.stdout.writelines(f"  {each}\n" for each in differing[:10])
    return {
        "seconds": round(ours, 2),
        "official": INSTALLED[mode],
        "official_without_clients": round(theirs, 2),
        "differences": len(differing),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scoring")
    figures.add_option(parser)
    given = parser.parse_args()
    found = {"judging": judging()}
    with tempfile.TemporaryDirectory(prefix="callboard-bench-") as work:
        found["files_to_files"] = whole_processes(Path(work).resolve())
    figures.keep(given.json, "scoring", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
