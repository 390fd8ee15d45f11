"""Judge stored replies again, under today's scorer and the newest accepted answers."""

from __future__ import annotations

import os
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.benchmarks import suite
from evaluation.models import Run
from evaluation.services import scoring
from evaluation.services.scoring import CannotRescore


class Command(BaseCommand):
    help = "Judge stored replies again; old scorings stay, and nobody is asked anything."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="*", type=int, metavar="RUN", help="numbers of runs")
        parser.add_argument("--all", action="store_true", help="every run that has ended")
        parser.add_argument(
            "--jobs", type=int, default=os.cpu_count() or 1, help="processes; one per core"
        )
        parser.add_argument(
            "--answers-version", type=int, help="of the accepted answers; the newest by default"
        )
        parser.add_argument("--profile", default="", help="of the scorer; the same by default")

    def handle(self, *, runs: list[int], all: bool, jobs: int, **options: Any) -> None:
        if bool(runs) == all:
            raise CommandError("Name the runs, or say --all.")
        began = time.monotonic()
        scorings = []
        for run in scoring.all_runs() if all else _named(runs):
            _check_profile(run, options["profile"])
            try:
                scorings.append(
                    scoring.begin(
                        run,
                        answers_version=options["answers_version"],
                        profile=options["profile"],
                    )
                )
            except CannotRescore as refusal:
                raise CommandError(str(refusal)) from refusal
        scoring.judge_here(scorings, jobs=jobs, say=self._say)
        fresh = sum(each.due is not None for each in scorings)
        self.stdout.write(
            f"{fresh} of {len(scorings)} runs judged again in {time.monotonic() - began:.1f} s; "
            f"{len(scorings) - fresh} had been judged so before."
        )

    def _say(self, done: int, of: int) -> None:
        self.stderr.write(f"{done} of {of} chunks judged")


def _check_profile(run: Run, profile: str) -> None:
    known = suite(run.entry.benchmark.suite).profiles
    if profile and profile not in known:
        raise CommandError(
            f"{run.entry.benchmark} has no profile “{profile}”: {', '.join(known)}."
        )


def _named(numbers: list[int]) -> list[Run]:
    found = {
        run.pk: run
        for run in Run.objects.filter(pk__in=numbers).select_related("entry__benchmark")
    }
    missing = [number for number in numbers if number not in found]
    if missing:
        raise CommandError(f"There is no run {missing[0]}.")
    return [found[number] for number in numbers]
