"""Import official tables of one date, or the tables of papers that a benchmark brings along."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.bfcl_published.layouts import LAYOUTS, OVERALL
from evaluation.benchmarks.bfcl_published.read import MAX_BYTES, TableRefused
from evaluation.services import column_sets, published

TIMEOUT = 30  # seconds for one table


class Command(BaseCommand):
    help = (
        "Import BFCL's official tables of one date, from a folder or an https address; or the "
        "published tables that another benchmark brings along."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        brought = [suite.slug for suite in SUITES if suite.published]
        parser.add_argument("source", choices=["bfcl", *brought], help="whose tables these are")
        parser.add_argument(
            "place",
            nargs="?",
            metavar="DIR_OR_URL",
            help="of bfcl: the folder with data_overall.csv",
        )
        parser.add_argument("--date", help="of bfcl: when they were published, YYYY-MM-DD")

    def handle(self, *, source: str, place: str | None, date: str | None, **options: Any) -> None:
        if source != "bfcl":
            self._brought(source)
        elif place is None or date is None:
            raise CommandError("Give the folder or address of the tables, and their --date.")
        else:
            self._official(place, _date(date))

    def _brought(self, slug: str) -> None:
        try:
            done = column_sets.import_tables(slug)
        except published.ImportRefused as error:
            raise CommandError(f"Nothing imported. {error}") from error
        word = "imported" if done.is_new else "already here"
        self.stdout.write(self.style.SUCCESS(f"{done.lines} rows in {done.tables} tables {word}."))

    def _official(self, place: str, on: date) -> None:
        try:
            files = _download(place) if re.match(r"https?://", place) else _folder(Path(place))
            done = published.import_tables(files, on=on, source=_origin(place))
        except (TableRefused, published.ImportRefused) as error:
            raise CommandError(f"Nothing imported. {error}") from error
        word = "imported" if done.is_new else "already here"
        self.stdout.write(self.style.SUCCESS(f"{done.snapshot}: {done.rows} rows {word}."))


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"“{text}” is no date. Give --date as YYYY-MM-DD.") from error


def _origin(place: str) -> str:
    """What is shown as source: an address as it is, a folder by its name alone."""
    return (
        place if re.match(r"https?://", place) else f"official tables, folder {Path(place).name}"
    )


def _folder(folder: Path) -> Mapping[str, bytes]:
    if not folder.is_dir():
        raise CommandError(f"{folder} is no folder. Give the one that holds {OVERALL}.")
    names = {name for layout in LAYOUTS for name in layout.headers}
    found = {path.name: path for path in folder.iterdir() if path.name in names}
    return {name: path.open("rb").read(MAX_BYTES + 1) for name, path in found.items()}


def _download(address: str) -> Mapping[str, bytes]:
    """Every table at an address; those an era does not have are simply absent."""
    files = {}
    for name in sorted({name for layout in LAYOUTS for name in layout.headers}):
        url = f"{address.rstrip('/')}/{name}"
        try:
            # The operator names this address on the command line; its scheme is checked above.
            with urllib.request.urlopen(url, timeout=TIMEOUT) as response:  # noqa: S310
                files[name] = response.read(MAX_BYTES + 1)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise CommandError(f"{url} answered {error.code}.") from error
        except (urllib.error.URLError, TimeoutError) as error:
            raise CommandError(f"{url} could not be read: {error}.") from error
    return files
