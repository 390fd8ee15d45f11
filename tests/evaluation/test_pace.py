"""How long a run takes, in words no finer than a forecast can be."""

from __future__ import annotations

import pytest

from evaluation.times import Pace


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (3.2, "a few seconds"),
        (38.6, "about 40 s"),
        (94.0, "about 90 s"),
        (110.0, "about 2 min"),
        (3_500.0, "about 58 min"),
        (3_650.0, "about 1 h"),
        (5_500.0, "about 1 h 30 min"),
    ],
)
def test_the_time_left_is_rounded(seconds: float | None, words: str) -> None:
    assert Pace(rate=1.0, seconds_left=seconds).left == words
