"""One model's figures over time: every snapshot that names it, every published run of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.models import AnonymousUser

from evaluation import policy
from evaluation.models import CategoryScore, PublishedRow
from leaderboard.boards import Board
from leaderboard.ranking import Score, average


@dataclass(frozen=True, slots=True)
class Moment:
    """A figure as it was: when, how much, of which run (None: of a published snapshot)."""

    when: date | datetime
    value: float
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One entry's moments, oldest first. `title` says which figure they are."""

    label: str
    title: str
    moments: tuple[Moment, ...]
    benchmark: str  # the slug of its version


def stories(entries: Mapping[int, tuple[Board, str]]) -> list[Story]:
    """By entry: its board, and its name among those of its model. Two queries."""
    found = _printed(entries) | _runs(entries)
    made = []
    for entry, moments in found.items():
        board, label = entries[entry]
        title = "Overall" if moments[0].run is None else "Overall (runnable)"
        name = f"{board.benchmark.title}, {label}"
        made.append(Story(name, title, tuple(moments), board.benchmark.slug))
    return sorted(made, key=lambda story: story.moments[-1].when.isoformat(), reverse=True)


def _printed(entries: Mapping[int, tuple[Board, str]]) -> dict[int, list[Moment]]:
    rows = PublishedRow.objects.filter(entry__in=entries, overall__isnull=False)
    ordered = rows.order_by("snapshot__date").values_list("entry", "snapshot__date", "overall")
    found: dict[int, list[Moment]] = {}
    for entry, day, value in ordered:
        found.setdefault(entry, []).append(Moment(day, value or 0.0))
    return found


def _runs(entries: Mapping[int, tuple[Board, str]]) -> dict[int, list[Moment]]:
    public = policy.visible_runs(AnonymousUser()).filter(entry__in=entries, counts=True)
    scores = CategoryScore.objects.filter(scoring__is_current=True, scoring__run__in=public)
    by_run: dict[tuple[int, int, datetime], dict[str, Score]] = {}
    rows = scores.order_by("scoring__run__published_at", "scoring__run").values_list(
        *("scoring__run__entry", "scoring__run", "scoring__run__published_at"),
        *("category__name", "n", "accuracy"),
    )
    for entry, run, when, name, n, accuracy in rows:
        if when is not None:
            by_run.setdefault((entry, run, when), {})[name] = Score(n, accuracy)
    found: dict[int, list[Moment]] = {}
    for (entry, run, when), known in by_run.items():
        value = _main_figure(entries[entry][0], known)
        if value is not None:
            found.setdefault(entry, []).append(Moment(when, value, run))
    return found


def _main_figure(board: Board, scores: Mapping[str, Score]) -> float | None:
    """Overall (runnable): what every run of this board can have."""
    return average(board.runnable, scores, board.sizes).value


def is_worth_drawing(found: Sequence[Story]) -> bool:
    return any(len(story.moments) > 1 for story in found)
