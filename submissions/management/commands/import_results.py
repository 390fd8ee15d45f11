"""Score result files that the official tool, or an export of this one, has written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.benchmarks import suite
from evaluation.benchmarks.bfcl_v4.result_files import ResultsRefused
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.models import Mode, Run
from evaluation.services import benchmarks, cards, publishing, scoring, uploads
from evaluation.services.uploads import CannotStore, Source
from submissions.uploads import LOCAL, TooLarge, read_upload

SUITE = "bfcl-v4"


class Command(BaseCommand):
    help = "Import BFCL V4 result files (a folder, zip, tar.gz or .jsonl[.gz]) and score them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="the model's folder in result/, or an archive")
        parser.add_argument("--name", required=True, help="of the model, as on the board")
        parser.add_argument("--organisation", default="", help="who made the model")
        parser.add_argument("--mode", required=True, choices=[mode.value for mode in Mode])
        parser.add_argument(
            "--underscore",
            action="store_true",
            help="dots in tool names were sent as underscores (FC mode only)",
        )
        parser.add_argument(
            "--no-underscore", dest="underscore", action="store_false", help="they were not"
        )
        parser.add_argument("--publish", action="store_true", help="show it on the board at once")
        parser.set_defaults(underscore=None)

    def handle(self, *, path: Path, name: str, **options: Any) -> None:
        underscore = _underscore(options["mode"], options["underscore"])
        try:
            uploaded = read_upload(path, path.name, LOCAL)
            benchmark = benchmarks.ensure_loaded(suite(SUITE))
            run = uploads.store_results(
                cards.ownerless_card(name, options["organisation"]),
                benchmark,
                Source(options["mode"], underscore, path.name),
                uploaded.results,
                uploaded.manifest,
            )
        except ResultsRefused as refused:
            more = f"\nand {refused.more} more" if refused.more else ""
            lines = "\n".join(str(problem) for problem in refused.problems)
            raise CommandError(f"Nothing imported.\n{lines}{more}") from refused
        except (TooLarge, CannotStore, BenchmarkMissing, BenchmarkBroken) as refusal:
            raise CommandError(f"Nothing imported. {refusal}") from refusal
        scoring.judge_here(run.scorings.all())
        run.refresh_from_db()
        if options["publish"]:
            publishing.publish(run)
        self._report(run)

    def _report(self, run: Run) -> None:
        for row in run.scorings.get(is_current=True).category_scores.order_by(
            "category__position"
        ):
            figure = "no figure" if row.accuracy is None else f"{row.accuracy:.2%}"
            unscored = f", {row.unscored} unscored" if row.unscored else ""
            self.stdout.write(f"{row.category.name}: {figure} of {row.n}{unscored}")
        self.stdout.write(
            self.style.SUCCESS(
                f"Run {run.pk} of {run.entry}: {run.n} cases, {run.get_state_display().lower()}"
                f"{', published' if run.published_at else ''}."
            )
        )


def _underscore(mode: str, given: bool | None) -> bool:
    if mode == Mode.PROMPT:
        if given:
            raise CommandError(
                "--underscore is for FC mode: a prompt holds names with their dots."
            )
        return False
    if given is None:
        raise CommandError(
            "Say --underscore if dots in tool names were sent as underscores, else "
            "--no-underscore: names are judged as they were sent."
        )
    return given
