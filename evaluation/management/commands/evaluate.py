"""Evaluate an endpoint here and now."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet
from tqdm import tqdm

from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.engine.stats import wilson_interval
from evaluation.models import Case, CategoryScore, Mode, Reply, Run, Verdict
from evaluation.runner import process
from evaluation.runner.process import Terms
from evaluation.runner.reading import CaseWork
from evaluation.services import benchmarks, local_runs, publishing, transitions
from evaluation.services.local_runs import Wish
from evaluation.services.scheduling import CannotSchedule

INTERRUPTED = "Interrupted at the keyboard; what had been asked is kept."
FULL_HELP = "Evaluate an endpoint here and now, with a progress bar and a table of scores."


class Command(BaseCommand):
    help = FULL_HELP
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--base-url", required=True, help="for example http://127.0.0.1:8000/v1"
        )
        parser.add_argument("--model", required=True, help="the name the server knows it by")
        parser.add_argument("--mode", choices=Mode.values, default=Mode.FC)
        parser.add_argument(
            "--underscore",
            action=argparse.BooleanOptionalAction,
            default=None,
            help="send dots in tool names as underscores (default in FC mode)",
        )
        parser.add_argument("--category", nargs="+", action="extend", metavar="C")
        parser.add_argument("--case", nargs="+", action="extend", metavar="ID", dest="case_ids")
        parser.add_argument("--limit", type=int, metavar="N", help="at most N cases per category")
        parser.add_argument("--concurrency", type=int, default=8, metavar="N")
        parser.add_argument("--timeout", type=int, default=120, metavar="S", help="of a request")
        parser.add_argument("--parameters", default="{}", metavar="JSON", help="sampling settings")
        parser.add_argument("--reasoning-end", default="", metavar="MARK")
        parser.add_argument("--key-env", metavar="VAR", help="variable that holds the API key")
        parser.add_argument("--benchmark", default="bfcl-v4", metavar="SLUG")
        parser.add_argument("--json", action="store_true", help="a line per case instead")
        parser.add_argument("--publish", action="store_true", help="show the result on the board")

    def handle(self, **options: Any) -> None:
        wish = _wish(options)
        try:
            run = self._prepare(wish, options["benchmark"])
        except (CannotSchedule, BenchmarkMissing, BenchmarkBroken) as problem:
            raise CommandError(str(problem)) from problem
        with _interruptible() as interrupted:
            self._drive(run, wish, interrupted)
        if interrupted:
            transitions.cancel(run, INTERRUPTED)
        if options["publish"] and run.state == Run.State.FINISHED:
            publishing.publish(run)
        self._report(run, as_json=options["json"], wants_publishing=options["publish"])
        if run.state != Run.State.FINISHED:
            sys.exit(1)

    def _prepare(self, wish: Wish, slug: str) -> Run:
        suite = local_runs.suite_named(slug)
        local_runs.check(wish)
        call_command("migrate", interactive=False, verbosity=0)
        return local_runs.make_run(wish, benchmarks.ensure_loaded(suite))

    def _drive(self, run: Run, wish: Wish, interrupted: list[int]) -> None:
        with tqdm(total=run.n, desc=wish.model, unit="case", file=sys.stderr) as bar:
            right = 0

            def show(work: CaseWork, verdict: Verdict) -> None:
                nonlocal right
                right += verdict.outcome == Verdict.Outcome.CORRECT
                bar.update(verdict.outcome != Verdict.Outcome.EXCLUDED)
                bar.set_postfix(correct=right, refresh=False)

            terms = Terms(
                is_local=True,
                key=wish.key,
                also_allowed=frozenset({local_runs.host_of(wish.base_url)}),
                on_verdict=show,
                is_stopping=lambda: bool(interrupted),
            )
            try:
                local_runs.drive(run, terms, say=partial(bar.write, file=sys.stderr))
            finally:
                process.leave()

    def _report(self, run: Run, *, as_json: bool, wants_publishing: bool) -> None:
        if as_json:
            for line in case_lines(run):
                self.stdout.write(json.dumps(line))
            self.stdout.write(json.dumps({"state": run.state, "reason": run.reason}))
            return
        for text in table(run):
            self.stdout.write(text)
        self.stdout.write(
            f"Every question and reply: /runs/{run.pk}/ on this machine's site"
            + ("" if run.published_at else ", signed in as its admin")
            + "."
        )
        self.stdout.write(f"{run.get_state_display()}. {run.reason}".strip())
        if wants_publishing and run.published_at is None:
            self.stdout.write("Not published: only a finished run goes onto the board.")


def _wish(options: dict[str, Any]) -> Wish:
    """What was typed, or a CommandError in one sentence."""
    mode, underscore = options["mode"], options["underscore"]
    if mode == Mode.PROMPT and underscore:
        raise CommandError("--underscore is a setting of FC mode: in prompt mode leave it out.")
    if options["publish"] and (options["limit"] is not None or options["case_ids"]):
        raise CommandError("--publish needs whole categories: leave out --limit and --case.")
    return Wish(
        base_url=options["base_url"],
        model=options["model"],
        mode=mode,
        underscore=mode == Mode.FC and underscore is not False,
        categories=options["category"],
        cases=options["case_ids"] or (),
        limit=options["limit"],
        in_flight=options["concurrency"],
        timeout=options["timeout"],
        parameters=_parameters(options["parameters"]),
        reasoning_end=options["reasoning_end"],
        key=_key(options["key_env"]),
    )


def _parameters(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except ValueError as error:
        raise CommandError('--parameters must be JSON, for example {"top_p": 0.9}.') from error
    if not isinstance(values, dict):
        raise CommandError('--parameters must be a JSON object, for example {"top_p": 0.9}.')
    return values


def _key(variable: str | None) -> str:
    if variable is None:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise CommandError(f"The variable {variable} is not set: put the API key into it.")
    return key


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Ctrl-C ends the run in order; a second one at once. Holds the signals that came."""
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def case_lines(run: Run) -> Iterator[dict[str, Any]]:
    """One line per case of the run, in dataset order."""
    asked = {pk for cases in run.slices.values_list("cases", flat=True) for pk in cases}
    verdicts = {row.case_id: row for row in _current_verdicts(run)}
    deviations: dict[int, list[str]] = {}
    attempts: dict[int, int] = {}
    replies = Reply.objects.filter(run=run).order_by("turn", "step", "attempt")
    for pk, names, accepted in replies.values_list("case_id", "deviations", "accepted"):
        attempts[pk] = attempts.get(pk, 0) + 1
        if accepted:
            deviations.setdefault(pk, []).extend(names)
    rows = Case.objects.filter(pk__in=asked, is_prerequisite=False).order_by(
        "category__position", "position"
    )
    for pk, name in rows.values_list("pk", "name"):
        row = verdicts.get(pk)
        yield {
            "id": name,
            "outcome": row.outcome if row else "not_run",
            "valid": _valid(row),
            "error_type": (row.error_type or None) if row else None,
            "deviations": list(dict.fromkeys(deviations.get(pk, ()))),
            "attempts": attempts.get(pk, 0),
        }


def _current_verdicts(run: Run) -> QuerySet[Verdict]:
    return Verdict.objects.filter(scoring__run=run, scoring__is_current=True)


def _valid(row: Verdict | None) -> bool | None:
    if row is None or row.outcome in (Verdict.Outcome.UNSCORED, Verdict.Outcome.EXCLUDED):
        return None
    return row.outcome == Verdict.Outcome.CORRECT


def table(run: Run) -> Iterator[str]:
    """Counts and accuracies with 95 % intervals, a row per category."""
    scores = CategoryScore.objects.filter(scoring__run=run, scoring__is_current=True)
    rows = list(scores.select_related("category").order_by("category__position"))
    width = max((len(row.category.name) for row in rows), default=8)
    yield f"{'category':{width}}  {'accuracy':>8}  {'95 % interval':>15}  {'n':>5}  {'missing':>7}"
    for row in rows:
        scored = (row.correct or 0) + (row.wrong or 0)
        missing = row.n - scored
        if row.accuracy is None:
            yield f"{row.category.name:{width}}  {'–':>8}  {'–':>15}  {row.n:>5}  {missing:>7}"
            continue
        low, high = wilson_interval(row.correct or 0, row.n)
        interval = f"{low:.1%} – {high:.1%}"
        yield (
            f"{row.category.name:{width}}  {row.accuracy:>8.2%}  {interval:>15}  "
            f"{row.n:>5}  {missing:>7}"
        )
