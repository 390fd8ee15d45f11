"""Load a benchmark's cases."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.services import benchmarks
from evaluation.services.local_runs import suite_named
from evaluation.services.scheduling import CannotSchedule


class Command(BaseCommand):
    help = "Load a benchmark's cases; doing it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="which one, for example bfcl-v4")

    def handle(self, *, slug: str, **options: Any) -> None:
        try:
            benchmark, is_new = benchmarks.load(suite_named(slug))
        except (CannotSchedule, BenchmarkMissing, BenchmarkBroken) as problem:
            raise CommandError(str(problem)) from problem
        n = sum(benchmark.categories.filter(unavailable="").values_list("n", flat=True))
        done = "loaded" if is_new else "was loaded already"
        self.stdout.write(
            f"{benchmark} {done}: {benchmark.package} {benchmark.version}, {n} cases in "
            f"{len(benchmark.runnable)} categories, digest {benchmark.digest[:12]}."
        )
