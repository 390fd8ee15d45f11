"""A model's calls beside the accepted ones: what is marked, and what never breaks a page."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.grades import ShownCall, Sides, agrees, sides
from leaderboard.turn_grades import turn_sides
from leaderboard.values import LONGEST, as_text


def marked(calls: tuple[ShownCall, ...] | None) -> list[str]:
    """Names of what is marked: functions and arguments."""
    assert calls is not None
    return [call.name for call in calls if call.marked] + [
        argument.name for call in calls for argument in call.arguments if argument.marked
    ]


WANTED = [{"weather": {"city": ["Bern", "Berne"], "unit": ["C", ""], "days": [1]}}]


@pytest.mark.parametrize(
    ("made", "off", "want"),
    [
        pytest.param({"city": "Basel", "days": 1}, ["city"], ["city"], id="wrong-value"),
        pytest.param({"city": "Bern"}, [], ["days"], id="missing-argument"),
        pytest.param({"city": "Bern", "days": 1, "x": 0}, ["x"], [], id="invented-argument"),
        pytest.param({"city": "bern.", "days": 1.0}, [], [], id="read-as-the-same"),
        pytest.param({"city": "Bern", "days": True}, ["days"], ["days"], id="true-is-not-1"),
        pytest.param({"city": None, "days": "1"}, ["city", "days"], ["city", "days"], id="two"),
    ],
)
def test_what_differs_is_marked_on_both_sides(
    made: dict[str, Any], off: list[str], want: list[str]
) -> None:
    found = sides([{"weather": made}], WANTED, is_wrong=True)

    assert marked(found.made) == off
    assert marked(found.accepted) == want


def test_nothing_is_marked_in_a_correct_answer() -> None:
    found = sides([{"weather": {"city": "Basel"}}], WANTED, is_wrong=False)

    assert marked(found.made) == marked(found.accepted) == []


def test_calls_in_another_order_are_paired_with_those_most_like_them() -> None:
    made = [{"f": {"x": 2}}, {"f": {"x": 1}}, {"g": {}}]
    wanted = [{"g": {}}, {"f": {"x": [1]}}, {"f": {"x": [2]}}]

    found = sides(made, wanted, is_wrong=True)

    assert marked(found.made) == marked(found.accepted) == []


def test_another_function_is_marked_whole() -> None:
    found = sides([{"rain": {"city": "Bern"}}], WANTED, is_wrong=True)

    assert marked(found.made) == ["rain"]
    assert marked(found.accepted) == ["weather"]


def test_names_are_written_as_they_travelled() -> None:
    found = sides([{"a_b": {}}], [{"a.b": {}}], is_wrong=True, underscore=True)

    assert marked(found.made) == marked(found.accepted) == []


@pytest.mark.parametrize(
    "odd",
    [None, "text", 1, {}, [1], ["x"], [[]], [{"f": 1}], [{"f": {}, "g": {}}], [{}], [None]],
)
def test_what_is_no_list_of_calls_is_left_to_be_shown_as_it_is(odd: Any) -> None:
    assert sides(odd, WANTED, is_wrong=True).made is None
    assert sides(WANTED, odd, is_wrong=True).accepted is None


@pytest.mark.parametrize(
    ("value", "is_marked"),
    [
        ("true", False),
        (True, True),
        ("false", True),
        ("['a', 'b']", False),
        ('new String[]{"a", "b"}', False),
        ("['b', 'a']", True),
        (["a", "b"], True),
    ],
)
def test_source_text_is_compared_with_the_value_it_means(value: Any, is_marked: bool) -> None:
    accepted = [True] if str(value).lower() in ("true", "false") else [["a", "b"]]

    found = sides([{"f": {"x": value}}], [{"f": {"x": accepted}}], is_wrong=True, in_source=True)

    assert bool(marked(found.made)) is is_marked
    assert found.accepted is not None
    assert found.accepted[0].arguments[0].texts == (as_text(accepted[0]),)


@pytest.mark.parametrize(
    ("accepted", "text"),
    [
        ({"size": ["large"], "milk": ["oat", "soy"]}, '{"size": "large", "milk": "oat" or "soy"}'),
        ({"size": ["large", ""]}, '{"size": "large" (may be left out)}'),
        ([{"x": [1]}, {"x": [2, 3]}], '[{"x": 1}, {"x": 2 or 3}]'),
        ({"size": "large"}, '{"size": "large"}'),
        ([1, 2], "[1, 2]"),
        ({"size": []}, '{"size": []}'),
    ],
)
def test_fields_of_an_accepted_object_show_their_own_alternatives_instead_of_lists(
    accepted: Any, text: str
) -> None:
    found = sides([], [{"order": {"drink": [accepted]}}], is_wrong=False)

    assert found.accepted is not None
    assert found.accepted[0].arguments[0].texts == (text,)


def test_an_argument_with_or_without_its_name_is_the_same_call() -> None:
    made = [[["sort(file_name='a.txt')", "cd(folder='x')"]]]

    (turn,) = turn_sides(made, [["sort('a.txt')", "cd('y')"]], is_wrong=True) or ()

    assert [line.text for line in turn.made if line.marked] == ["cd(folder='x')"]
    assert [line.text for line in turn.accepted if line.marked] == ["cd('y')"]


def test_no_calls_at_all_are_an_empty_side() -> None:
    assert sides([], [], is_wrong=True) == Sides((), ())


@pytest.mark.parametrize(
    ("value", "alternatives", "does"),
    [
        (1, [1.0], True),
        ([1, "A b"], [[1, "ab"]], True),
        ([1], [[1, 2]], False),
        ({"x": 1}, [{"x": [1, 2]}], True),
        ({"x": 1}, [{"x": [1], "y": ["", 3]}], True),
        ({"x": 1}, [{"x": [1], "y": [3]}], False),
        (True, [1], False),
        (None, [None], True),
        ("x", "x", True),
    ],
)
def test_values_agree_as_generously_as_a_suite_reads_them(
    value: Any, alternatives: Any, does: bool
) -> None:
    assert agrees(value, alternatives) is does


def test_a_value_longer_than_a_page_can_bear_is_cut() -> None:
    assert len(as_text("a" * 100_000)) == LONGEST + 1


def test_a_value_nested_beyond_reason_is_no_error() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    assert as_text(deep)
    assert agrees(deep, ["x"]) is False


def test_a_conversation_is_compared_turn_by_turn() -> None:
    made = [[["f(x=1)"], []], [["g(y='a')", "h()"]]]
    wanted = [["f(x=1)"], ["g(y='b')"]]

    first, second = turn_sides(made, wanted, is_wrong=True) or ()

    assert not first.differs
    assert [(line.text, line.marked) for line in second.made] == [
        ("g(y='a')", True),
        ("h()", True),
    ]
    assert [line.text for line in second.accepted if line.marked] == ["g(y='b')"]


@pytest.mark.parametrize("accepted", [None, [], [{"f": {}}], ["word"], "text", [[1]]])
def test_what_is_no_conversation_has_no_turns(accepted: Any) -> None:
    assert turn_sides([[["f()"]]], accepted, is_wrong=True) is None


@pytest.mark.parametrize(
    "decoded", [None, "text", [], [None], [[None]], [["f()"], [["g()"]], [{}]]]
)
def test_odd_conversations_never_break_a_page(decoded: Any) -> None:
    assert turn_sides(decoded, [["f()"]], is_wrong=True)


@pytest.mark.parametrize(
    ("made", "accepted", "hint"),
    [
        pytest.param("True", [True], "text; accepted is a truth value", id="true-as-text"),
        pytest.param(False, ["False"], "a truth value; accepted is text", id="text-as-false"),
        pytest.param("5", [5], "text; accepted is a number", id="number-as-text"),
        pytest.param("None", [None], "text; accepted is nothing", id="none-as-text"),
        pytest.param(["1", "2"], [[1, 2]], "of other types", id="inside-a-list"),
        pytest.param("false", [True], "", id="another-value"),
    ],
)
def test_a_value_that_reads_alike_says_how_it_differs(made: Any, accepted: Any, hint: str) -> None:
    found = sides([{"f": {"x": made}}], [{"f": {"x": accepted}}], is_wrong=True)

    assert found.made is not None
    assert [argument.hint for argument in found.made[0].arguments] == [hint]
