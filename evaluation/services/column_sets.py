"""Bring a suite's published tables onto its board, each a column set of its own.

What two of them count differs, so no figure of one ever stands in a column of another, nor in one
of the board's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import zip_longest

from django.db import transaction

from evaluation.benchmarks import suite as find_suite
from evaluation.benchmarks.suite import ColumnSet as Table
from evaluation.benchmarks.suite import PublishedRow as Row
from evaluation.models import (
    Benchmark,
    ColumnSet,
    ColumnSetLine,
    Entry,
    Evidence,
    Mode,
)
from evaluation.services import publishing
from evaluation.services.cards import ownerless_card
from evaluation.services.published import ImportRefused


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: tables and lines there are now, and whether any is new."""

    tables: int
    lines: int
    is_new: bool


@transaction.atomic
def import_tables(slug: str) -> Imported:
    """Import every published table of a suite; a second time changes nothing.

    A table that changed takes the place of the one before it.

    Raises ImportRefused: the benchmark is not loaded, or has no such tables.
    """
    tables = find_suite(slug).published
    benchmark = Benchmark.objects.current().filter(suite=slug).first()
    if not tables:
        raise ImportRefused(f"{slug} brings no published tables.")
    if benchmark is None:
        raise ImportRefused(f"{slug} is not loaded: run “manage.py load_benchmark {slug}” first.")
    stored = [_store(benchmark, table, place) for place, table in enumerate(tables, start=1)]
    publishing.announce()
    return Imported(len(tables), sum(len(table.rows) for table in tables), any(stored))


def _store(benchmark: Benchmark, table: Table, position: int) -> bool:
    """True unless the same table is there already."""
    digest = hashlib.sha256(json.dumps(asdict(table), sort_keys=True).encode()).hexdigest()
    known = ColumnSet.objects.filter(benchmark=benchmark, slug=table.slug).first()
    if known is not None and (known.digest, known.position) == (digest, position):
        return False
    if known is not None:
        known.delete()
    columns = zip(table.columns, table.denominators, strict=True)
    row = ColumnSet.objects.create(
        benchmark=benchmark,
        slug=table.slug,
        position=position,
        title=table.title,
        source=table.source,
        note=table.note,
        columns=[{"title": title, "n": n} for title, n in columns],
        digest=digest,
    )
    ColumnSetLine.objects.bulk_create(_lines(row, table.rows))
    return True


def _lines(column_set: ColumnSet, rows: Iterable[Row]) -> list[ColumnSetLine]:
    lines = []
    for position, row in enumerate(rows, start=1):
        entry, _ = Entry.objects.get_or_create(
            card=ownerless_card(row.model),
            benchmark=column_set.benchmark,
            mode=Mode.PROMPT,
            evidence=Evidence.PUBLISHED,
        )
        lines.append(
            ColumnSetLine(
                column_set=column_set,
                entry=entry,
                position=position,
                name=row.model,
                setting=row.setting,
                figures=[list(pair) for pair in zip_longest(row.percent, row.rouge)],
            )
        )
    return lines
