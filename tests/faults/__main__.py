"""Breaks a running Callboard in every way it must survive: `python -m tests.faults`.

Prints a table: fault, times, cases lost, doubled, wrongly judged, requests too many. Ends with 1
unless every figure is 0. `--short` does a few in a minute; `--only PATTERN` those it matches.
"""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import nullcontext

from tests.faults import restart
from tests.faults.house import House
from tests.faults.scenarios import (
    CATEGORIES,
    IN_SHORT,
    SCENARIOS,
    SHORT,
    Ground,
    Outcome,
    nothing,
    perform,
    verdicts,
)

RESTART = "make run ended by Ctrl-C"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--keep-logs", action="store_true")
    given = parser.parse_args()
    scenarios = IN_SHORT if given.short else SCENARIOS
    chosen = {name: act for name, act in scenarios.items() if re.search(given.only, name)}
    say(f"{'fault':26} {'times':>6} {'lost':>5} {'doubled':>7} {'wrong':>5} {'extra':>5}  end")
    outcomes: list[Outcome] = []
    house = House(keep_logs=given.keep_logs)
    with house.open() if chosen else nullcontext():
        if chosen:
            ground = Ground(house, SHORT if given.short else CATEGORIES)
            outcomes.append(tell(perform(ground, "none", nothing)))
            ground.expected = verdicts(last_run())
        outcomes += [tell(perform(ground, name, act)) for name, act in chosen.items()]
    if not given.short and re.search(given.only, RESTART):
        outcomes.append(tell(restart.perform()))
    return 0 if all(outcome.is_good for outcome in outcomes) else 1


def last_run() -> int:
    from evaluation.models import Run

    return Run.objects.latest("pk").pk


def tell(row: Outcome) -> Outcome:
    say(
        f"{row.fault:26} {row.times:>6} {row.lost:>5} {row.doubled:>7} {row.wrong:>5} "
        f"{row.extra:>5}  {row.state} in {row.seconds:.0f} s"
    )
    return row


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
