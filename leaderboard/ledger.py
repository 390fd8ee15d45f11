"""The outcome bar: counts in, segments of an SVG out. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.engine.outcomes import Tally

WIDTH = 1000.0  # units of the bar's view box
GAP = 1.5  # between two segments, so that neighbours can be told apart without colour
SMALLEST = 2.0  # one case among thousands is still seen


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of the bar and its line in the key."""

    look: str  # CSS class of the fill
    word: str
    count: int
    x: str
    width: str


def ledger(tally: Tally, malformed: int = 0) -> list[Segment]:
    """What became of every case, as stretches that fill the bar; empty outcomes are left out."""
    parts = [
        ("f-right", "correct", tally.correct),
        ("f-wrong", "wrong", tally.wrong - malformed),
        ("f-soft", "malformed", malformed),
        ("f-unsure", "unscored", tally.unscored),
        ("f-none", "not run", tally.not_run),
    ]
    parts = [part for part in parts if part[2] > 0]
    segments, x = [], 0.0
    for look, word, count in parts:
        width = WIDTH * count / tally.n
        drawn = max(SMALLEST, width - GAP)
        segments.append(Segment(look, word, count, f"{x:.1f}", f"{drawn:.1f}"))
        x += width
    return segments
