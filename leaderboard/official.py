"""A board as the benchmark's own tables: published rows as printed, ours by its rules."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime, time
from itertools import groupby

from django.contrib.auth.models import AnonymousUser
from django.utils.timezone import make_aware

from evaluation.benchmarks.bfcl_published.layouts import LAYOUTS, V4, Layout
from evaluation.benchmarks.bfcl_v4 import columns
from evaluation.benchmarks.bfcl_v4.columns import Model
from evaluation.benchmarks.bfcl_v4.score_files import as_csv
from evaluation.models import Benchmark, CategoryScore, Evidence, Snapshot
from evaluation.policy import visible_entries
from evaluation.services.exporting import spent_officially
from leaderboard import sensitivity

Table = list[list[str]]
RANK, MODEL = "Rank", "Model"
NOT_AVAILABLE = "N/A"


class NothingToWrite(Exception):
    """There are no such rows; the message says what to do."""


def tables(
    benchmark: Benchmark, evidence: Collection[str], as_of: date | None = None
) -> dict[str, bytes]:
    """CSV files by name.

    Published rows carry the source's figures, and alone the source's order and ranks as well.
    Where runs of this board stand among them, all are ranked together. The accuracy of a run is
    its ranked figure: right answers ÷ all cases of the category.

    Raises:
        NothingToWrite: No row of this evidence, or no snapshot of that date.
    """
    snapshot = _snapshot(benchmark, as_of) if Evidence.PUBLISHED in evidence else None
    layout, printed = _printed(snapshot) if snapshot else (_layout_of(benchmark), {})
    models = list(_models(benchmark, evidence, as_of))
    if not printed and not models:
        raise NothingToWrite(
            f"{benchmark} has no such rows. Published ones are loaded by “manage.py "
            "import_published”."
        )
    if not models:
        return {name: as_csv(rows) for name, rows in printed.items()}
    if layout.suite != V4.suite:
        raise NothingToWrite(f"Runs of {benchmark} have no tables of this format.")
    ours = columns.tables(models)
    return {name: as_csv(_merged(name, printed.get(name), rows)) for name, rows in ours.items()}


def _snapshot(benchmark: Benchmark, as_of: date | None) -> Snapshot | None:
    """The newest snapshot, or the newest one up to a date."""
    found = benchmark.snapshots.order_by("-date")
    if as_of is not None:
        found = found.filter(date__lte=as_of)
        if not found.exists():
            raise NothingToWrite(f"No figures published up to {as_of} are loaded.")
    return found.first()


def _printed(snapshot: Snapshot) -> tuple[Layout, dict[str, Table]]:
    """The source's own tables, in its order, every cell as printed."""
    rows = [json.loads(row.figures) for row in snapshot.rows.order_by("position")]
    layout = next(
        each
        for each in LAYOUTS
        if all(set(row) == set(each.headers) for row in rows)
        and all(set(rows[0][name]) == set(each.headers[name]) for name in each.headers)
    )
    made: dict[str, Table] = {}
    for name, header in layout.headers.items():
        ordered = sorted((row[name] for row in rows), key=lambda cells: int(cells[RANK]))
        made[name] = [list(header), *([cells[column] for column in header] for cells in ordered)]
    return layout, made


def _layout_of(benchmark: Benchmark) -> Layout:
    found = next((each for each in LAYOUTS if each.suite == benchmark.suite), None)
    if found is None:
        raise NothingToWrite(f"{benchmark} is not written in this format.")
    return found


def _models(
    benchmark: Benchmark, evidence: Collection[str], as_of: date | None
) -> Iterator[Model]:
    """The runs shown on the board, of this evidence and published by that date."""
    entries = visible_entries(AnonymousUser()).filter(
        benchmark=benchmark, evidence__in=evidence, shown_run__isnull=False
    )
    if as_of is not None:
        latest = make_aware(datetime.combine(as_of, time.max))
        entries = entries.filter(shown_run__published_at__lte=latest)
    shown = {
        entry.shown_run_id: entry
        for entry in entries.select_related("card", "shown_run").order_by("pk")
    }
    scores = _scores(list(shown))
    spreads = sensitivity.spreads(benchmark)
    for run_id, entry in shown.items():
        run = entry.shown_run
        assert run is not None
        yield Model(
            name=f"{entry.card.name} ({entry.get_mode_display()})",
            scores=scores.get(run_id or 0, {}),
            link=entry.card.link,
            organisation=entry.card.organisation,
            licence=entry.card.licence,
            spending=spent_officially(run),
            sensitivity=spreads.get(entry.pk),
        )


def _scores(runs: list[int | None]) -> dict[int, Mapping[str, tuple[float, int]]]:
    rows = (
        CategoryScore.objects.filter(
            scoring__is_current=True, scoring__run__in=runs, accuracy__isnull=False
        )
        .order_by("scoring__run")
        .values_list("scoring__run", "category__name", "accuracy", "n")
    )
    return {
        run: {name: (accuracy, n) for _, name, accuracy, n in group if accuracy is not None}
        for run, group in groupby(rows, key=lambda row: row[0])
        if run is not None
    }


def _merged(name: str, printed: Table | None, ours: Table) -> Table:
    """Two tables as one, ranked by the printed key; the source's rows first where it is equal."""
    header = ours[0]
    key = columns.KEYS[name]
    rows = [*(printed or [header])[1:], *ours[1:]]
    rows.sort(key=lambda row: _key(row[key]), reverse=True)
    return [header, *([str(rank), *row[1:]] for rank, row in enumerate(rows, start=1))]


def _key(cell: str) -> float:
    return -1.0 if cell == NOT_AVAILABLE else float(cell.rstrip("%"))
