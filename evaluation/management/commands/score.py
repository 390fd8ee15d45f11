from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.cli import score


class Command(BaseCommand):
    help = "The official verdicts on BFCL results, by line or as score files; needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        score.add_arguments(parser)

    def handle(self, **options: Any) -> None:
        status = score.run(argparse.Namespace(**options), self.stdout, self.stderr)
        if status:
            raise SystemExit(status)
