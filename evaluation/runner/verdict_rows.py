"""Storing many verdicts at once, each only once."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.models import Verdict
from evaluation.runner import row_copies


def store(rows: Sequence[Verdict]) -> None:
    """Store verdicts; those that another process has stored meanwhile stay as they are."""
    row_copies.store(rows)
