"""How fast stored models are judged again, from the database to a new scoring in it.

    python -m tests.bench.rescoring [--models N] [--jobs N] [--json FILE]

Every model is a run of 3,641 single-turn and 800 multi-turn cases with replies as an endpoint
sends them, half in FC and half in prompt mode. The official runner takes 2.9 s (FC) or 4.5 s
(prompt) for one model's single-turn results on two cores, and 6.4 s for its multi-turn results.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import psutil

from tests.bench import figures
from tests.bench.databases import throwaway

OFFICIAL = {"fc": 2.9 + 6.4, "prompt": 4.5 + 6.4}  # seconds for one model
GOAL = 10.0
MODES = ("fc", "prompt")


def body(result: Any) -> bytes:
    """A chat completion that says a result value."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(result, str):
        message["content"] = result
    else:
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": text}}
            for at, call in enumerate(result)
            for name, text in call.items()
        ]
    usage = {"prompt_tokens": 400, "completion_tokens": 40, "total_tokens": 440}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    document = {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}
    return zlib.compress(json.dumps(document).encode())


def steps_of(case: Any, mode: Any) -> Iterator[tuple[int, int, Any]]:
    """Turn, step and result value of everything a good model says about a case."""
    from tests.bench.scoring import answer_to
    from tests.evaluation.services import brought

    if not case.category.startswith("multi_turn_"):
        yield 0, 0, answer_to(case, mode)
        return
    for turn, calls in enumerate(case.answer):
        said = [*calls, "Done."] if mode == "prompt" else [*map(brought.call_of, calls), "Done."]
        for step, each in enumerate(said):
            is_text = mode == "prompt" and each != "Done."
            yield turn, step, f"[{each}]" if is_text else each


def fill(models: int) -> list[int]:
    """Finished runs of so many models; their primary keys."""
    from evaluation.benchmarks import suite
    from evaluation.models import Run, Verdict
    from evaluation.runner import row_copies
    from evaluation.services import benchmarks, cards
    from tests import make

    board, _ = benchmarks.load(suite("bfcl-v4"))
    cases = [case for name in names() for case in suite("bfcl-v4").cases(name)]
    chosen = board.categories.filter(name__in=names())
    pks = {name: pk for row in chosen for name, pk in row.cases.values_list("name", "pk")}
    first: dict[str, Run] = {}
    runs = []
    for number in range(models):
        mode = MODES[number % 2]
        of = make.entry(cards.make_card(f"Bench {number}"), board, mode=mode)
        run = make.run(of, state=Run.State.RUNNING, categories=dict.fromkeys(names(), 0))
        if mode in first:
            copy_replies(first[mode], run)
        else:
            store_replies(run, cases, pks)
            first[mode] = run
        # What was judged before does not matter, only that every case was.
        row_copies.store(
            [
                Verdict(scoring=run.scorings.get(), case_id=pks[case.id], outcome="wrong")
                for case in cases
            ]
        )
        finish(run, chosen)
        runs.append(run.pk)
    settle()
    return runs


def names() -> list[str]:
    from evaluation.benchmarks.bfcl_v4 import tree

    return [*tree.SINGLE_TURN, *(leaf.name for leaf in tree.MULTI_TURN.leaves())]


def store_replies(run: Any, cases: Sequence[Any], pks: Mapping[str, int]) -> None:
    from django.utils import timezone

    from evaluation.models import Reply

    Reply.objects.bulk_create(
        (
            Reply(
                run=run, case_id=pks[case.id], turn=turn, step=step, request_sha256="0" * 64,
                status=200, body=body(result), accepted=True, latency=0.5, tokens_in=400,
                tokens_out=40, sent_at=timezone.now(),
            )
            for case in cases
            for turn, step, result in steps_of(case, run.entry.mode)
        ),
        batch_size=2000,
    )  # fmt: skip


def copy_replies(source: Any, run: Any) -> None:
    """Every later model of a mode says the same. Nothing we do depends on that."""
    from django.db import connection

    from evaluation.models import Reply

    columns = [field.column for field in Reply._meta.local_concrete_fields]
    kept = ", ".join(f'"{name}"' for name in columns if name not in ("id", "run_id"))
    table = f'"{Reply._meta.db_table}"'
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (run_id, {kept}) SELECT %s, {kept} FROM {table}"
            " WHERE run_id = %s",
            [run.pk, source.pk],
        )


def finish(run: Any, categories: Iterable[Any]) -> None:
    from django.utils import timezone

    from evaluation.models import CategoryScore, Run

    CategoryScore.objects.bulk_create(
        CategoryScore(
            scoring=run.scorings.get(), category=row, n=row.n, correct=0, wrong=0, unscored=0
        )
        for row in categories
    )
    Run.objects.filter(pk=run.pk).update(state="finished", finished_at=timezone.now())


def settle() -> None:
    """Models were stored long ago: their tables have been vacuumed and analysed since."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def measure(runs: list[int], jobs: int) -> dict[str, Any]:
    from evaluation.models import Run, Verdict
    from evaluation.services import scoring

    rows = Run.objects.filter(pk__in=runs).select_related("entry__benchmark").order_by("pk")
    server = postgres()
    began, spent, spent_there = time.perf_counter(), _cpu(), _cpu_of(server)
    scorings = [scoring.begin(run, answers_version=2) for run in rows]
    scoring.judge_here(scorings, jobs=jobs)
    seconds, cpu = time.perf_counter() - began, _cpu() - spent
    cpu_there = _cpu_of(server) - spent_there
    verdicts = Verdict.objects.filter(scoring__in=scorings)
    official = sum(OFFICIAL[run.entry.mode] for run in rows)
    return {
        "models": len(runs),
        "cases": verdicts.count(),
        "correct": verdicts.filter(outcome="correct").count(),
        "different": different(scorings),
        "jobs": jobs,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "postgres_cpu_seconds": round(cpu_there, 2),
        "official_seconds": round(official, 1),
        "times_faster": round(official / seconds, 1),
        "goal": GOAL,
    }


def different(scorings: Sequence[Any]) -> int:
    """Verdicts of these scorings that are not those of the engine, asked without a database."""
    from evaluation.benchmarks import suite
    from evaluation.models import Verdict

    cases = [case for name in names() for case in suite("bfcl-v4").cases(name)]
    due = {mode: dict(by_engine(cases, mode)) for mode in MODES}
    return sum(
        due[mode][name] != (outcome == "correct", error_type or None)
        for scoring in scorings
        for mode in [scoring.run.entry.mode]
        for name, outcome, error_type in Verdict.objects.filter(scoring=scoring).values_list(
            "case__name", "outcome", "error_type"
        )
    )


def by_engine(cases: Sequence[Any], mode: str) -> Iterator[tuple[str, tuple[bool, str | None]]]:
    """Every case's id, and whether its answer is valid and what is wrong with it."""
    from evaluation.benchmarks import suite
    from evaluation.engine.types import Mode, Setup
    from evaluation.sandbox.blocking import Sandbox

    bfcl, setup = suite("bfcl-v4"), Setup(Mode(mode), underscore=mode == "fc")
    results: list[Any] = []
    for case in cases:
        turns: list[list[Any]] = []
        for turn, _, result in steps_of(case, mode):
            turns += [[] for _ in range(turn + 1 - len(turns))]
            turns[turn].append(result)
        is_conversation = case.category.startswith("multi_turn_")
        results.append(turns if is_conversation else turns[0][0])
    with Sandbox() as sandbox:
        jobs = [(case, result, setup) for case, result in zip(cases, results, strict=True)]
        for case, found in zip(cases, sandbox.judge_all(bfcl.slug, jobs), strict=True):
            yield case.id, (found.valid, found.error_type)


def postgres() -> psutil.Process:
    """The server process whose children serve us."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    server = psutil.Process(pid).parent()
    assert server is not None, "whoever serves us was started by a server"
    return server


def _cpu_of(server: psutil.Process) -> float:
    """Processor time of a server, of those of its processes that run and those that ended."""
    own = server.cpu_times()
    ended = own.children_user + own.children_system
    running = [each.cpu_times() for each in server.children()]
    return ended + sum(times.user + times.system for times in (own, *running))


def _cpu() -> float:
    """Processor time of this process and of those it has waited for, PostgreSQL left out."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rescoring")
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    figures.add_option(parser)
    given = parser.parse_args()
    with throwaway():
        found = measure(fill(given.models), given.jobs)
    sys.stdout.write(
        f"{found['models']} models, {found['cases']:,} cases ({found['correct']:,} correct) "
        f"judged again in {found['seconds']} s by {found['jobs']} processes "
        f"({found['cpu_seconds']} s of processor time, PostgreSQL's "
        f"{found['postgres_cpu_seconds']} s), {found['different']} differences to the engine "
        f"alone: {found['times_faster']} × the official runner (goal {GOAL:g} ×)\n"
    )
    figures.keep(given.json, "rescoring", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
