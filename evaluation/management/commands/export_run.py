"""Write a run as the official tool's result and score folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.models import Run
from evaluation.services import exporting
from evaluation.services.exporting import CannotExport


class Command(BaseCommand):
    help = "Write a run as BFCL's own result/ and score/ folders and six tables."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="its number")
        parser.add_argument("--out", type=Path, required=True, help="a folder, or a file.zip")

    def handle(self, *, run: int, out: Path, **options: Any) -> None:
        found = (
            Run.objects.select_related("entry__card", "entry__benchmark").filter(pk=run).first()
        )
        if found is None:
            raise CommandError(f"There is no run {run}.")
        try:
            if out.suffix == ".zip":
                with out.open("wb") as file:
                    file.writelines(exporting.as_zip(found))
            else:
                exporting.write_folder(found, out)
            manifest = exporting.Export(found).manifest()
        except (CannotExport, OSError) as error:
            raise CommandError(f"Run {run} was not exported: {error}") from error
        self.stdout.write(self.style.SUCCESS(f"{found} exported to {out}."))
        if manifest.omitted:
            self.stdout.write(
                f"{len(manifest.omitted)} cases without a verdict are left out; the manifest "
                "names them. The official tool then needs --partial-eval."
            )
