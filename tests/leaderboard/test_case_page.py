"""A case's page: question, reply, calls beside accepted answers, the fault, who passes."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Benchmark, Case, Run, Verdict
from evaluation.transcripts import MAX_SHOWN
from tests import make

pytestmark = pytest.mark.django_db
CONFIGURATION = json.dumps({"mode": "fc", "underscore": True, "reasoning_end": ""})


@pytest.fixture
def board() -> Benchmark:
    return make.real_benchmark({"multiple": 3, "irrelevance": 1})


def case_named(name: str) -> Case:
    return Case.objects.get(name=name)


def body(arguments: str, name: str = "triangle_properties_get", **message: Any) -> bytes:
    function = {"name": name, "arguments": arguments}
    calls = [{"id": "c1", "type": "function", "function": function}]
    said = {"role": "assistant", "content": None, "tool_calls": calls} | message
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice]}).encode()


def answered(
    board: Benchmark, reply: bytes, *, name: str = "multiple_0", **verdict: Any
) -> tuple[Run, str]:
    """A published run that gave this reply to a case, and the address of its page."""
    run = make.finished_run(make.entry(on=board), configuration=CONFIGURATION)
    make.reply(run, case_named(name), reply)
    if verdict:
        Verdict.objects.filter(scoring__run=run, case__name=name).update(**verdict)
    return run, f"/bfcl-v4/cases/{name}/?run={run.pk}"


WRONG = {
    "outcome": "wrong",
    "fault": "wrong_value",
    "where": "side3",
    "error_type": "value_error:others",
    "message": "side3 is 9; accepted: 3",
}


def test_a_wrong_answer_shows_question_calls_accepted_values_and_the_fault(
    client: Client, board: Benchmark
) -> None:
    _, address = answered(board, body('{"side1": 5, "side2": 4, "side3": 9}'), **WRONG)

    text = client.get(address).content.decode()

    assert "three sides are 5 units, 4 units and 3 units" in text
    assert '<span class="off">9</span>' in text
    assert '<span class="want">3</span>' in text
    assert "Wrong value at <code>side3</code>" in text
    assert "<code>value_error:others</code>" in text
    assert "circle_properties_get" in text  # offered, too


def test_the_raw_reply_stands_there_as_it_was_received(client: Client, board: Benchmark) -> None:
    reply = body("{}", note="<b>bold</b>")
    run, address = answered(board, reply)

    text = client.get(address).content.decode()

    assert "&lt;b&gt;bold&lt;/b&gt;" in text
    assert "<b>bold" not in text
    assert f"/runs/{run.pk}/replies/" in text


@pytest.mark.parametrize("content", [["hi"], [1], [{"type": "text", "text": "hi"}], {"a": 1}, 5])
def test_a_text_that_is_none_does_not_break_the_page(
    client: Client, board: Benchmark, content: object
) -> None:
    _, address = answered(board, body("{}", content=content, tool_calls=None), **WRONG)

    assert client.get(address).status_code == 200


def test_a_long_reply_is_cut_on_the_page_and_whole_in_the_download(
    client: Client, board: Benchmark
) -> None:
    reply = body("{}", note="x" * 3_000_000)
    run, address = answered(board, reply)

    page = client.get(address)

    assert "Only its start is shown." in page.content.decode()
    assert len(page.content) < 3 * MAX_SHOWN
    stored = run.replies.get()
    assert client.get(f"/runs/{run.pk}/replies/{stored.pk}/").content == reply


def test_arguments_that_are_not_json_are_shown_as_they_came(
    client: Client, board: Benchmark
) -> None:
    _, address = answered(board, body('{"side1": '), outcome="wrong", fault="malformed")

    text = client.get(address).content.decode()

    assert "Nothing that can be read as calls:" in text
    assert "Malformed call" in text


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff\xfe\x00binary", id="binary"),
        pytest.param(b"<html>no json</html>", id="html"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(body('{"a": "\\ud800"}'), id="lone-surrogate"),
        pytest.param(body('{"a": "\\u0000"}'), id="nul"),
        pytest.param(body("{}", content=["not", "text"]), id="content-not-text"),
        pytest.param(body("{}", content="\x00 \ud800 \u202e"), id="odd-characters"),
        pytest.param(body("[1, 2]"), id="arguments-no-object"),
        pytest.param(body("{}", name="x" * 50_000), id="long-name"),
        pytest.param(body("[" * 50_000), id="deep-arguments"),
    ],
)
def test_no_reply_breaks_the_page(client: Client, board: Benchmark, reply: bytes) -> None:
    run, address = answered(board, reply)

    page = client.get(address)

    assert page.status_code == 200
    assert "\u202e" not in page.content.decode()
    assert client.get(f"/runs/{run.pk}/replies/{run.replies.get().pk}/").status_code == 200


def test_direction_marks_of_a_reply_stand_as_their_codes(client: Client, board: Benchmark) -> None:
    _, address = answered(board, body('{"side1": "a\u202eb"}'))

    assert "⟨U+202E⟩" in client.get(address).content.decode()


def test_attempts_that_failed_are_listed_with_what_went_wrong(
    client: Client, board: Benchmark
) -> None:
    run, address = answered(board, body("{}"))
    make.reply(
        run,
        case_named("multiple_0"),
        b"overloaded",
        attempt=2,
        status=503,
        accepted=False,
        trouble="transient",
        explanation="HTTP 503. The endpoint is overloaded.",
    )

    text = client.get(address).content.decode()

    assert "HTTP 503. The endpoint is overloaded." in text
    assert "Attempt 2" in text


def test_an_unscored_case_is_neither_right_nor_wrong(client: Client, board: Benchmark) -> None:
    run = make.finished_run(make.entry(on=board), configuration=CONFIGURATION)
    Verdict.objects.filter(scoring__run=run).update(
        outcome="unscored", error_type="", fault="", message="HTTP 503 five times."
    )

    text = client.get(f"/bfcl-v4/cases/multiple_0/?run={run.pk}").content.decode()

    assert "neither right nor wrong" in text
    assert "HTTP 503 five times." in text
    assert "No answer was received." in text


def test_a_case_that_has_not_been_asked_yet_says_so(client: Client, board: Benchmark) -> None:
    owner = make.user()
    run = make.run(
        make.entry(make.card(owner=owner), board), state="running", configuration=CONFIGURATION
    )
    client.force_login(owner)

    text = client.get(f"/bfcl-v4/cases/multiple_0/?run={run.pk}").content.decode()

    assert "has not asked this case yet" in text


def test_without_a_run_the_case_stands_alone(client: Client, board: Benchmark) -> None:
    text = client.get("/bfcl-v4/cases/multiple_0/").content.decode()

    assert "What is accepted" in text
    assert "The model called" not in text


def test_where_nothing_may_be_called_the_page_says_so(client: Client, board: Benchmark) -> None:
    assert "No call:" in client.get("/bfcl-v4/cases/irrelevance_0/").content.decode()


def test_the_share_that_passes_counts_entries_on_the_board_once(
    client: Client, board: Benchmark
) -> None:
    make.finished_run(make.entry(make.card("Right"), board), 1)
    make.finished_run(make.entry(make.card("Wrong"), board), 0)
    make.finished_run(make.entry(make.card("Private"), board), 1, published=False)
    unscored = make.finished_run(make.entry(make.card("Silent"), board), 1)
    Verdict.objects.filter(scoring__run=unscored).update(outcome="unscored")

    text = client.get("/bfcl-v4/cases/multiple_0/").content.decode()

    assert "<strong>1 of 2</strong>" in text
    assert "Private" not in text


def test_a_private_run_s_case_is_not_found_by_others(client: Client, board: Benchmark) -> None:
    run = make.finished_run(make.entry(on=board), published=False)

    assert client.get(f"/bfcl-v4/cases/multiple_0/?run={run.pk}").status_code == 404


@pytest.mark.parametrize("query", ["?run=x", "?run=-1", "?run=%00", "?run=" + "9" * 30, "?run="])
def test_nonsense_for_a_run_shows_the_case_alone(
    client: Client, board: Benchmark, query: str
) -> None:
    assert client.get(f"/bfcl-v4/cases/multiple_0/{query}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/bfcl-v4/cases/nope/", "/nope/cases/multiple_0/", "/bfcl-v4/cases/%00/"]
)
def test_what_does_not_exist_is_not_found(client: Client, board: Benchmark, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_case_that_is_still_secret_is_not_found(client: Client, board: Benchmark) -> None:
    Benchmark.objects.update(cases_public_from=timezone.now() + timedelta(days=1))

    assert client.get("/bfcl-v4/cases/multiple_0/").status_code == 404


def test_one_goes_from_one_wrong_answer_to_the_next(client: Client, board: Benchmark) -> None:
    run = make.finished_run(make.entry(on=board), 0, configuration=CONFIGURATION)

    text = client.get(f"/bfcl-v4/cases/multiple_1/?run={run.pk}").content.decode()

    assert f'rel="prev" href="/bfcl-v4/cases/multiple_0/?run={run.pk}"' in text
    assert f'rel="next" href="/bfcl-v4/cases/multiple_2/?run={run.pk}"' in text


@pytest.mark.parametrize("entries", [1, 12])
def test_the_page_costs_the_same_queries_for_any_number_of_entries(
    client: Client,
    board: Benchmark,
    entries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(entries - 1):
        make.finished_run(make.entry(on=board))
    _, address = answered(board, body("{}"))

    # case, run, scoring, verdict; erratum, replies; two neighbours; who passes
    with django_assert_num_queries(10):
        client.get(address)


def test_a_conversation_is_shown_turn_by_turn(client: Client) -> None:
    board = make.real_benchmark({"multi_turn_base": 1})
    run, address = answered(board, body("{}", name="ls"), name="multi_turn_base_0")
    done = b'{"choices": [{"message": {"content": "That is all."}}]}'
    make.reply(run, case_named("multi_turn_base_0"), done, step=1)
    make.reply(run, case_named("multi_turn_base_0"), done, turn=1)

    text = client.get(address).content.decode()

    assert "<h3>Turn 1</h3>" in text
    assert "<h3>Turn 2</h3>" in text
    assert "ls({})" in text
    assert "That is all." in text
    assert "mkdir(" in text or "mv(" in text  # accepted


def test_an_answer_in_words_stands_beside_the_accepted_words(client: Client) -> None:
    board = make.real_benchmark({"memory_kv": 1})
    name = Case.objects.get().name
    run, address = answered(board, body("{}", name="memory_list"), name=name)
    make.reply(run, Case.objects.get(), b'{"choices": [{"message": {"content": "Bob"}}]}', step=1)

    text = client.get(address).content.decode()

    assert "The model’s final message" in text
    assert '<p class="text">Bob</p>' in text
    assert '<span class="want">Michael</span>' in text
    assert "memory_list({})" in text


def test_a_conversation_shows_its_world_once_its_calls_are_replayed(client: Client) -> None:
    board = make.real_benchmark({"multi_turn_base": 1})
    run, address = answered(board, body('{"a": "b"}', "ls"), name="multi_turn_base_0")

    before = client.get(address).text
    answer = client.post(f"/bfcl-v4/cases/multi_turn_base_0/replay/?run={run.pk}")
    after = client.get(address).text

    assert "Replay the calls" in before
    assert answer.headers["Location"] == f"{address}#world"
    assert "Replay the calls" not in after
    assert "After this turn the worlds differ here." in after
    assert "ls(a=" in after.split("What happened in the world")[1], after


def test_nobody_replays_a_run_they_may_not_see(client: Client) -> None:
    board = make.real_benchmark({"multi_turn_base": 1})
    hidden = make.finished_run(make.entry(on=board), published=False)

    address = f"/bfcl-v4/cases/multi_turn_base_0/replay/?run={hidden.pk}"

    assert client.post(address).status_code == 404
    assert client.post("/bfcl-v4/cases/multi_turn_base_0/replay/").status_code == 404
    assert client.get(address).status_code == 405


def test_the_official_way_to_write_values_is_explained_where_it_differs(
    client: Client, board: Benchmark
) -> None:
    wrong = WRONG | {"message": "Invalid value for parameter 'exact': True. Expected [False]."}
    _, address = answered(board, body('{"side1": 5}'), **wrong)

    text = client.get(address).text

    assert "writes values as Python does" in text


def test_an_answer_cut_at_a_token_limit_says_so(client: Client, board: Benchmark) -> None:
    _, cut = answered(board, body('{"side1"'), **WRONG | {"fault": "truncated"})
    _, whole = answered(board, body('{"side1": 1}'), name="multiple_1", **WRONG)

    texts = [client.get(address).text for address in (cut, whole)]

    assert ["ended its answer at a token limit" in text for text in texts] == [True, False]
