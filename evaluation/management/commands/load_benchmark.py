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
        parser.add_argument(
            "--source",
            metavar="DIR|FILE|URL",
            help="where its data is, if no package brings it: a folder, a tarball or its address",
        )
        parser.add_argument(
            "--tasks", default="", metavar="FILE|URL", help="data that the source itself lacks"
        )

    def handle(self, *, slug: str, source: str | None, tasks: str, **options: Any) -> None:
        try:
            suite = suite_named(slug)
            if source:
                self.stdout.write(suite.install(source, tasks=tasks))
            elif tasks:
                raise CommandError("--tasks adds to a --source: name that, too.")
            benchmark, is_new = benchmarks.load(suite)
            benchmarks.refresh(benchmark, suite)
        except (CannotSchedule, BenchmarkMissing, BenchmarkBroken) as problem:
            raise CommandError(str(problem)) from problem
        n = sum(benchmark.categories.filter(unavailable="").values_list("n", flat=True))
        done = "loaded" if is_new else "was loaded already"
        self.stdout.write(
            f"{benchmark} {done}: {benchmark.package} {benchmark.version}, {n} cases in "
            f"{len(benchmark.runnable)} categories, digest {benchmark.digest[:12]}, "
            f"licence {benchmark.licence}."
        )
        if suite.published:
            self.stdout.write(f"Its published tables: manage.py import_published {slug}")
