"""Footnotes of what is measured and not judged, for the templates that show them."""

from __future__ import annotations

from django import template

from evaluation.benchmarks.suite import Measure
from evaluation.models import Run
from leaderboard import measures
from leaderboard.boards import Board

register = template.Library()


@register.simple_tag
def measures_of_board(board: Board) -> measures.Footnote | None:
    return measures.of_board(board)


@register.simple_tag
def measures_of_run(run: Run, profile: str) -> tuple[Measure, list[measures.Figure]] | None:
    return measures.of_run(run, profile)
