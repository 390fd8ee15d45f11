from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing, Suite
from evaluation.sandbox import blocking
from evaluation.sandbox.process import SandboxBroken


class Command(BaseCommand):
    help = "Say which walls of the sandbox are up, and what each benchmark can run here."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        problems = [*self._look_at_sandbox()]
        for suite in SUITES:
            problems += self._look_at(suite)
        if problems:
            raise CommandError(" ".join(problems))

    def _look_at_sandbox(self) -> list[str]:
        self.stdout.write(self.style.MIGRATE_HEADING("Sandbox"))
        try:
            sentences = blocking.status()
        except SandboxBroken as error:
            return [f"The sandbox does not start: {error}"]
        for sentence in sentences:
            self.stdout.write(f"  {sentence}")
        return [] if blocking.holds(sentences) else [sentences[-1]]

    def _look_at(self, suite: Suite) -> list[str]:
        self.stdout.write(self.style.MIGRATE_HEADING(suite.title))
        leaves = [*suite.tree.leaves(), *suite.extras]
        missing = {leaf.unavailable for leaf in leaves if leaf.unavailable}
        available = [leaf.name for leaf in leaves if not leaf.unavailable]
        if available:
            try:
                source = suite.source()
            except BenchmarkMissing as error:
                self.stdout.write(f"  Not installed. {error}")
                return []
            except BenchmarkBroken as error:
                return [f"{suite.title}: {error}"]
            self.stdout.write(f"  {source.package} {source.version}: {', '.join(available)}.")
        for reason in sorted(missing):
            names = ", ".join(leaf.name for leaf in leaves if leaf.unavailable == reason)
            self.stdout.write(f"  Not available: {names}. {reason}")
        return []
