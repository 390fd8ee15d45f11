"""What is going on, in lines for the terminal of `manage.py up`."""

from __future__ import annotations

from django.db import DatabaseError, close_old_connections

from evaluation import progress
from evaluation.models import Run
from leaderboard import baseline

SHOWN = 4  # runs told about at a time


class Narrator:
    """Says only what is new: a run that stands still is not repeated."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._last: list[str] = []
        self._going_on: set[int] = set()

    def news(self) -> list[str]:
        """Lines since the last call. A database that is away has none; the supervisor says so."""
        close_old_connections()
        try:
            published = [f"{_title(run)} is on the board." for run in baseline.publish_finished()]
            lines = self._ended() + published + self._under_way()
        except DatabaseError:
            return []
        return lines

    def _under_way(self) -> list[str]:
        active = Run.objects.active().select_related("entry__card").order_by("pk")
        runs = list(active[:SHOWN])
        self._going_on = {run.pk for run in runs}
        brief = progress.brief(runs)
        lines = [self._line(run, brief[run.pk]) for run in runs]
        news = [line for line in lines if line not in self._last]
        self._last = lines
        return news

    def _line(self, run: Run, so_far: progress.Progress) -> str:
        counts = f"{so_far.done:,} of {so_far.total.n:,} cases"
        return f"{_title(run)}: {run.get_state_display().lower()}, {counts}. {run.reason}".rstrip()

    def _ended(self) -> list[str]:
        ended = Run.objects.terminal().filter(pk__in=self._going_on).select_related("entry__card")
        return [
            f"{_title(run)}: {run.get_state_display().lower()}. {run.reason} "
            f"{self.address}runs/{run.pk}/".replace("  ", " ")
            for run in ended
        ]


def _title(run: Run) -> str:
    return f"{run.entry.card.name} ({run.entry.get_mode_display()})"
