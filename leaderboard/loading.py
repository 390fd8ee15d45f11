"""From rows of the database to a board, read again only when something public changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from django.contrib.auth.models import AnonymousUser

from evaluation.benchmarks import suite
from evaluation.benchmarks.categories import Category, Group
from evaluation.models import Benchmark, CategoryScore, Entry, PublishedRow, Snapshot
from evaluation.policy import visible_entries
from leaderboard.boards import OVERALL, Board, Row, Scores
from leaderboard.economy import Spent, spent
from leaderboard.ranges import Ranges
from leaderboard.ranking import Score

BOARDS_KEPT = 8  # in each process; a board is read-only, so threads may share it
NOTHING_SPENT = Spent()


@lru_cache(maxsize=BOARDS_KEPT)
def current(benchmark: Benchmark, version: str) -> Board:
    """A benchmark's board at a content version: read once in each process.

    A benchmark is known by its primary key; `version` only tells one state from another.
    """
    return load(benchmark)


def load(benchmark: Benchmark) -> Board:
    """Read a board in six queries, whatever the number of entries."""
    categories = list(benchmark.categories.all())
    tree, extras = _tree(benchmark, [row.name for row in categories if not row.is_extra])
    snapshot = benchmark.snapshots.first()
    rows = tuple(_rows(benchmark, snapshot))
    sizes = {row.name: row.n for row in categories}
    return Board(
        benchmark=benchmark,
        tree=tree,
        extras=extras,
        sizes=sizes,
        unavailable={row.name: row.unavailable for row in categories if row.unavailable},
        rows=rows,
        snapshot=snapshot,
        compare=Ranges(rows, sizes),
    )


def _tree(benchmark: Benchmark, names: list[str]) -> tuple[Group, tuple[Category, ...]]:
    """The suite's tree; of a suite this version no longer knows, a plain mean."""
    try:
        known = suite(benchmark.suite)
    except KeyError:
        members = tuple(Category(name, name.replace("_", " "), 1) for name in names)
        return Group(OVERALL, "Overall", members), ()
    return known.tree, known.extras


def _rows(benchmark: Benchmark, snapshot: Snapshot | None) -> Iterator[Row]:
    visible = visible_entries(AnonymousUser()).filter(benchmark=benchmark)
    entries = list(visible.select_related("card", "shown_run").order_by("pk"))
    shown = {entry.shown_run_id: entry.pk for entry in entries if entry.shown_run_id}
    scores = _scores_of_runs(shown)
    printed: dict[int, PublishedRow] = {}
    if snapshot is not None:
        scores |= _published_scores(snapshot)
        printed = {row.entry_id: row for row in snapshot.rows.all()}
    economy = spent(entry.shown_run for entry in entries if entry.shown_run)
    for entry in entries:
        if entry.shown_run_id or entry.pk in scores:
            theirs = printed.get(entry.pk)
            ours = economy.get(entry.shown_run_id or 0, NOTHING_SPENT)
            used = Spent(theirs.cost, theirs.latency) if theirs else ours
            yield _row(entry, scores.get(entry.pk, {}), (theirs, used), snapshot)


def _row(
    entry: Entry,
    scores: Scores,
    found: tuple[PublishedRow | None, Spent],
    snapshot: Snapshot | None,
) -> Row:
    card, run = entry.card, entry.shown_run
    printed, used = found
    date_shown = run.published_at if run else snapshot.date if snapshot else None
    return Row(
        entry=entry.pk,
        slug=card.slug,
        name=card.name,
        organisation=card.organisation,
        licence=card.licence,
        link=card.link,
        open_weights=card.open_weights,
        mode=entry.mode,
        evidence=entry.evidence,
        run=entry.shown_run_id,
        shown_since=date_shown,
        scores=scores,
        printed=printed.overall if printed else None,
        position=printed.position if printed else 0,
        cost=used.cost,
        latency=used.latency,
    )


FIELDS = ("category__name", "n", "accuracy", "correct", "wrong", "unscored")


def _scores_of_runs(shown: Mapping[int, int]) -> dict[int, dict[str, Score]]:
    found: dict[int, dict[str, Score]] = defaultdict(dict)
    rows = CategoryScore.objects.filter(scoring__is_current=True, scoring__run__in=shown)
    for run, name, *counts in rows.values_list("scoring__run", *FIELDS):
        found[shown[run]][name] = Score(*counts)
    return found


def _published_scores(snapshot: Snapshot) -> dict[int, dict[str, Score]]:
    found: dict[int, dict[str, Score]] = defaultdict(dict)
    rows = CategoryScore.objects.filter(snapshot=snapshot).order_by()
    for entry, name, *counts in rows.values_list("entry", *FIELDS):
        if entry is not None:
            found[entry][name] = Score(*counts)
    return found
