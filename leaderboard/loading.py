"""From rows of the database to a board, read again only when something public changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F

from evaluation.benchmarks import profiles_of, suite
from evaluation.benchmarks.categories import Category, Group, without
from evaluation.models import Benchmark, CategoryScore, Entry, PublishedRow, Scoring, Snapshot
from evaluation.policy import visible_entries
from evaluation.runner.stretches import in_force
from evaluation.services import scheduling
from leaderboard.boards import OVERALL, Board, Row, Scores
from leaderboard.economy import Spent, spent
from leaderboard.ranges import Ranges
from leaderboard.ranking import Score

BOARDS_KEPT = 8  # in each process; a board is read-only, so threads may share it
NOTHING_SPENT = Spent()


@lru_cache(maxsize=BOARDS_KEPT)
def current(benchmark: Benchmark, version: str, profile: str = "") -> Board:
    """A benchmark's board at a content version: read once in each process.

    A benchmark is known by its primary key; `version` only tells one state from another.
    """
    return load(benchmark, profile)


def load(benchmark: Benchmark, profile: str = "") -> Board:
    """Read a board in six queries, whatever the number of entries; in seven if it has profiles.

    In a profile of its own a board shows that judging of the same runs, and nothing else.
    """
    categories = list(benchmark.categories.all())
    profiles = profiles_of(benchmark.suite)
    out = _excluded(benchmark, profile or profiles[0]) if len(profiles) > 1 else {}
    names = [row.name for row in categories if not row.is_extra]
    tree, extras = _tree(benchmark, names, out)
    snapshot = None if profile else benchmark.snapshots.first()
    scorings = _beside(benchmark, profile) if profile else {}
    rows = tuple(_rows(benchmark, snapshot, scorings if profile else None))
    sizes = {row.name: row.n - out.get(row.name, 0) for row in categories}
    about = suite(benchmark.suite) if profiles else None
    return Board(
        benchmark=benchmark,
        tree=tree,
        extras=extras,
        sizes=sizes,
        unavailable={row.name: row.unavailable for row in categories if row.unavailable},
        rows=rows,
        snapshot=snapshot,
        compare=Ranges(rows, sizes, list(scorings.values())),
        profile=profile,
        profiles=profiles,
        notice=about.notice if about else "",
        brings_tables=bool(about and about.published),
        ceilings=about.ceilings.get(profile or profiles[0], {}) if about else {},
        notes=about.notes if about else {},
    )


def _excluded(benchmark: Benchmark, profile: str) -> dict[str, int]:
    """How many cases of each category are out of n in a profile."""
    errata = in_force(scheduling.answers_version(benchmark), profile).filter(
        case__category__benchmark=benchmark, is_excluded=True
    )
    counts = errata.order_by().values_list("case__category__name")
    return dict(counts.annotate(cases=Count("case", distinct=True)))


def _beside(benchmark: Benchmark, profile: str) -> dict[int, int]:
    """The newest whole scoring in a profile of every run that an entry shows, by run."""
    whole = Scoring.objects.filter(
        profile=profile, due=None, run__entry__benchmark=benchmark, run__entry__shown_run=F("run")
    )
    return dict(whole.order_by("pk").values_list("run_id", "pk"))


def _tree(
    benchmark: Benchmark, names: list[str], out: Mapping[str, int]
) -> tuple[Group, tuple[Category, ...]]:
    """The suite's tree; of a suite this version no longer knows, a plain mean."""
    try:
        known = suite(benchmark.suite)
    except KeyError:
        members = tuple(Category(name, name.replace("_", " "), 1) for name in names)
        return Group(OVERALL, "Overall", members), ()
    if not out:
        return known.tree, known.extras
    tree = without(known.tree, out)
    extras = [kept for extra in known.extras if (kept := without(extra, out)) is not None]
    assert isinstance(tree, Group), "a profile judges something"
    return tree, tuple(extra for extra in extras if isinstance(extra, Category))


def _rows(
    benchmark: Benchmark, snapshot: Snapshot | None, scorings: Mapping[int, int] | None
) -> Iterator[Row]:
    visible = visible_entries(AnonymousUser()).filter(benchmark=benchmark)
    entries = list(visible.select_related("card", "shown_run").order_by("pk"))
    shown = {entry.shown_run_id: entry.pk for entry in entries if entry.shown_run_id}
    scores = _scores_of_runs(shown, scorings)
    printed: dict[int, PublishedRow] = {}
    if snapshot is not None:
        scores |= _published_scores(snapshot)
        printed = {row.entry_id: row for row in snapshot.rows.all()}
    economy = spent(entry.shown_run for entry in entries if entry.shown_run)
    for entry in entries:
        if (entry.shown_run_id and scorings is None) or entry.pk in scores:
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


def _scores_of_runs(
    shown: Mapping[int, int], scorings: Mapping[int, int] | None
) -> dict[int, dict[str, Score]]:
    found: dict[int, dict[str, Score]] = defaultdict(dict)
    if scorings is None:
        rows = CategoryScore.objects.filter(scoring__is_current=True, scoring__run__in=shown)
    else:
        judged = [pk for run, pk in scorings.items() if run in shown]
        rows = CategoryScore.objects.filter(scoring__in=judged, n__gt=0)
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
