"""Asking a worker to find rank ranges. A broker that is down costs nothing but time.

Tasks are called by name: whoever sends a hint need not load what a worker does about it.
"""

from __future__ import annotations

import logging
from datetime import date

from kombu.exceptions import OperationalError

from leaderboard.celery import app

log = logging.getLogger(__name__)
OF_ONE_BOARD = "leaderboard.tasks.find_ranges"
OF_EVERY_BOARD = "leaderboard.tasks.find_all_ranges"


def find_ranges(benchmark: int, profile: str, as_of: date | None) -> None:
    """Of one board, in every view."""
    _send(OF_ONE_BOARD, benchmark, profile, as_of.isoformat() if as_of else "")


def find_all_ranges() -> None:
    """Of every board as it stands now; a hint that is lost is made up for within a minute."""
    _send(OF_EVERY_BOARD)


def _send(task: str, *arguments: object) -> None:
    try:
        app.send_task(task, arguments)
    except OperationalError as error:
        log.warning("The broker took no hint to find ranges: %s", error)
