from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.cli import show_requests


class Command(BaseCommand):
    help = "Print every request a run would send, asking nobody; needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        show_requests.add_arguments(parser)

    def handle(self, **options: Any) -> None:
        status = show_requests.run(argparse.Namespace(**options), self.stdout, self.stderr)
        if status:
            raise SystemExit(status)
