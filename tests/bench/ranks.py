"""How long rank ranges take: 200 entries on BFCL V4's 4,441 cases, in every view.

    python -m tests.bench.ranks [--json FILE] [--entries N]

Once from verdicts in a database of the bench's own (the goal is 10 s for everything), and once as
every later reader gets them: from the shared cache.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.bench import figures
from tests.bench.databases import throwaway

SPREAD = 1_000  # of 1,000 answers, how many the best entry has right more than the worst


def generate(entries: int) -> None:
    """Entries with verdicts on every case of the suite; better ones are right more often."""
    from django.db import connection

    from evaluation.benchmarks import suite
    from tests import make

    real = suite("bfcl-v4")
    leaves = {leaf.name: leaf.cases for leaf in real.tree.leaves()}
    benchmark = make.benchmark(leaves)
    for number in range(entries):
        make.finished_run(make.entry(make.card(f"Entry {number}"), benchmark), {}, endpoint=None)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO evaluation_run_categories (run_id, category_id)"
            " SELECT r.id, c.id FROM evaluation_run r, evaluation_category c"
        )
        cursor.execute(
            "INSERT INTO evaluation_verdict (scoring_id, case_id, outcome, error_type, fault,"
            ' "where", message, attempts) SELECT s.id, c.id,'
            " CASE WHEN random() * %s < 300 + s.id * 400 / %s THEN 'correct' ELSE 'wrong' END,"
            " '', '', '', '', 1 FROM evaluation_scoring s, evaluation_case c",
            [SPREAD, entries],
        )
        cursor.execute(
            "INSERT INTO evaluation_categoryscore (scoring_id, category_id, n, correct, wrong,"
            " unscored, accuracy) SELECT v.scoring_id, c.category_id, count(*),"
            " count(*) FILTER (WHERE outcome = 'correct'),"
            " count(*) FILTER (WHERE outcome <> 'correct'), 0,"
            " avg((outcome = 'correct')::int) FROM evaluation_verdict v"
            " JOIN evaluation_case c ON c.id = v.case_id GROUP BY 1, 2"
        )
        cursor.execute("ANALYZE")


def measure(what: str) -> dict[str, float]:
    from evaluation.models import Benchmark
    from leaderboard import loading

    board = loading.load(Benchmark.objects.get())
    began, cpu = time.monotonic(), time.process_time()
    views = list(board.nodes)
    paired = {
        one.place.is_paired
        for view in views
        for one in board.standings(view).values()
        if one.place
    }
    took, cpu = time.monotonic() - began, time.process_time() - cpu
    assert paired == {True}
    sys.stdout.write(
        f"{what}: {len(board.rows)} entries, {board.questions:,} cases, {len(views)} views:"
        f" {took:.2f} s, own CPU {cpu:.2f} s\n"
    )
    return {"seconds": round(took, 2), "cpu_seconds": round(cpu, 2), "entries": len(board.rows)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=200)
    figures.add_option(parser)
    given = parser.parse_args()
    with throwaway():
        generate(given.entries)
        found = {what: measure(what) for what in ("from verdicts", "from the cache")}
    figures.keep(given.json, "ranks", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
