"""Failures that readers of other boards have met: the recorded cases about ranking and pages."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils.html import escape

from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES
from evaluation.models import Case, CategoryScore, Run
from evaluation.services import publishing
from leaderboard import loading
from leaderboard.boards import OVERALL
from leaderboard.sheets import ROWS_PER_PAGE
from leaderboard.text import make_visible
from tests import make

pytestmark = pytest.mark.django_db
ONE_CATEGORY = {"multiple": 200}


def recorded(corpora: Path, name: str) -> tuple[Any, Any]:
    """What a case gives and what it expects."""
    case = json.loads((corpora / "cases" / f"{name}.json").read_text("utf-8"))
    return case["input"], case["expected"]


def names(page: str) -> list[str]:
    return re.findall(r'class="who"><a href="/models/[^"]*"[^>]*>([^<]*)</a>', page)


def test_a_partial_run_has_its_scores_but_no_rank(client: Client, corpora: Path) -> None:
    given, expected = recorded(corpora, "RK05")
    benchmark = make.benchmark(dict.fromkeys(CATEGORIES, 2), runnable=list(CATEGORIES))
    run = make.finished_run(make.entry(make.card("Dead"), benchmark), given["categories"])

    board = loading.load(benchmark)
    page = client.get("/bfcl-v4/").text
    why = client.get(f"/why/{run.entry_id}/overall/").text

    figure = board.figure(board.rows[0], OVERALL)
    assert figure is not None
    assert figure.missing_as_zero == pytest.approx(expected["official_overall"])
    assert (names(page), re.findall(r'aria-label="Rank', page)) == (["Dead"], [])
    assert "Multi-turn base" in why  # missing, and named


def test_taking_the_run_shown_away_shows_the_newest_other_one(corpora: Path) -> None:
    given, expected = recorded(corpora, "RK06")
    entry = make.entry(on=make.benchmark(ONE_CATEGORY))
    runs: dict[str, Run] = {}
    for month, (event, name, *score) in enumerate(given["events"], start=1):
        if event == "delete":
            runs[name].delete()
            publishing.refold(entry.pk)
        else:
            runs[name] = make.finished_run(entry, (score[0] or 0.0), month=month)

    entry.refresh_from_db()

    assert entry.shown_run == runs[expected["shown"]]


def test_a_score_saved_twice_is_one_row(corpora: Path) -> None:
    given, expected = recorded(corpora, "RK07")
    run = make.finished_run(make.entry(on=make.benchmark({"simple_python": 10})), 0.9)
    saved = CategoryScore.objects.get(scoring__run=run)
    *_, (_, _, category, accuracy) = given["events"]

    with pytest.raises(IntegrityError), transaction.atomic():
        CategoryScore.objects.create(
            scoring=saved.scoring, category=saved.category, n=10, accuracy=accuracy
        )

    rows = CategoryScore.objects.filter(scoring__run=run, category__name=category)
    assert rows.count() == expected["rows_for_r1"]


def test_scores_are_sorted_as_numbers(client: Client, corpora: Path) -> None:
    given, expected = recorded(corpora, "RK08")
    benchmark = make.benchmark({"multiple": 1000})
    for score in given["scores"]:
        make.finished_run(make.entry(make.card(score), benchmark), float(score) / 100)

    assert names(client.get("/bfcl-v4/").text) == expected["order"]


def test_of_many_runs_the_newest_counts_and_all_are_told(client: Client, corpora: Path) -> None:
    given, _ = recorded(corpora, "RK09")
    entry = make.entry(make.card("Ada"), make.benchmark(ONE_CATEGORY))
    for month, share in enumerate(given["overall_runs"], start=1):
        make.finished_run(entry, share, month=month)
        publishing.refold(entry.pk)

    page = client.get("/models/ada/").text

    assert f"<strong>{100 * given['overall_runs'][-1]:.1f}</strong>" in page
    assert "never the best" in page
    assert f"{len(given['overall_runs'])} runs over whole categories were started" in page
    assert re.search(r'<span class="faint">\d\d\.\d–\d\d\.\d</span>', page)


def test_one_latency_and_no_result_is_no_exception(client: Client, corpora: Path) -> None:
    given, _ = recorded(corpora, "RK12")
    run = make.finished_run(make.entry(on=make.benchmark({"multiple": 3})), 0.0, unscored=3)
    for latency in given["latencies"]:
        make.reply(run, Case.objects.all()[0], latency=latency)

    pages = [client.get(path) for path in ("/bfcl-v4/", f"/runs/{run.pk}/", "/bfcl-v4/plots/")]

    assert [page.status_code for page in pages] == [200, 200, 200]
    assert ">0.0<" not in pages[0].text


def test_hostile_words_stand_as_text_and_their_links_lead_nowhere(
    client: Client, corpora: Path
) -> None:
    given, _ = recorded(corpora, "UI02")
    board = make.real_benchmark({"multiple": 1})
    card = make.card(given["name"], slug="hostile", link=given["homepage"])
    run = make.finished_run(make.entry(card, board), 0.0)
    make.reply(run, Case.objects.all()[0], given["model_output"].encode())
    case = f"/bfcl-v4/cases/multiple_0/?run={run.pk}"

    for path in ("/", "/bfcl-v4/", "/models/hostile/", f"/runs/{run.pk}/", case):
        page = client.get(path).text

        assert "<img" not in page
        assert "<script>alert" not in page
        assert 'href="javascript:' not in page
    assert escape(given["model_output"]) in client.get(case).text


def test_equal_rows_are_on_exactly_one_page(client: Client, corpora: Path) -> None:
    given, _ = recorded(corpora, "UI03")
    count = given["rows"] * ROWS_PER_PAGE // given["page_size"]
    benchmark = make.benchmark({"multiple": 1})
    for _ in range(count):
        make.finished_run(make.entry(make.card(), benchmark), 1.0, endpoint=None)

    shown = names(client.get("/bfcl-v4/").text) + names(client.get("/bfcl-v4/?page=2").text)

    assert len(shown) == len(set(shown)) == count


def test_a_name_with_commas_quotes_and_lines_stays_one_cell(client: Client, corpora: Path) -> None:
    given, expected = recorded(corpora, "UI04")
    make.finished_run(make.entry(make.card(given["name"], slug="foo")), given["overall"])

    text = client.get("/bfcl-v4/?format=csv").content.decode()

    header, row = csv.reader(io.StringIO(text, newline=""))
    assert len(header) == len(row)
    assert row[header.index("model")] == expected["parsed_name"]


def test_any_arguments_can_be_looked_at(client: Client, corpora: Path) -> None:
    given, expected = recorded(corpora, "UI06")
    board = make.real_benchmark({"multiple": 1})
    for arguments in given["arguments"]:
        call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        body = json.dumps({"object": "chat.completion", "choices": choices})
        configuration = json.dumps({"mode": "fc", "underscore": True, "reasoning_end": ""})
        run = make.finished_run(make.entry(on=board), 0.0, configuration=configuration)
        make.reply(run, Case.objects.all()[0], body.encode())

        answer = client.get(f"/bfcl-v4/cases/multiple_0/?run={run.pk}")

        assert answer.status_code == expected["status"]
        assert escape(make_visible(json.dumps(arguments)))[:200] in answer.text
        assert "Download it whole" in answer.text
