"""What a query string asks for, and the one way to write it."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import forms
from leaderboard.forms import Chosen

VIEWS = {"live", "non_live"}
SORTS = {"overall", "live", "model"}
NAMES = ("view", "sort", "q", "org", "mode", "evidence", "open", "page")


def read(**query: str) -> Chosen:
    return forms.read(query, views=VIEWS, sorts=SORTS)


@pytest.mark.parametrize(
    "query",
    [
        {"view": "no-such"},
        {"sort": "-no-such"},
        {"sort": "--overall"},
        {"mode": "both"},
        {"evidence": "rumour"},
        {"open": "yes"},
        {"page": "-1"},
        {"page": "1"},
        {"page": "9" * 50},
        {"page": "²"},
        {"q": "  \x00 "},
    ],
    ids=str,
)
def test_nonsense_is_taken_as_not_said(query: dict[str, str]) -> None:
    assert read(**query) == Chosen()


def test_only_what_differs_from_the_default_is_written() -> None:
    chosen = read(view="live", sort="-live", q="", mode="", page="3")

    assert chosen.query() == "view=live&sort=-live&page=3"


def test_any_change_leads_back_to_the_first_page() -> None:
    chosen = read(q="qwen", page="3")

    assert chosen.query(mode="fc") == "q=qwen&mode=fc"
    assert chosen.query(page="4") == "q=qwen&page=4"


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=150)))
def test_a_written_choice_reads_back_as_itself(query: dict[str, str]) -> None:
    chosen = read(**query)

    again = read(**dict(parse_qsl(chosen.query())))

    assert again == chosen
    assert again.query() == chosen.query()
