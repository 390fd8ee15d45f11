"""The standings: order, sections, filters, addresses, what a row costs."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Evidence, Mode
from evaluation.services import publishing
from tests import make

pytestmark = pytest.mark.django_db
BOARD = "/bfcl-v4/"
HTMX = {"HX-Request": "true"}


def names(page: str) -> list[str]:
    """Models of the table in their order."""
    return re.findall(r'class="who"><a href="/models/[^"]*"[^>]*>([^<]*)</a>', page)


def ranks(page: str) -> list[str]:
    return re.findall(r'aria-label="Rank (\d+),', page)


def get(client: Client, query: str = "", **headers: str) -> str:
    return client.get(BOARD + query, headers=headers).text


def test_an_empty_board_says_what_to_do(client: Client) -> None:
    make.benchmark()

    page = get(client)

    assert "No entries yet" in page
    assert "Submit a model" in page


def test_entries_are_ranked_by_what_this_board_can_run(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")), 0.3)
    make.finished_run(make.entry(make.card("Bob")), 1.0)

    page = get(client)

    assert (names(page), ranks(page)) == (["Bob", "Ada"], ["1", "2"])


def test_equal_figures_share_a_rank(client: Client) -> None:
    for name in ("Ada", "Bob", "Cleo"):
        make.finished_run(make.entry(make.card(name)), 0.0 if name == "Cleo" else 1.0)

    page = get(client)

    assert (names(page), ranks(page)) == (["Ada", "Bob", "Cleo"], ["1", "1", "3"])


def test_a_run_that_is_not_published_is_on_no_board(client: Client) -> None:
    make.finished_run(make.entry(make.card("Private")), published=False)

    assert names(get(client)) == []


def test_hiding_a_run_takes_it_off_the_board_at_once(client: Client) -> None:
    run = make.finished_run(make.entry(make.card("Ada")))
    before = names(get(client))

    publishing.hide(run)

    assert (before, names(get(client))) == (["Ada"], [])


def test_what_is_missing_is_no_zero_and_has_no_rank(client: Client) -> None:
    make.finished_run(make.entry(make.card("Whole")), 0.1)
    make.finished_run(make.entry(make.card("Part")), {"multiple": 1.0})

    page = get(client)

    assert (names(page), ranks(page)) == (["Whole", "Part"], ["1"])
    assert "Incomplete: listed without a rank" in page
    assert "incomplete</a>" in page


def test_many_unscored_cases_cost_the_rank(client: Client) -> None:
    make.finished_run(make.entry(make.card("Shaky")), 0.0, unscored=2)

    page = get(client)

    assert (names(page), ranks(page)) == (["Shaky"], [])


@pytest.mark.parametrize("evidence", [Evidence.UPLOADED, Evidence.SPOT_CHECKED])
def test_evidence_we_cannot_vouch_for_is_listed_below(client: Client, evidence: str) -> None:
    make.finished_run(make.entry(make.card("Ours")), 0.1)
    make.finished_run(make.entry(make.card("Theirs"), evidence=evidence), 0.9)

    page = get(client)

    assert (names(page), ranks(page)) == (["Ours", "Theirs"], ["1"])
    assert "Listed, not ranked" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?view=multiple", ["High", "Middle", "Low", "Absent"]),
        ("?view=multiple&sort=multiple", ["Low", "Middle", "High", "Absent"]),
        ("?sort=model", ["High", "Low", "Middle", "Absent"]),
        ("?sort=-model", ["Middle", "Low", "High", "Absent"]),
        ("?view=multiple&sort=-model", ["Middle", "Low", "High", "Absent"]),
    ],
)
def test_a_table_sorts_both_ways_with_what_is_missing_last(
    client: Client, query: str, expected: list[str]
) -> None:
    for name, share in (("Middle", 1 / 3), ("Low", 0.0), ("High", 1.0)):
        make.finished_run(make.entry(make.card(name)), share)
    make.finished_run(make.entry(make.card("Absent")), {"irrelevance": 1.0})

    assert names(get(client, query)) == expected


def test_the_sorted_column_says_so_to_everybody(client: Client) -> None:
    make.finished_run()

    page = get(client, "?view=multiple&sort=multiple")

    assert re.findall(r'aria-sort="(\w+)"[^>]*><a id="sort-([\w-]+)"', page) == [
        ("ascending", "multiple")
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?q=qwen", ["Qwen 8B", "Qwen 32B"]),
        ("?q=QWEN+32", ["Qwen 32B"]),
        ("?q=lab+two", ["Llama"]),
        ("?mode=prompt", ["Llama"]),
        ("?evidence=uploaded", ["Qwen 32B"]),
        ("?evidence=ranked", ["Qwen 8B", "Llama"]),
        ("?open=1", ["Qwen 8B", "Qwen 32B"]),
        ("?org=Lab+Two", ["Llama"]),
        ("?q=no-such-model", []),
    ],
)
def test_filters_keep_what_was_asked_for(client: Client, query: str, expected: list[str]) -> None:
    make.finished_run(make.entry(make.card("Qwen 8B")), 0.9)
    llama = make.card("Llama", organisation="Lab Two", open_weights=False)
    make.finished_run(make.entry(llama, mode=Mode.PROMPT), 0.5)
    make.finished_run(make.entry(make.card("Qwen 32B"), evidence=Evidence.UPLOADED), 0.1)

    assert names(get(client, query)) == expected


def test_a_filter_that_empties_the_table_offers_its_removal(client: Client) -> None:
    make.finished_run()

    page = get(client, "?q=no-such-model")

    assert "Nothing matches" in page
    assert "“no-such-model”" in page
    assert "remove this filter" in page


def test_a_filter_changes_no_rank(client: Client) -> None:
    make.finished_run(make.entry(make.card("First")), 1.0)
    make.finished_run(make.entry(make.card("Second")), 0.0)

    assert ranks(get(client, "?q=second")) == ["2"]


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("?q=&org=&mode=&evidence=", ""),
        ("?mode=fc&q=a", "?q=a&mode=fc"),
        ("?view=overall&sort=-runnable&page=1", ""),
        ("?view=nonsense&utm_source=x", ""),
        ("?sort=%3Cscript%3E", ""),
        ("?q=%20a%20%20b", "?q=a+b"),
    ],
)
def test_an_address_is_led_to_its_short_form(client: Client, query: str, canonical: str) -> None:
    make.finished_run()

    response = client.get(BOARD + query)

    assert (response.status_code, response.headers["Location"]) == (302, BOARD + canonical)
    assert client.get(response.headers["Location"]).status_code == 200


def test_htmx_gets_the_fragment_and_the_address_to_show(client: Client) -> None:
    make.finished_run()

    response = client.get(BOARD + "?q=&mode=fc&sort=", headers=HTMX)

    assert response.headers["HX-Push-Url"] == BOARD + "?mode=fc"
    assert "<!doctype" not in response.text
    assert '<div id="standings"' in response.text


def test_a_page_restored_from_history_is_whole(client: Client) -> None:
    make.finished_run()

    response = client.get(BOARD, headers=HTMX | {"HX-History-Restore-Request": "true"})

    assert "<!doctype" in response.text


@pytest.mark.parametrize("entries", [10, 1000])
def test_the_page_costs_as_many_queries_for_ten_entries_as_for_a_thousand(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, entries: int
) -> None:
    benchmark = make.benchmark({"multiple": 1})
    for _ in range(entries):
        make.finished_run(make.entry(make.card(), benchmark), 1.0, endpoint=None)

    with django_assert_max_num_queries(12):  # version (3), benchmarks (2), board (5), ranges (2)
        page = get(client)

    assert len(names(page)) == min(entries, 100)


def test_pages_share_all_entries_among_them(client: Client) -> None:
    benchmark = make.benchmark({"multiple": 1})
    for number in range(130):
        made = make.entry(make.card(f"Model {number:03}"), benchmark)
        make.finished_run(made, 1.0, endpoint=None)

    first, second = names(get(client)), names(get(client, "?page=2"))
    everything = names(get(client, "?page=all"))

    assert (len(first), len(second), len({*first, *second})) == (100, 30, 130)
    assert everything == first + second


def test_a_page_beyond_the_last_is_the_last(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")))

    assert names(get(client, "?page=7")) == ["Ada"]


def test_a_small_category_shows_counts(client: Client) -> None:
    make.finished_run(make.entry(), {"simple_python": 0.5, "multiple": 0.0, "irrelevance": 0.0})

    page = get(client, "?view=simple_python")

    assert ">2/4</a>" in page


def test_hostile_names_stand_as_text(client: Client) -> None:
    card = make.card("<img src=x onerror=alert(1)>\u202egnp.exe", slug="hostile")
    make.finished_run(make.entry(card))

    page = get(client)

    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩gnp.exe" in page


def test_published_rows_are_ranked_as_printed(client: Client) -> None:
    make.published_entry("Published", {"simple_python": 0.75})

    page = get(client)

    assert "Published" in names(page)
    assert "not stated" in page


def test_an_older_version_keeps_its_board(client: Client) -> None:
    make.benchmark(slug="bfcl-v4", is_current=False)
    make.benchmark(slug="bfcl-v4-2", suite="bfcl-v4")

    assert client.get("/bfcl-v4/").status_code == 200
    assert client.get("/standings/").headers["Location"] == "/bfcl-v4-2/"


def test_without_a_benchmark_the_page_says_how_to_load_one(client: Client) -> None:
    assert "load_benchmark" in client.get("/standings/").text
    assert client.get("/no-such-board/").status_code == 404


def test_a_suite_that_is_no_longer_known_still_shows_its_scores(client: Client) -> None:
    made = make.benchmark({"old": 2}, slug="forgotten")
    make.finished_run(make.entry(make.card("Ada"), made), 1.0)

    page = client.get("/forgotten/").text

    assert names(page) == ["Ada"]


def test_every_figure_leads_to_what_it_is_made_of(client: Client) -> None:
    make.finished_run()

    links = re.findall(r'class="val" href="([^"]+)"', get(client))

    assert links
    assert {client.get(link).status_code for link in links} == {200}


def test_a_small_category_says_what_one_answer_is_worth(client: Client) -> None:
    make.finished_run()

    assert "Only 4 cases: one answer is 25 points." in get(client, "?view=simple_python")


def heads(page: str) -> list[str]:
    """Columns of the table by key, in their order."""
    return re.findall(r'<a id="sort-([\w-]+)"', page)


def test_the_reader_chooses_the_columns(client: Client) -> None:
    make.finished_run()

    page = get(client, "?view=multiple&cols=simple_python,multiple,date")

    assert heads(page) == ["model", "multiple", "simple_python", "date"]


def test_the_column_ranked_by_stays_whatever_is_chosen(client: Client) -> None:
    make.finished_run()

    assert heads(get(client, "?view=multiple&cols=n")) == ["model", "multiple", "n"]


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("?view=multiple&cols=multiple&cols=n", "?view=multiple&cols=multiple,n"),
        ("?view=multiple&cols=n,n,nonsense,multiple", "?view=multiple&cols=multiple,n"),
        ("?view=multiple&cols=multiple,non_live,overall,n", "?view=multiple"),
        ("?cost_max=0.50&latency_max=2.0", "?cost_max=0.5&latency_max=2"),
        ("?cost_max=-1&latency_max=nan&since=tomorrow", ""),
        ("?cost_max=inf&latency_max=1e300", ""),
    ],
)
def test_columns_and_bounds_have_one_way_to_be_written(
    client: Client, query: str, canonical: str
) -> None:
    make.finished_run()

    response = client.get(BOARD + query)

    assert response.headers["Location"] == BOARD + canonical


def test_bounds_keep_only_what_is_known_to_be_within(client: Client) -> None:
    for name, seconds in (("Quick", 0.2), ("Slow", 5.0), ("Unknown", None)):
        made = make.finished_run(make.entry(make.card(name)), 0.5)
        if seconds is not None:
            case = made.categories.first().cases.first()  # type: ignore[union-attr]
            assert case is not None
            make.reply(made, case, latency=seconds)

    page = get(client, "?latency_max=1")

    assert names(page) == ["Quick"]
    assert "latency ≤ 1 s" in page


def test_a_day_keeps_what_is_no_older(client: Client) -> None:
    make.finished_run(make.entry(make.card("Old")), month=1)
    make.finished_run(make.entry(make.card("New")), month=5)

    assert names(get(client, "?since=2026-03-01")) == ["New"]


def test_the_kinds_of_evidence_are_counted_above_the_table(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ours")))
    make.finished_run(make.entry(make.card("Theirs"), evidence=Evidence.UPLOADED))
    make.published_entry("Printed")

    shown = get(client).split('class="shown"')[1].split("</p>")[0]

    assert re.findall(r"</svg>([\w-]+)</span> (\d+)", shown) == [
        ("Verified", "1"),
        ("Published", "1"),
        ("Uploaded", "1"),
    ]


def test_a_short_time_is_no_zero(client: Client) -> None:
    made = make.finished_run()
    case = made.categories.first().cases.first()  # type: ignore[union-attr]
    assert case is not None
    make.reply(made, case, latency=0.039)

    assert "39 ms" in get(client)


def test_every_group_and_category_has_a_tab(client: Client) -> None:
    make.finished_run()

    seen = {"overall"}
    for key in ("overall", *re.findall(r'id="tab-([\w-]+)"', get(client))):
        seen |= set(re.findall(r'id="(?:tab|cat)-([\w-]+)"', get(client, f"?view={key}")))

    assert {"simple", "simple_java", "live_parallel", "agentic", "memory", "memory_kv"} <= seen
    assert {"multi_turn_long_context", "live_relevance", "format_sensitivity"} <= seen
