"""From rows of the database to a board, read again only when something public changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from evaluation.benchmarks import profiles_of, suite
from evaluation.benchmarks.categories import Category, Group, without
from evaluation.models import (
    Benchmark,
    CategoryScore,
    Entry,
    Erratum,
    PublishedRow,
    Run,
    Scoring,
    Snapshot,
)
from evaluation.models import Category as CategoryRow
from evaluation.policy import visible_entries
from evaluation.services import past
from leaderboard import forms, hints
from leaderboard.boards import OVERALL, Board, Row, Scores
from leaderboard.economy import Spent, spent
from leaderboard.ranges import Ranges
from leaderboard.ranking import Score

BOARDS_KEPT = 8  # in each process; a board is read-only, so threads may share it
PAST_KEPT = 2  # boards of past days: there are many, and few are asked for twice
NOTHING_SPENT = Spent()


@dataclass(frozen=True, slots=True)
class Asked:
    """Which board of a benchmark version: now and judged the usual way, if nothing is said."""

    profile: str = ""
    as_of: date | None = None


NOW = Asked()


def asked(query: Mapping[str, Any], benchmark: Benchmark) -> Asked:
    """Which board a query string means; what it cannot mean is taken as not said."""
    profile = forms.profile(query, profiles_of(benchmark.suite))
    day = forms.past_day(query)
    return Asked(profile, date.fromisoformat(day) if day else None)


def current(benchmark: Benchmark, version: str, which: Asked = NOW) -> Board:
    """A benchmark's board at a content version: read once in each process.

    A benchmark is known by its primary key; `version` only tells one state from another. Nobody
    waits for ranges: a worker finds those that would take long.
    """
    return (_past if which.as_of else _current)(benchmark, version, which)


def _loaded(benchmark: Benchmark, version: str, which: Asked) -> Board:
    ask = partial(hints.find_ranges, benchmark.pk, which.profile, which.as_of)
    return load(benchmark, which, ask)


_current = lru_cache(maxsize=BOARDS_KEPT)(_loaded)
_past = lru_cache(maxsize=PAST_KEPT)(_loaded)


def load(benchmark: Benchmark, which: Asked = NOW, ask: Callable[[], None] | None = None) -> Board:
    """Read a board in a fixed number of queries, whatever the number of entries.

    In a profile of its own a board shows that judging of the same runs, and nothing else. `ask`
    leaves the ranges to a worker where finding them takes long.
    """
    categories = _categories(benchmark, which)
    profiles = profiles_of(benchmark.suite)
    out = {row.name: cases for row, cases in categories if cases}
    names = [row.name for row, _ in categories if not row.is_extra]
    tree, extras = _tree(benchmark, names, out)
    snapshot = None if which.profile else _snapshot(benchmark, which.as_of)
    shown = _shown(benchmark, which)
    scores, scorings = _scores_of_runs(shown)
    rows = tuple(_rows(shown, snapshot, scores))
    sizes = {row.name: row.n - cases for row, cases in categories}
    about = suite(benchmark.suite) if profiles else None
    return Board(
        benchmark=benchmark,
        tree=tree,
        extras=extras,
        sizes=sizes,
        unavailable={row.name: row.unavailable for row, _ in categories if row.unavailable},
        rows=rows,
        snapshot=snapshot,
        compare=Ranges(rows, sizes, scorings, ask),
        scorings=scorings,
        profile=which.profile,
        as_of=which.as_of,
        profiles=profiles,
        notice=about.notice if about else "",
        brings_tables=bool(about and about.published),
        ceilings=about.ceilings.get(which.profile or profiles[0], {}) if about else {},
        notes=about.notes if about else {},
    )


def _categories(benchmark: Benchmark, which: Asked) -> list[tuple[CategoryRow, int]]:
    """Every category, with how many of its cases errata take out of n."""
    profiles = profiles_of(benchmark.suite)
    if not profiles:
        return [(row, 0) for row in benchmark.categories.all()]
    errata = Erratum.objects.filter(
        case__category=OuterRef("pk"),
        profile__in=("", which.profile or profiles[0]),
        is_excluded=True,
    )
    if which.as_of:
        errata = errata.filter(created_at__lt=past.end_of(which.as_of))
    counted = errata.order_by().values("case__category").annotate(n=Count("case", distinct=True))
    rows = benchmark.categories.annotate(out=Coalesce(Subquery(counted.values("n")), 0))
    return [(row, row.out) for row in rows]


def _snapshot(benchmark: Benchmark, as_of: date | None) -> Snapshot | None:
    """The newest published table, or the newest up to a day."""
    snapshots = benchmark.snapshots.order_by("-date")
    return (snapshots.filter(date__lte=as_of) if as_of else snapshots).first()


@dataclass(frozen=True, slots=True)
class Shown:
    """The visible entries, the run each of them shows, and the scoring shown of each run.

    `scorings` is None where that is every run's current one.
    """

    entries: Sequence[Entry]
    runs: Mapping[int, Run]
    scorings: Mapping[int, int] | None
    brings_all: bool  # entries without a figure too


def _shown(benchmark: Benchmark, which: Asked) -> Shown:
    visible = visible_entries(AnonymousUser()).filter(benchmark=benchmark).order_by("pk")
    if which.as_of is None:
        entries = list(visible.select_related("card", "shown_run"))
        runs = {entry.pk: entry.shown_run for entry in entries if entry.shown_run}
        scorings = _beside(benchmark, which.profile) if which.profile else None
        return Shown(entries, runs, scorings, not which.profile)
    before = past.end_of(which.as_of)
    then = past.runs_shown(benchmark, before)
    found = Run.objects.in_bulk(then.values())
    return Shown(
        entries=list(visible.select_related("card")),
        runs={entry: found[run] for entry, run in then.items()},
        scorings=past.scorings_of(benchmark, list(found), before, which.profile),
        brings_all=not which.profile,
    )


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


def _rows(shown: Shown, snapshot: Snapshot | None, of_runs: Mapping[int, Scores]) -> Iterator[Row]:
    scores = dict(of_runs)
    printed: dict[int, PublishedRow] = {}
    if snapshot is not None:
        scores |= _published_scores(snapshot)
        printed = {row.entry_id: row for row in snapshot.rows.all()}
    economy = spent(shown.runs.values())
    for entry in shown.entries:
        run = shown.runs.get(entry.pk)
        if (run and shown.brings_all) or entry.pk in scores:
            theirs = printed.get(entry.pk)
            ours = economy.get(run.pk, NOTHING_SPENT) if run else NOTHING_SPENT
            used = Spent(theirs.cost, theirs.latency) if theirs else ours
            day = run.published_at if run else snapshot.date if snapshot else None
            yield _row(entry, run, scores.get(entry.pk, {}), (theirs, used), day)


def _row(
    entry: Entry,
    run: Run | None,
    scores: Scores,
    found: tuple[PublishedRow | None, Spent],
    day: date | None,
) -> Row:
    card = entry.card
    printed, used = found
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
        run=run.pk if run else None,
        shown_since=day,
        scores=scores,
        printed=printed.overall if printed else None,
        position=printed.position if printed else 0,
        cost=used.cost,
        latency=used.latency,
        case_latency=used.case_latency,
    )


FIELDS = ("category__name", "n", "accuracy", "correct", "wrong", "unscored")


def _scores_of_runs(shown: Shown) -> tuple[dict[int, dict[str, Score]], dict[int, int]]:
    """By entry and category, as the shown scoring of its run has it; and that, by run."""
    entries = {run.pk: entry for entry, run in shown.runs.items()}
    if shown.scorings is None:
        rows = CategoryScore.objects.filter(scoring__is_current=True, scoring__run__in=entries)
    else:
        judged = [pk for run, pk in shown.scorings.items() if run in entries]
        rows = CategoryScore.objects.filter(scoring__in=judged)
        rows = rows if shown.brings_all else rows.filter(n__gt=0)
    found: dict[int, dict[str, Score]] = defaultdict(dict)
    scorings: dict[int, int] = {}
    for run, scoring, name, *counts in rows.values_list("scoring__run", "scoring_id", *FIELDS):
        found[entries[run]][name] = Score(*counts)
        scorings[run] = scoring
    return found, scorings


def _published_scores(snapshot: Snapshot) -> dict[int, dict[str, Score]]:
    found: dict[int, dict[str, Score]] = defaultdict(dict)
    rows = CategoryScore.objects.filter(snapshot=snapshot).order_by()
    for entry, name, *counts in rows.values_list("entry", *FIELDS):
        if entry is not None:
            found[entry][name] = Score(*counts)
    return found
