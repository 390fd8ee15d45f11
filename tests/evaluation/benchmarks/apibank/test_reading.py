"""Finding calls in text, loosely as published and carefully."""

from __future__ import annotations

import pytest

from evaluation.benchmarks.apibank.reading import (
    Unreadable,
    read_carefully,
    read_list,
    read_loosely,
)


def test_text_around_the_bracket_is_ignored() -> None:
    call = read_loosely("Sure: [Wiki(keyword='tea')] Please wait.")

    assert call is not None
    assert (call.name, call.values) == ("Wiki", {"keyword": "tea"})


@pytest.mark.parametrize("text", ["", "Wiki(keyword='tea')", "[Wiki(keyword='tea')", "[Wiki(\n)]"])
def test_text_without_a_whole_bracket_on_a_line_is_no_call(text: str) -> None:
    assert read_loosely(text) is None
    assert read_carefully(text) == []


def test_read_loosely_a_quoted_value_ends_at_the_next_quote_of_either_kind() -> None:
    call = read_loosely("""[A(names='["Mary", "Tom"]', x="it's")]""")

    assert call is not None
    assert call.values == {"names": "[", "x": "it"}


def test_read_loosely_an_unquoted_date_ends_at_its_first_dash() -> None:
    call = read_loosely("[A(day=2023-03-01)]")

    assert call is not None
    assert call.values == {"day": "2023"}


def test_read_loosely_two_calls_run_together() -> None:
    call = read_loosely("[A(x='1'), B(y='2')]")

    assert call is not None
    assert (call.name, call.values) == ("A", {"x": "1", "y": "2"})


def test_read_carefully_two_calls_are_two() -> None:
    calls = read_carefully("[A(x='1'), B(y='2')]")

    assert [(call.name, call.values) for call in calls] == [("A", {"x": "1"}), ("B", {"y": "2"})]


def test_read_carefully_nested_quotes_stay_one_value() -> None:
    (call,) = read_carefully("[A(names='['Mary', 'Tom']', place='here')]")

    assert call.values == {"names": "['Mary', 'Tom']", "place": "here"}


def test_read_carefully_an_apostrophe_stays_in_its_value() -> None:
    (call,) = read_carefully("[A(content='Don't forget', day='2023-03-01')]")

    assert call.values == {"content": "Don't forget", "day": "2023-03-01"}


def test_read_carefully_lists_and_dictionaries_nest() -> None:
    (call,) = read_carefully("""[A(data=[{'name': 'pulse', 'value': "80"}], on=True)]""")

    assert call.values == {"data": [{"name": "pulse", "value": "80"}], "on": "True"}


@pytest.mark.parametrize("text", ["[", "['a'", "['a'] b", "nothing", "[" * 50])
def test_a_broken_list_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_list(text)


@pytest.mark.parametrize(
    "text", ["[a(" * 9000, "[a(" + "x" * 30000 + ")]", "[a(b=" + "[" * 9000 + ")]", "[a(b='\\)]"]
)
def test_hostile_texts_never_raise(text: str) -> None:
    read_loosely(text)
    read_carefully(text)
