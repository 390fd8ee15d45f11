"""A run's page: who may see it, what it says while a run goes on, stalls, pauses and ends."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Case, Category, Run, Slice, Verdict
from evaluation.times import Pace
from tests import make

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "live"}


def text_of(client: Client, run: Run, query: str = "") -> str:
    return client.get(f"/runs/{run.pk}/{query}").content.decode()


def cases_of(run: Run) -> list[Case]:
    return list(Case.objects.filter(category__runs=run).order_by("category__position", "position"))


def a_run(state: str = "running", **fields: Any) -> Run:
    return make.run(state=state, **fields)


def seen_by_its_owner(client: Client, run: Run) -> Client:
    owner = make.user()
    Run.objects.filter(pk=run.pk).update(owner=owner)
    client.force_login(owner)
    return client


# Who may see it


def test_a_private_run_is_not_found_by_anybody_but_its_owner_and_staff(client: Client) -> None:
    owner = make.user("ada")
    run = make.finished_run(make.entry(make.card(owner=owner)), published=False)

    seen = {}
    for name, viewer in {"nobody": None, "other": make.user(), "ada": owner}.items():
        client.logout()
        if viewer:
            client.force_login(viewer)
        seen[name] = client.get(f"/runs/{run.pk}/").status_code
    client.force_login(make.user("staff", staff=True))
    seen["staff"] = client.get(f"/runs/{run.pk}/").status_code

    assert seen == {"nobody": 404, "other": 404, "ada": 200, "staff": 200}


def test_a_published_run_is_seen_by_everybody_until_it_is_hidden(client: Client) -> None:
    run = make.finished_run()
    published = client.get(f"/runs/{run.pk}/").status_code
    Run.objects.filter(pk=run.pk).update(hidden_at=timezone.now())

    hidden = client.get(f"/runs/{run.pk}/").status_code

    assert (published, hidden) == (200, 410)


def test_only_the_owner_is_offered_buttons(client: Client) -> None:
    run = make.finished_run(published=False)
    Run.objects.filter(pk=run.pk).update(published_at=None)

    own = text_of(seen_by_its_owner(client, run), run)
    Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
    client.logout()
    others = text_of(client, run)

    assert "Publish</button>" in own
    assert "<form" not in others.partition('id="live"')[2].partition("</section>")[0]


def test_a_page_that_depends_on_the_reader_is_kept_by_no_shared_cache(client: Client) -> None:
    page = client.get(f"/runs/{make.finished_run().pk}/")

    assert "private" in page["Cache-Control"]
    assert {"Cookie", "HX-Request"} <= {name.strip() for name in page["Vary"].split(",")}


@pytest.mark.parametrize("number", ["0", "999999", "9" * 40])
def test_a_run_that_does_not_exist_is_not_found(client: Client, number: str) -> None:
    client.force_login(make.user())

    assert client.get(f"/runs/{number}/").status_code == 404
    assert client.get(f"/runs/{number}/replies/{number}/").status_code == 404
    assert client.post(f"/runs/{number}/cancel/").status_code == 404


# What it counts


def test_counts_figures_intervals_and_coverage_are_those_of_the_verdicts(client: Client) -> None:
    benchmark = make.benchmark({"simple_python": 100})
    run = make.finished_run(make.entry(on=benchmark), 0.8, unscored=5)

    text = text_of(client, run)

    assert "<strong>80.0</strong>" in text
    assert "to 85.0" in text
    assert "71.1–86.7" in text  # Wilson, 80 of 100
    assert "95 %" in text
    assert "correct 80" in text
    assert "unscored 5" in text


def test_a_category_without_verdicts_has_no_figure_and_no_zero(client: Client) -> None:
    run = a_run()

    text = text_of(seen_by_its_owner(client, run), run)

    assert "no figure yet" in text
    assert "<strong>0.0</strong>" not in text


def test_answers_that_cannot_be_read_are_counted_apart(client: Client) -> None:
    run = make.finished_run(accuracy=0)
    Verdict.objects.filter(scoring__run=run, outcome="wrong").update(fault="malformed")

    text = text_of(client, run)

    assert "malformed 10" in text
    assert ">wrong " not in text


def test_cost_tokens_and_latency_come_from_the_replies(client: Client) -> None:
    prices = json.dumps({"mode": "fc", "price_in": "0.50", "price_out": "2"})
    run = make.finished_run(configuration=prices)
    for case, latency in zip(cases_of(run), [1.0, 2.0, 3.0], strict=False):
        make.reply(run, case, latency=latency, tokens_in=1_000_000, tokens_out=500_000)

    text = text_of(client, run)

    assert "$4.50" in text
    assert "3,000,000" in text
    assert "2.0 s <small>p50; p95 2.9 s" in text


def test_a_case_of_several_requests_is_timed_and_paid_for_whole(client: Client) -> None:
    prices = json.dumps({"mode": "fc", "price_in": "1", "price_out": "1"})
    run = make.finished_run(
        make.entry(on=make.benchmark({"simple_python": 2})), configuration=prices
    )
    for case in cases_of(run):
        for step, latency in enumerate([1.0, 2.5]):
            make.reply(run, case, step=step, latency=latency, tokens_in=1_000_000, tokens_out=0)

    text = text_of(client, run)

    assert "3.5 s <small>p50; p95 3.5 s" in text
    assert "$4.00 <small>$2.00 a case attempted" in text


def upload(**fields: Any) -> Run:
    """A run of one conversation and one single question that nobody was asked for."""
    board = make.benchmark({"multi_turn_base": 1, "simple_python": 1})
    return make.finished_run(make.entry(on=board, evidence="uploaded"), endpoint=None, **fields)


@pytest.mark.parametrize(
    ("figures", "of_a_request"),
    [('{"latency":[[1,2],[3]]}', "2.5 s <small>p50; p95 4.7 s, as uploaded"), ("", "not known")],
)
def test_an_uploads_times_are_those_of_its_lines(
    client: Client, figures: str, of_a_request: str
) -> None:
    run = upload()
    talk, single = cases_of(run)[:2]
    make.reply(run, talk, latency=6.0, figures=figures)
    make.reply(run, single, latency=5.0)

    text = text_of(client, run)

    assert f"Latency of a request</dt><dd>{of_a_request}" in text.replace("<dd><small>", "<dd>")
    assert "Latency of a case</dt><dd>5.5 s <small>p50; p95 6.0 s, as uploaded" in text


def test_an_upload_being_judged_has_no_endpoint_in_trouble(client: Client) -> None:
    board = make.benchmark({"simple_python": 2})
    run = make.run(make.entry(on=board, evidence="uploaded"), endpoint=None)
    Run.objects.filter(pk=run.pk).update(created_at=make.EPOCH)
    make.reply(run, cases_of(run)[0], accepted=False, trouble="upload", explanation="503")

    text = text_of(seen_by_its_owner(client, run), run)

    assert "endpoint has trouble" not in text
    assert "Nobody is working" not in text


def test_without_prices_no_cost_is_shown(client: Client) -> None:
    run = make.finished_run()
    make.reply(run, cases_of(run)[0], tokens_in=10, tokens_out=10)

    assert "not known" in text_of(client, run)


def test_the_configuration_is_shown_without_anything_that_could_be_a_secret(
    client: Client,
) -> None:
    values = {"mode": "fc", "base_url": "https://u:secret@api.example.org/v1?key=secret"}
    run = make.finished_run(configuration=json.dumps(values))

    text = text_of(client, run)

    assert "https://api.example.org/v1" in text
    assert "secret" not in text


def test_deviations_are_said_in_words(client: Client) -> None:
    run = make.finished_run(deviations={"arguments_object": 12, "something_new": 3})

    text = text_of(client, run)

    assert "Arguments sent as an object, not as text" in text
    assert "Something new" in text


# While it goes on


def test_htmx_gets_the_live_part_alone_and_stops_asking_when_the_run_has_ended(
    client: Client,
) -> None:
    run = a_run()
    seen_by_its_owner(client, run)

    active = client.get(f"/runs/{run.pk}/", headers=HTMX).content.decode()
    client.post(f"/runs/{run.pk}/cancel/")
    ended = client.get(f"/runs/{run.pk}/", headers=HTMX).content.decode()

    assert "<html" not in active
    assert "every 2500ms" in active
    assert "every 2500ms" not in ended


def test_rate_and_time_left_rest_on_the_last_minutes(client: Client) -> None:
    run = a_run()
    now = timezone.now()
    for number, case in enumerate(cases_of(run)[:5]):
        make.reply(run, case, sent_at=now - timedelta(seconds=100 - number))
        Verdict.objects.create(scoring=run.scorings.get(), case=case, outcome="correct")

    text = text_of(seen_by_its_owner(client, run), run)

    assert "5 cases answered in the last 2 minutes)" in text
    assert re.search(r"at (2\.\d|3\.0) a minute", text)
    assert re.search(r"<strong>about 2 min</strong> left", text)


def test_trouble_of_the_endpoint_is_said_while_it_lasts(client: Client) -> None:
    run = a_run()
    failed: dict[str, Any] = {"accepted": False, "trouble": "transient", "status": 503}
    now, old = timezone.now(), timezone.now() - timedelta(hours=1)
    case = cases_of(run)[0]
    make.reply(run, case, explanation="An old one.", attempt=1, sent_at=old, **failed)
    make.reply(run, case, explanation="HTTP 503. Overloaded.", attempt=2, sent_at=now, **failed)

    text = text_of(seen_by_its_owner(client, run), run)

    assert "1 request of the last 5 minutes brought no answer" in text
    assert "HTTP 503. Overloaded." in text
    assert "1 retry" in text


def test_trouble_that_has_passed_is_said_to_have_passed(client: Client) -> None:
    run = a_run()
    now = timezone.now()
    failed: dict[str, Any] = {"accepted": False, "trouble": "transient", "status": 503}
    case, other = cases_of(run)[:2]
    make.reply(run, case, explanation="HTTP 503.", sent_at=now - timedelta(seconds=9), **failed)

    during = text_of(seen_by_its_owner(client, run), run)
    make.reply(run, other, sent_at=now)
    afterwards = text_of(client, run)

    assert "The endpoint has trouble" in during
    assert "The endpoint had trouble, and answers again" in afterwards


@pytest.mark.parametrize(
    ("rate", "words"),
    [(None, ""), (1234.4, "1,234 a second"), (2.34, "2.3 a second"), (0.05, "3.0 a minute")],
)
def test_a_rate_is_given_by_the_minute_where_a_second_brings_less_than_one_case(
    rate: float | None, words: str
) -> None:
    assert Pace(rate=rate).words == words


def stalled_run(**fields: Any) -> Run:
    run = a_run("queued", **fields)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    return run


def lease(run: Run) -> None:
    Slice.objects.create(
        run=run,
        number=1,
        cases=[],
        state="leased",
        lease_token=uuid4(),
        lease_until=timezone.now() + timedelta(minutes=1),
    )


def test_a_queued_run_that_nobody_takes_says_that_there_is_no_worker(client: Client) -> None:
    run = stalled_run()

    assert "No worker" in text_of(seen_by_its_owner(client, run), run)


def test_a_run_queued_a_moment_ago_says_nothing_of_workers(client: Client) -> None:
    run = a_run("queued")

    assert "No worker" not in text_of(seen_by_its_owner(client, run), run)


def test_a_run_waits_its_turn_while_workers_are_busy_with_others(client: Client) -> None:
    lease(a_run())
    run = stalled_run()

    text = text_of(seen_by_its_owner(client, run), run)

    assert "It waits for its turn" in text
    assert "No worker" not in text


def test_a_run_that_is_worked_on_says_nothing_of_workers(client: Client) -> None:
    run = stalled_run()
    lease(run)

    assert "Nobody is working" not in text_of(seen_by_its_owner(client, run), run)


def test_a_command_s_run_says_that_its_command_has_gone(client: Client) -> None:
    run = stalled_run(is_local=True)

    assert "The command that drives this run" in text_of(seen_by_its_owner(client, run), run)


def test_a_paused_run_says_why_and_when_it_is_tried_again(client: Client) -> None:
    run = a_run("paused", reason="HTTP 503 twenty times.", next_probe_at=timezone.now())

    text = text_of(seen_by_its_owner(client, run), run)

    assert "HTTP 503 twenty times." in text
    assert "is tried again at" in text


def test_a_failed_run_says_why_and_how_to_start_anew(client: Client) -> None:
    run = a_run("failed", reason="HTTP 401. The endpoint refuses the key: check it.")

    text = text_of(seen_by_its_owner(client, run), run)

    assert "The endpoint refuses the key: check it." in text
    assert f"/submit/?like={run.pk}" in text


# Its samples


@pytest.fixture
def judged() -> Run:
    return make.finished_run(accuracy={"simple_python": 1, "multiple": 0, "irrelevance": 1})


def listed(text: str) -> int:
    return text.count("?run=")


@pytest.mark.parametrize(
    ("query", "n"),
    [
        ("", 10),
        ("?category=multiple", 3),
        ("?outcome=correct", 7),
        ("?fault=wrong_count", 3),
        ("?fault=wrong_type", 0),
        ("?q=simple_python_2", 1),
        ("?q=weather+in+Bern", 10),
        ("?q=No+call+was+made", 3),
        ("?category=multiple&outcome=correct", 0),
    ],
)
def test_samples_are_narrowed_by_category_outcome_fault_and_text(
    client: Client, judged: Run, query: str, n: int
) -> None:
    assert listed(text_of(client, judged, query)) == n


@pytest.mark.parametrize(
    "query",
    [
        "?category=nonsense",
        "?outcome=nonsense&fault=nonsense",
        "?page=-1",
        "?page=99999999999999999999",
        "?page=x",
        "?q=%00",
        "?q=%ff%fe",
        "?q=%ED%A0%80",
        "?q=" + "a" * 500,
        "?q=%25_%5C",
    ],
)
def test_nonsense_in_the_address_never_breaks_the_page(
    client: Client, judged: Run, query: str
) -> None:
    assert client.get(f"/runs/{judged.pk}/{query}").status_code == 200


def test_a_filter_that_leaves_nothing_offers_to_be_dropped(client: Client, judged: Run) -> None:
    assert "Drop the filter" in text_of(client, judged, "?q=nothing+like+this")


def test_fifty_samples_are_on_a_page_and_the_filter_stays_when_one_turns_it(
    client: Client,
) -> None:
    run = make.finished_run(make.entry(on=make.benchmark({"simple_python": 120})), 0)

    text = text_of(client, run, "?outcome=wrong")

    assert listed(text) == 50
    assert "?outcome=wrong&amp;page=2#samples" in text


def test_cases_that_are_still_secret_are_not_listed(client: Client, judged: Run) -> None:
    benchmark = judged.entry.benchmark
    benchmark.cases_public_from = timezone.now() + timedelta(days=1)
    benchmark.save()
    reply = make.reply(judged, cases_of(judged)[0], b"{}")

    text = text_of(client, judged)

    assert "not public yet" in text
    assert listed(text) == 0
    assert client.get(f"/runs/{judged.pk}/replies/{reply.pk}/").status_code == 404


@pytest.mark.parametrize("n", [5, 60])
def test_the_page_costs_the_same_queries_for_any_number_of_cases(
    client: Client, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = make.finished_run(make.entry(on=make.benchmark({"simple_python": n, "multiple": n})))
    for case in cases_of(run):
        make.reply(run, case)

    # the run; verdict counts, sizes, categories, replies, times of cases; the samples' number and
    # page; events
    with django_assert_num_queries(9):
        client.get(f"/runs/{run.pk}/")


def test_the_live_part_costs_no_more_than_its_own_queries(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = stalled_run()
    Run.objects.filter(pk=run.pk).update(state="running")
    seen_by_its_owner(client, run)

    # session and user; the run; verdict counts, sizes, categories, replies; leases
    with django_assert_num_queries(8):
        client.get(f"/runs/{run.pk}/", headers=HTMX)


# Its replies


def test_a_reply_is_downloaded_as_stored_and_can_only_be_saved(client: Client) -> None:
    run = make.finished_run()
    body = b'{"a": "<script>alert(1)</script>\xff\x00"}'
    reply = make.reply(run, cases_of(run)[0], body)

    page = client.get(f"/runs/{run.pk}/replies/{reply.pk}/")

    assert page.content == body
    assert page["Content-Type"] == "text/plain; charset=utf-8"
    assert page["Content-Disposition"].startswith("attachment")
    assert page["X-Content-Type-Options"] == "nosniff"


def test_a_private_run_s_reply_is_not_found_by_others(client: Client) -> None:
    run = make.finished_run(published=False)
    reply = make.reply(run, cases_of(run)[0], b"{}")

    assert client.get(f"/runs/{run.pk}/replies/{reply.pk}/").status_code == 404


def test_a_reply_is_found_under_its_own_run_only(client: Client) -> None:
    run, other = make.finished_run(), make.finished_run()
    reply = make.reply(run, cases_of(run)[0], b"{}")

    assert client.get(f"/runs/{other.pk}/replies/{reply.pk}/").status_code == 404


def test_a_partial_run_counts_only_what_it_was_to_ask(client: Client) -> None:
    run = make.finished_run(counts=False)
    category = Category.objects.get(name="multiple")
    scores = run.scorings.get().category_scores.filter(category=category)
    Verdict.objects.filter(case__category=category).delete()
    scores.update(n=1)

    text = text_of(client, run)

    assert 'data-label="Not run">1<' in text
    assert "does not count on the board" in text
