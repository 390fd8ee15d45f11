"""All samples of a run as a file, streamed: what is in memory never depends on how many there are.

Rows are read in batches by the case's primary key (the index of a scoring's verdicts), so that a
download of an hour holds no transaction open and no result set in the database's memory.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from evaluation.cells import neutral
from evaluation.models import Case, Verdict

BATCH = 5_000  # rows read at once
COLUMNS = {  # name → the verdict's own field, or None: what the case says
    "case": "case_id",
    "name": None,
    "category": None,
    "outcome": "outcome",
    "error_type": "error_type",
    "fault": "fault",
    "where": "where",
    "message": "message",
    "attempts": "attempts",
}
NAMES = ("pk", "name", "category__name")
NUMBERS = ("case", "attempts")
REPEATED = ("category", "outcome", "error_type", "fault", "where")  # of a few values each
Batch = Sequence[tuple[Any, ...]]


def batches(verdicts: QuerySet[Verdict], scoring: int) -> Iterator[Batch]:
    """The verdicts of one scoring as rows of COLUMNS, by case.

    The scoring is given by key: found by its run, it would keep the database from walking the
    index, and every batch would cost what the whole costs. For the same reason the cases' names
    are fetched by key, batch by batch: joined, cases are walked from the first one every time.
    """
    fields = [field for field in COLUMNS.values() if field]
    rows = verdicts.filter(scoring=scoring).order_by("case_id").values_list(*fields)
    last = 0
    while found := list(rows.filter(case_id__gt=last)[:BATCH]):
        named = Case.objects.filter(pk__in=[row[0] for row in found])
        names = {key: (name, category) for key, name, category in named.values_list(*NAMES)}
        yield [(row[0], *names[row[0]], *row[1:]) for row in found]
        last = found[-1][0]


def as_ndjson(found: Iterator[Batch]) -> Iterator[bytes]:
    """A JSON object on each line."""
    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    names = tuple(COLUMNS)
    for batch in found:
        lines = [write(dict(zip(names, row, strict=True))) for row in batch]
        yield ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def as_csv(found: Iterator[Batch]) -> Iterator[bytes]:
    """RFC 4180 with a header; no cell is a formula to a spreadsheet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    yield text.getvalue().encode()
    for batch in found:
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerows([neutral(cell) for cell in row] for row in batch)
        yield text.getvalue().encode(errors="backslashreplace")


def as_parquet(found: Iterator[Batch]) -> Iterator[bytes]:
    """A row group for each batch; texts that repeat as a dictionary, numbers as 64-bit ones."""
    import pyarrow as arrow  # late: it costs every process that never exports 40 MB
    from pyarrow import parquet

    schema = arrow.schema(
        [(name, arrow.int64() if name in NUMBERS else arrow.string()) for name in COLUMNS]
    )
    sink, pool = _Sink(), arrow.default_memory_pool()
    with parquet.ParquetWriter(
        sink, schema, compression="zstd", use_dictionary=list(REPEATED)
    ) as writer:
        for rows in found:
            columns = [list(column) for column in zip(*rows, strict=True)]
            writer.write_table(arrow.table(columns, schema=schema))
            pool.release_unused()  # it would keep twice as much for the next batch
            yield sink.taken()
    yield sink.taken()


class _Sink(io.RawIOBase):
    """A file that is handed on piece by piece; a Parquet writer never looks back."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: Any, /) -> int:
        copied = bytes(piece)
        self._pieces.append(copied)
        self._written += len(copied)
        return len(copied)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        """What was written since the last time."""
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


FORMATS: dict[str, tuple[str, Callable[[Iterator[Batch]], Iterator[bytes]]]] = {
    "ndjson": ("application/x-ndjson", as_ndjson),
    "csv": ("text/csv; charset=utf-8", as_csv),
    "parquet": ("application/vnd.apache.parquet", as_parquet),
}
