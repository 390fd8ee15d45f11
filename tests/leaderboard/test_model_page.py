"""One model: card, entries, profile, faults, attempts, how to repeat it."""

from __future__ import annotations

import html
import json
import re
from datetime import date
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Mode, PublishedRow, Snapshot, Verdict
from tests import make

pytestmark = pytest.mark.django_db


def figure(page: str, name: str) -> Any:
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_both_modes_stand_side_by_side(client: Client) -> None:
    card = make.card("Ada")
    make.finished_run(make.entry(card), 1.0)
    make.finished_run(make.entry(card, mode=Mode.PROMPT), 0.0)

    page = client.get("/models/ada/").text

    traces = figure(page, "profile-figure")["data"]
    assert [trace["name"] for trace in traces] == ["FC, verified", "Prompt, verified"]
    assert [set(trace["x"]) for trace in traces] == [{100.0}, {0.0}]
    assert traces[0]["marker"]["symbol"] != traces[1]["marker"]["symbol"]


def test_the_table_behind_the_chart_holds_the_same_figures(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")), {"multiple": 2 / 3})

    page = client.get("/models/ada/").text

    assert "<code>multiple</code>" in page
    assert ">67</a>" in page


def test_faults_lead_to_the_samples_that_have_them(client: Client) -> None:
    run = make.finished_run(make.entry(make.card("Ada")), 0.0)

    page = client.get("/models/ada/").text

    assert f"/runs/{run.pk}/?outcome=wrong&amp;fault=wrong_count#samples" in page


def test_faults_of_all_benchmarks_stand_side_by_side_in_a_papers_classes(client: Client) -> None:
    card = make.card("Ada")
    ours = make.finished_run(make.entry(card, make.benchmark()), 0.0)
    other = make.benchmark(slug="other", title="Other")
    theirs = make.finished_run(make.entry(card, other), 0.0)
    for run, fault in ((ours, "wrong_function"), (theirs, "missing_argument")):
        one = Verdict.objects.filter(scoring__run=run, outcome="wrong")[:1]
        Verdict.objects.filter(pk__in=one).update(fault=fault)

    page = client.get("/models/ada/").text

    table = page.partition("in the classes of the")[2].partition("</section>")[0]
    assert f"/runs/{ours.pk}/?outcome=wrong#samples" in table
    assert f"/runs/{theirs.pk}/?outcome=wrong#samples" in table
    counts = {
        title: re.findall(r'<td class="num nowrap">(\d+) ', line)
        for title, line in re.findall(r'<th scope="row">([^<]+) <small(.*?)</tr>', table, re.S)
    }
    assert counts["API hallucination"] == ["1", "0"]  # the first suite first
    assert counts["Missing input parameters"] == ["0", "1"]
    assert set(counts["No API call"]) == {"0"}
    assert len(counts) == 7


def test_the_first_suite_leads_and_is_named_whatever_was_loaded_last(client: Client) -> None:
    card = make.card("Ada")
    make.finished_run(make.entry(card, make.benchmark()), 1.0)
    make.finished_run(make.entry(card, make.benchmark(slug="apibank", title="API-Bank")), 0.0)

    page = client.get("/models/ada/").text

    assert ">BFCL V4: FC, verified</h2>" in page
    assert '<p class="small soft">On BFCL V4.</p>' in page
    assert set(figure(page, "profile-figure")["data"][0]["x"]) == {100.0}


def test_attempts_that_were_not_published_are_counted_and_nothing_more(client: Client) -> None:
    card = make.card("Ada")
    entry = make.entry(card)
    make.finished_run(entry)
    hidden = make.finished_run(entry, 1.0, published=False)

    page = client.get("/models/ada/").text

    assert "2 runs over whole categories were started for this model; 1 is published." in page
    assert f"/runs/{hidden.pk}/" not in page


def test_a_model_without_anything_public_is_its_owners_alone(client: Client) -> None:
    owner = make.user()
    make.finished_run(make.entry(make.card("Ada", owner=owner)), published=False)
    stranger = make.user()

    assert client.get("/models/ada/").status_code == 404
    client.force_login(stranger)
    assert client.get("/models/ada/").status_code == 404
    client.force_login(owner)
    assert "Nothing published yet" in client.get("/models/ada/").text


def test_hostile_cards_are_shown_as_text(client: Client) -> None:
    card = make.card(
        "</script><script>alert(1)</script>",
        slug="hostile",
        organisation="<b>\u202elab",
        link="javascript:alert(1)",
    )
    make.finished_run(make.entry(card))

    page = client.get("/models/hostile/").text

    assert "<script>alert(1)" not in page
    assert "javascript:" not in page
    assert "&lt;b&gt;⟨U+202E⟩lab" in page


def test_links_leave_with_no_favours(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada", link="https://example.org/ada")))

    page = client.get("/models/ada/").text

    assert '<a href="https://example.org/ada" rel="nofollow noopener ugc">' in page


def test_the_command_repeats_the_run(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")))

    assert "manage.py evaluate" in client.get("/models/ada/").text


def test_history_spans_the_snapshots(client: Client) -> None:
    entry = make.published_entry("Ada")
    for month, overall in ((1, 0.5), (2, 0.6)):
        snapshot, _ = Snapshot.objects.get_or_create(
            benchmark=entry.benchmark,
            date=date(2026, month, 1),
            defaults={"source": "https://example.org/table.csv", "digest": "0" * 64},
        )
        PublishedRow.objects.create(
            snapshot=snapshot, entry=entry, position=1, name="Ada", figures="{}", overall=overall
        )
    newest = Snapshot.objects.get(date=date(2026, 2, 1))
    make.published_scores(newest, entry)

    page = client.get("/models/ada/").text

    assert figure(page, "history-figure")["data"][0]["y"] == [50.0, 60.0]


def test_the_page_costs_the_same_for_any_number_of_runs(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    card = make.card("Ada")
    entry = make.entry(card)
    for month in range(1, 8):
        make.finished_run(entry, month=month)

    with django_assert_num_queries(23):
        client.get("/models/ada/")


def test_history_holds_every_published_run_and_snapshot(client: Client) -> None:
    entry = make.entry(make.card("Ada"))
    for month, share in ((1, 0.25), (3, 0.75)):
        make.finished_run(entry, share, month=month)

    table = client.get("/models/ada/").text.split('aria-label="Figures over time"')[1]

    assert "1 January 2026" in table
    assert "2 March 2026" in table


def test_the_command_says_everything_that_was_set(client: Client) -> None:
    settings = {
        "benchmark": "bfcl-v4",
        "mode": "fc",
        "underscore": False,
        "base_url": "https://example.org/v1",
        "remote_model": "ada; rm -rf",
        "parameters": {"top_p": 0.9},
        "reasoning_end": "</think>",
        "timeout": 300,
        "in_flight": 4,
        "categories": ["multiple"],
        "client_version": "7",
    }
    make.finished_run(make.entry(make.card("Ada")), configuration=json.dumps(settings))

    page = html.unescape(client.get("/models/ada/").text)

    command = " ".join(page.split('aria-label="Command"><code>')[1].split("</code>")[0].split())
    assert command == (
        ".venv/bin/python manage.py evaluate \\ --base-url https://example.org/v1 \\ "
        "--model 'ada; rm -rf' \\ --mode fc --no-underscore \\ --category multiple \\ "
        "--parameters '{\"top_p\": 0.9}' \\ --reasoning-end '</think>' \\ --timeout 300 \\ "
        "--concurrency 4 \\ --key-env API_KEY"
    )
    assert "bfcl-eval 2026.3.23" in page


def test_faults_are_areas_with_a_table_behind_them(client: Client) -> None:
    make.finished_run(make.entry(make.card("Ada")), 0.0)

    page = client.get("/models/ada/").text

    assert '"type": "treemap"' in page
    assert "By category, as a table" in page
