"""How fast all samples of a run are exported, and in how much memory.

    python -m tests.bench.export [--json FILE] [--rows N] [--format ndjson|csv|parquet]…

N generated verdicts (a million if not given) in a database of the bench's own. Memory is this
process's resident set: before, after a tenth of the rows, and at its highest. The goals are 20,000
rows a second of NDJSON and 200 MB for five million rows: memory that does not grow from a tenth to
the whole does not grow further.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import psutil

from tests.bench import figures
from tests.bench.databases import throwaway, without_indexes

FORMATS = ("ndjson", "csv", "parquet")
MESSAGE = "The value “Berne” of parameter “city” is none of the accepted ones: “Bern”, “BE”."


def generate(rows: int) -> int:
    """A run with that many verdicts; its primary key."""
    from django.db import connection

    from tests import make

    run = make.run(make.entry(on=make.benchmark({"multiple": 0})))
    category, scoring = run.categories.get().pk, run.scorings.get().pk
    with connection.cursor() as cursor:
        with without_indexes(cursor, "evaluation_case"):
            cursor.execute(
                "INSERT INTO evaluation_case (category_id, name, position, question, answer,"
                " chain, is_prerequisite) SELECT %s, 'multiple_' || n, n, '{}', '', '', false"
                " FROM generate_series(1, %s) n",
                [category, rows],
            )
        with without_indexes(cursor, "evaluation_verdict"):
            cursor.execute(
                "INSERT INTO evaluation_verdict (scoring_id, case_id, outcome, error_type, fault,"
                ' "where", message, attempts) SELECT %s, id,'
                " CASE WHEN position %% 3 = 0 THEN 'wrong' ELSE 'correct' END,"
                " CASE WHEN position %% 3 = 0 THEN 'value_error:others' ELSE '' END,"
                " CASE WHEN position %% 3 = 0 THEN 'wrong_value' ELSE '' END, 'city',"
                " CASE WHEN position %% 3 = 0 THEN %s ELSE '' END, 1 FROM evaluation_case",
                [scoring, MESSAGE],
            )
        cursor.execute("ANALYZE")
    return run.pk


def measure(run: int, suffix: str, rows: int) -> dict[str, float]:
    from evaluation.models import Run
    from leaderboard import sample_files
    from leaderboard.samples import SamplesForm

    process = psutil.Process()
    found = Run.objects.get(pk=run)
    scoring = found.scorings.get().pk
    verdicts = SamplesForm({}, []).narrow(found)  # type: ignore[arg-type]
    seen, highest, early, size = 0, 0, 0, 0

    def counted() -> Iterator[sample_files.Batch]:
        nonlocal seen, highest, early
        for batch in sample_files.batches(verdicts, scoring):
            yield batch
            seen += len(batch)
            now = process.memory_info().rss
            highest = max(highest, now)
            early = highest if seen <= rows / 10 else early

    before = process.memory_info().rss
    began, cpu = time.monotonic(), time.process_time()
    for piece in sample_files.FORMATS[suffix][1](counted()):
        size += len(piece)
    took, cpu = time.monotonic() - began, time.process_time() - cpu
    assert seen == rows
    memory = "/".join(f"{each / 1e6:.0f}" for each in (before, early, highest))
    sys.stdout.write(
        f"{suffix:8}{seen:>10,} rows {size / 1e6:7.1f} MB in {took:5.1f} s:"
        f" {seen / took:>8,.0f} rows/s, own CPU {cpu:.1f} s,"
        f" memory before/early/highest {memory} MB\n"
    )
    sys.stdout.flush()
    return {
        "rows": rows,
        "rows_per_second": round(seen / took),
        "cpu_seconds": round(cpu, 1),
        "memory": round(highest / 1e6),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--format", action="append", choices=FORMATS, help="all by default")
    figures.add_option(parser)
    chosen = parser.parse_args()
    rows = chosen.rows
    with throwaway():
        run = generate(rows)
        found = {suffix: measure(run, suffix, rows) for suffix in chosen.format or FORMATS}
    figures.keep(chosen.json, "export", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
