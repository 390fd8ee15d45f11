"""What is going on, in lines for the terminal of `manage.py up`."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DatabaseError, close_old_connections

from evaluation import progress
from evaluation.models import Run
from leaderboard import baseline

SHOWN = 4  # runs told about at a time


@dataclass(frozen=True)
class News:
    """`events` have happened since the last look; `status` is how things stand, in one line."""

    events: tuple[str, ...] = ()
    status: str = ""


class Narrator:
    """Looks at the runs now and then, and says what a person at the terminal wants to know."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._going_on: set[int] = set()

    def look(self) -> News:
        """What is new. A database that is away has no news: the supervisor speaks of it."""
        close_old_connections()
        try:
            published = [f"{_title(run)} is on the board." for run in baseline.publish_finished()]
            return News((*self._ended(), *published), self._under_way())
        except DatabaseError:
            return News()

    def _under_way(self) -> str:
        active = Run.objects.active().select_related("entry__card").order_by("pk")
        runs = list(active[:SHOWN])
        self._going_on = {run.pk for run in runs}
        brief = progress.brief(runs)
        return " · ".join(_status(run, brief[run.pk]) for run in runs)

    def _ended(self) -> list[str]:
        ended = Run.objects.terminal().filter(pk__in=self._going_on).select_related("entry__card")
        return [
            " ".join(filter(None, (f"{_title(run)} {run.state}.", run.reason, self._link(run))))
            for run in ended
        ]

    def _link(self, run: Run) -> str:
        return f"{self.address}runs/{run.pk}/"


def _status(run: Run, so_far: progress.Progress) -> str:
    text = f"{_title(run)} {run.state}, {so_far.done:,} of {so_far.total.n:,}"
    pace = so_far.pace
    if run.state == Run.State.RUNNING and pace.words:
        text += f", {pace.words}"
        text += f", {pace.left} left" if pace.left else ""
    return text


def _title(run: Run) -> str:
    return f"{run.entry.card.name} ({run.entry.get_mode_display()})"
