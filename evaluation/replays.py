"""What happened in a case's world, by executing its stored calls again in the sandbox.

It takes seconds, so it is done when a reader asks for it, one case at a time in the whole
installation, and kept: replies never change, and neither does what they did.
"""

from __future__ import annotations

import json

from django.core.cache import cache

from evaluation import transcripts
from evaluation.benchmarks import suite
from evaluation.benchmarks.suite import BenchmarkMissing
from evaluation.engine.types import JSON
from evaluation.models import Case, Run, Scoring
from evaluation.sandbox.blocking import Sandbox
from evaluation.sandbox.frames import FrameTooLarge
from evaluation.sandbox.process import SandboxBroken

KEEP = 30 * 24 * 60 * 60  # seconds
LONGEST = 60  # seconds that one replay may hold the others up
BUSY = "replaying"  # the shared cache's key
# Who tells the story of a case whose calls are judged in the sandbox, by suite.
TELLERS = {"bfcl-v4": "evaluation.benchmarks.bfcl_v4.multi_turn_story:tell"}


class CannotReplay(Exception):
    """There is no story now; the message says why."""


def is_possible(case: Case) -> bool:
    """Whether this case's calls act in a world that can be built again."""
    benchmark = case.category.benchmark
    if benchmark.suite not in TELLERS:
        return False
    tree = suite(benchmark.suite).tree
    return any(leaf.name == case.category.name and leaf.in_sandbox for leaf in tree.leaves())


def known(case: Case, run: Run, scoring: Scoring) -> JSON:
    """The story told before, None if there is none."""
    kept: str | None = cache.get(_key(case, run, scoring))
    return None if kept is None else json.loads(kept)


def replay(case: Case, run: Run, scoring: Scoring) -> JSON:
    """Tell it, and keep it. Raises CannotReplay."""
    if not is_possible(case):
        raise CannotReplay("The calls of this case act in no world that could be shown.")
    if not cache.add(BUSY, 1, LONGEST):
        raise CannotReplay("Another case is being replayed. Try again in a few seconds.")
    try:
        told = _told(case, run, scoring)
    finally:
        cache.delete(BUSY)
    cache.set(_key(case, run, scoring), json.dumps(told), KEEP)
    return told


def _told(case: Case, run: Run, scoring: Scoring) -> JSON:
    try:
        transcript = transcripts.of_run(case, run, scoring)
        data = transcripts.case_data(case, scoring.answers_version)
        setup = transcripts.setup_of(json.loads(run.configuration))
        with Sandbox(size=1) as sandbox:
            return sandbox.tell(
                TELLERS[case.category.benchmark.suite], data, transcript.result, setup
            )
    except (BenchmarkMissing, SandboxBroken, FrameTooLarge, RecursionError, ValueError) as trouble:
        raise CannotReplay(f"The calls could not be executed again: {trouble}") from trouble


def _key(case: Case, run: Run, scoring: Scoring) -> str:
    return f"story:{run.pk}:{scoring.pk}:{case.pk}:{run.requests_sent}"
