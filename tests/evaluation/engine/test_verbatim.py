"""Which results are the accepted answers to the letter, and which only mean the same."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.engine.verbatim import is_verbatim

ONE = [{"area.of": {"base": [10, 10.0], "unit": ["cm", ""], "note": ["", "x"]}}]
TURNS = [["cd(folder='a')", "ls( )"], ["mv(source='x', destination='y')"]]


@pytest.mark.parametrize(
    ("result", "accepted", "expected"),
    [
        ([{"area_of": '{"base": 10, "unit": "cm"}'}], ONE, True),
        ("[area.of(base=10, unit='cm')]", ONE, True),
        ([{"area_of": '{"unit": "cm", "base": 10}'}], ONE, False),
        ([{"area_of": '{"base": 10}'}], ONE, False),
        ([{"area_of": '{"base": 10.0, "unit": "cm"}'}], ONE, False),
        ([{"area_of": "{no json"}], ONE, False),
        ("I cannot do that.", ONE, False),
        ([[["cd(folder='a')"], ["ls()"]], [["mv(source='x',destination='y')"]]], TURNS, False),
        ([["[cd(folder='a')]", "[ls()]"], ["[mv(source='x', destination='y')]"]], TURNS, True),
        (
            [[[{"cd": '{"folder": "a"}'}, {"ls": "{}"}]], [[{"mv": '{"source": "x"}'}]]],
            TURNS,
            False,
        ),
        ([{"area_of": "{}"}], None, None),
        (7, ONE, False),
    ],
)
def test_only_the_first_choices_in_their_order_are_the_answer_itself(
    result: Any, accepted: Any, expected: bool | None
) -> None:
    assert is_verbatim(result, accepted) is expected
