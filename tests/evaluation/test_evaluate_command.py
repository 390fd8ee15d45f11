"""`manage.py evaluate`: what it prints, what it refuses, and what it leaves behind."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import Endpoint, Entry, ModelCard, Run
from tests import make
from tests.fakes import FakeEndpoint, Scripted, completion, error

DONE = completion("I am done.")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _benchmark(transactional_db: None) -> None:
    make.real_benchmark({"simple_python": 4, "irrelevance": 3})


def evaluate(base_url: str, *arguments: str) -> tuple[int, list[str]]:
    """Exit status and lines of standard output."""
    out = StringIO()
    try:
        call_command("evaluate", "--base-url", base_url, "--model", "tiny", *arguments, stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


def test_json_gives_a_line_per_case_in_dataset_order_and_a_last_line_for_the_run() -> None:
    with FakeEndpoint(DONE) as endpoint:
        status, lines = evaluate(endpoint.base_url, "--json", "--limit", "2")

    documents = [json.loads(line) for line in lines]
    assert status == 0
    assert [line["id"] for line in documents[:-1]] == [
        "simple_python_0",
        "simple_python_1",
        "irrelevance_0",
        "irrelevance_1",
    ]
    assert documents[0] == {
        "id": "simple_python_0",
        "outcome": "wrong",
        "valid": False,
        "error_type": "ast_decoder:decoder_failed",
        "deviations": [],
        "attempts": 1,
    }
    assert documents[-1] == {"state": "finished", "reason": ""}


def test_the_table_shows_accuracy_interval_and_n() -> None:
    with FakeEndpoint(DONE) as endpoint:
        status, lines = evaluate(endpoint.base_url, "--category", "irrelevance")

    assert status == 0
    assert lines[1].split() == ["irrelevance", "100.00%", "43.9%", "–", "100.0%", "3", "0"]
    assert f"/runs/{Run.objects.get().pk}/ on this machine's site, signed in" in lines[-2]
    assert lines[-1] == "Finished."


def test_a_run_that_did_not_finish_exits_with_1_and_says_why() -> None:
    with FakeEndpoint(error(401)) as endpoint:
        status, lines = evaluate(endpoint.base_url, "--json")

    last = json.loads(lines[-1])
    assert status == 1
    assert last["state"] == "failed"
    assert "key" in last["reason"]
    assert json.loads(lines[0])["outcome"] == "not_run"


def test_a_pause_ends_the_command() -> None:
    with FakeEndpoint(error(402)) as endpoint:
        status, lines = evaluate(endpoint.base_url, "--json")

    assert status == 1
    assert json.loads(lines[-1])["state"] == "paused"


def test_a_run_of_the_command_line_counts_only_when_published() -> None:
    with FakeEndpoint(DONE) as endpoint:
        evaluate(endpoint.base_url)
        private = Entry.objects.get().shown_run
        evaluate(endpoint.base_url, "--publish")

    assert private is None
    assert Entry.objects.get().shown_run == Run.objects.latest("pk")


def test_chosen_cases_never_count() -> None:
    with FakeEndpoint(DONE) as endpoint:
        evaluate(endpoint.base_url, "--case", "irrelevance_2")

    assert Run.objects.get().counts is False
    assert Run.objects.get().n == 1


def test_the_key_is_read_from_a_variable_and_kept_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TINY_KEY", "sk-0123456789abcdefghij")
    with FakeEndpoint(DONE) as endpoint:
        evaluate(endpoint.base_url, "--key-env", "TINY_KEY", "--limit", "1")

    sent = {request.headers["authorization"] for request in endpoint.requests}
    assert sent == {"Bearer sk-0123456789abcdefghij"}
    assert Endpoint.objects.get().sealed_key is None


@pytest.mark.parametrize(
    ("base_url", "arguments", "says"),
    [
        pytest.param("no address", (), "address", id="no-address"),
        pytest.param("ftp://host/v1", (), "https addresses", id="wrong-scheme"),
        pytest.param(
            "http://h/v1", ("--category", "simple_pyton"), "did you mean", id="unknown-category"
        ),
        pytest.param("http://h/v1", ("--case", "nonsense_0"), "no case", id="unknown-case"),
        pytest.param(
            "http://h/v1",
            ("--case", "irrelevance_0", "--category", "simple_python"),
            "not in the chosen categories",
            id="case-of-another-category",
        ),
        pytest.param(
            "http://h/v1", ("--mode", "prompt", "--underscore"), "FC mode", id="underscore"
        ),
        pytest.param("http://h/v1", ("--publish", "--limit", "3"), "--limit", id="publish-limit"),
        pytest.param("http://h/v1", ("--limit", "0"), "at least 1", id="no-case-at-all"),
        pytest.param("http://h/v1", ("--concurrency", "0"), "from 1 to 512", id="no-request"),
        pytest.param("http://h/v1", ("--key-env", "NOT_SET"), "not set", id="key-not-set"),
        pytest.param("http://h/v1", ("--benchmark", "bfcl"), "bfcl-v4", id="no-such-benchmark"),
        pytest.param("http://h/v1", ("--parameters", "{"), "JSON", id="parameters-no-json"),
        pytest.param(
            "http://h/v1", ("--parameters", '{"model": "x"}'), "cannot be set", id="parameter"
        ),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing_behind(
    base_url: str, arguments: tuple[str, ...], says: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        evaluate(base_url, *arguments)

    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert (ModelCard.objects.count(), Endpoint.objects.count(), Run.objects.count()) == (0, 0, 0)


def test_a_key_with_a_line_break_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", "sk-0123456789\nabcdefghij")

    with pytest.raises(CommandError, match="line break"):
        evaluate("http://h/v1", "--key-env", "TINY_KEY")


def test_ctrl_c_leaves_a_cancelled_run_with_what_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import os
    import signal

    def script(request: Any) -> Scripted:
        if len(endpoint.requests) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return Scripted(body=DONE.body, delay=0.3)

    with FakeEndpoint(script=script) as endpoint:
        status, lines = evaluate(endpoint.base_url, "--json", "--concurrency", "1")

    last = json.loads(lines[-1])
    assert status == 1
    assert last["state"] == "cancelled"
    assert "Interrupted" in last["reason"]
    assert 2 <= len(endpoint.requests) < 7
