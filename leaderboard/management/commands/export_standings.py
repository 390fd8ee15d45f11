"""Write a board in the format of the benchmark's own tables."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.models import Benchmark, Evidence
from leaderboard import official


class Command(BaseCommand):
    help = "Write a board as BFCL's six official tables."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", help="its address on the site, for example bfcl-v4")
        parser.add_argument("--format", choices=["bfcl"], default="bfcl", help="the only one")
        parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
        parser.add_argument(
            "--as-of", help="the board as it stood at the end of this day, YYYY-MM-DD"
        )
        parser.add_argument(
            "--evidence",
            action="append",
            choices=list(Evidence.values),
            help="only rows of this evidence; may be repeated",
        )

    def handle(self, *, benchmark: str, out: Path, **options: Any) -> None:
        board = Benchmark.objects.filter(slug=benchmark).first()
        if board is None:
            raise CommandError(f"There is no benchmark “{benchmark}” here.")
        evidence = frozenset(options["evidence"] or Evidence.values)
        try:
            tables = official.tables(board, evidence, _date(options["as_of"]))
            out.mkdir(parents=True, exist_ok=True)
            for name, content in tables.items():
                (out / name).write_bytes(content)
        except (official.NothingToWrite, OSError) as error:
            raise CommandError(f"Nothing written. {error}") from error
        self.stdout.write(self.style.SUCCESS(f"{len(tables)} tables written to {out}."))


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise CommandError(f"“{text}” is no date. Give --as-of as YYYY-MM-DD.") from error
