"""Whether a run's page stays as fast when the database grows from 100,000 verdicts to 10 million.

    python -m tests.bench.run_pages [--json FILE] [--small N] [--large N] [--times N]

Runs of BFCL V4's size in a database of the bench's own. The page of one run in the middle is asked
for, whole and by each filter, in this process: the template and the queries, no network. The goal
is 1.3 × the time it took in the small database.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

from tests.bench import figures
from tests.bench.databases import throwaway, without_indexes

GOAL = 1.3
PAGES = {
    "the page": "",
    "its last page of samples": "?page=last",
    "by category": "?category=simple_java",
    "by outcome": "?outcome=wrong",
    "by fault": "?fault=wrong_value",
    "by text": "?q=Berne",
    "by text that is nowhere": "?q=Timbuktu",
    "by everything": "?category=multiple&outcome=wrong&fault=wrong_value&q=Berne",
}
VERDICTS = """
    INSERT INTO evaluation_verdict
        (scoring_id, case_id, outcome, error_type, fault, "where", message, attempts)
    SELECT s.id, c.id, o.outcome,
        CASE o.outcome WHEN 'wrong' THEN 'value_error:others' ELSE '' END,
        CASE o.outcome WHEN 'wrong' THEN
            (ARRAY['wrong_value', 'wrong_count', 'no_call'])[1 + (c.id + s.id) %% 3] ELSE '' END,
        '', CASE o.outcome WHEN 'wrong' THEN 'The value “Berne” is none of the accepted.'
            ELSE '' END, 1
    FROM evaluation_scoring s CROSS JOIN evaluation_case c
    CROSS JOIN LATERAL (SELECT CASE WHEN (c.id * 7 + s.id) %% 3 = 0
        THEN 'wrong' ELSE 'correct' END AS outcome) o
    WHERE s.run_id = ANY (%s)
"""
SCORES = """
    INSERT INTO evaluation_categoryscore
        (scoring_id, category_id, n, correct, wrong, unscored, accuracy)
    SELECT v.scoring_id, c.category_id, count(*),
        count(*) FILTER (WHERE outcome = 'correct'), count(*) FILTER (WHERE outcome = 'wrong'), 0,
        avg((outcome = 'correct')::int)
    FROM evaluation_verdict v JOIN evaluation_case c ON c.id = v.case_id
    JOIN evaluation_scoring s ON s.id = v.scoring_id WHERE s.run_id = ANY (%s) GROUP BY 1, 2
"""
REPLIES = """
    INSERT INTO evaluation_reply
        (run_id, case_id, turn, step, attempt, request_sha256, status, body, given, redacted,
         accepted, trouble, explanation, deviations, finish_reason, latency, tokens_in, tokens_out,
         figures, sent_at)
    SELECT %s, id, 0, 0, 1, '', 200, '', '', false, true, '', '', ARRAY[]::varchar[], 'stop',
        0.5 + id %% 7, 300, 20, '', now() - interval '1 day' FROM evaluation_case
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One address: milliseconds in the small and the large database, and how these compare."""

    what: str
    small: float
    large: float

    @property
    def ratio(self) -> float:
        return self.large / self.small


def prepare() -> int:
    """The benchmark with its cases; how many there are."""
    from evaluation.benchmarks import suite
    from tests import make

    leaves = {leaf.name: leaf.cases for leaf in suite("bfcl-v4").tree.leaves()}
    make.benchmark(leaves)
    return sum(leaves.values())


def fill(runs: int, cases: int) -> None:
    """Published runs until there are as many, each with a verdict on every case."""
    from django.db import connection

    from evaluation.models import Run
    from tests import make

    made = []
    for number in range(Run.objects.count(), runs):
        entry = make.entry(make.card(f"Model {number}"))
        made.append(make.finished_run(entry, {}, endpoint=None, n=cases).pk)
    with connection.cursor() as cursor:
        for run in made:
            cursor.execute(
                "INSERT INTO evaluation_run_categories (run_id, category_id)"
                " SELECT %s, id FROM evaluation_category",
                [run],
            )
        with without_indexes(cursor, "evaluation_verdict"):
            for start in range(0, len(made), 200):
                cursor.execute(VERDICTS, [made[start : start + 200]])
        cursor.execute(SCORES, [made])
        if not Run.objects.filter(replies__isnull=False).exists():
            cursor.execute(REPLIES, [Run.objects.order_by("pk")[runs // 2].pk])
        cursor.execute("VACUUM (ANALYZE)")


def measure(times: int) -> dict[str, float]:
    """Milliseconds that each page takes: the fastest of several, the others were disturbed."""
    from django.db import connection
    from django.test import Client

    from evaluation.models import Reply, Verdict

    run = Reply.objects.values_list("run", flat=True)[:1].get()
    client = Client()
    found = {}
    for what, query in PAGES.items():
        taken = [_seconds(client, f"/runs/{run}/{query}") for _ in range(times + 1)]
        found[what] = 1000 * min(taken)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
        size = cursor.fetchone()[0]
    _say(f"{Verdict.objects.count():,} verdicts, {size}")
    return found


def _seconds(client: Any, address: str) -> float:
    began = time.perf_counter()
    response = client.get(address)
    took = time.perf_counter() - began
    assert response.status_code == 200, address
    return took


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.run_pages")
    parser.add_argument("--small", type=int, default=100_000, help="verdicts")
    parser.add_argument("--large", type=int, default=10_000_000, help="verdicts")
    parser.add_argument("--times", type=int, default=12, help="that each page is asked for")
    figures.add_option(parser)
    chosen = parser.parse_args(arguments)
    with throwaway(pages=True):
        cases = prepare()
        fill(round(chosen.small / cases), cases)
        small = measure(chosen.times)
        fill(round(chosen.large / cases), cases)
        large = measure(chosen.times)
    found = [Figure(what, round(small[what], 1), round(large[what], 1)) for what in PAGES]
    for one in found:
        _say(f"{one.what}: {one.small} ms, {one.large} ms: {one.ratio:.2f} (goal {GOAL})")
    kept = [asdict(one) | {"ratio": round(one.ratio, 2)} for one in found]
    figures.keep(chosen.json, "run pages", kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
