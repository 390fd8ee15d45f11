"""Web search: calls become requests, responses become replies; nothing is fetched here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4 import pages, web
from evaluation.benchmarks.suite import Suite
from evaluation.engine.play import Fetch, Fetched, WebRequest, WebResponse
from evaluation.engine.types import Answer, Mode, Setup
from tests.parity.playing import Stage, done
from tests.suites import real_suite

RESULTS = json.dumps(
    {
        "organic_results": [
            {"title": "A", "link": "https://a.example", "snippet": "about a"},
            {"title": "B", "link": "https://b.example", "snippet": "about b"},
        ]
    }
)
PAGE = (
    "<html><head><style>p {color: red}</style><title>T</title></head><body><h2>Head</h2>"
    "<p>One <b>bold</b> <a href='/x'>link</a></p><script>evil()</script><ul><li>item</ul></body>"
)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return real_suite()


def replies(*calls: str, response: WebResponse, with_snippets: bool = True) -> tuple[Any, ...]:
    """Requests made and replies given when every request gets the same response."""
    execution = web.execute(calls, with_snippets=with_snippets)
    requests: list[WebRequest] = []
    try:
        step = next(execution)
        while True:
            assert isinstance(step, Fetch)
            requests += step.requests
            step = execution.send(Fetched((response,)))
    except StopIteration as end:
        return requests, end.value


def test_a_search_is_a_request_to_the_search_service_without_its_key() -> None:
    (request,), _ = replies(
        "search_engine_query(keywords='tea', region='ch-de')", response=WebResponse(200, RESULTS)
    )

    assert request.with_search_key
    assert request.parameters == {
        "engine": "duckduckgo", "q": "tea", "output": "json", "kl": "ch-de"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("with_snippets", "shown"),
    [
        (True, [{"title": "A", "href": "https://a.example", "body": "about a"}]),
        (False, [{"title": "A", "href": "https://a.example"}]),
    ],
)
def test_results_are_cut_to_the_number_asked_for(
    with_snippets: bool, shown: list[dict[str, str]]
) -> None:
    _, (reply,) = replies(
        "search_engine_query('tea', max_results=1)",
        response=WebResponse(200, RESULTS),
        with_snippets=with_snippets,
    )

    assert reply == str(shown)


@pytest.mark.parametrize(
    ("mode", "content"),
    [
        ("raw", PAGE),
        ("truncate", "T\nHead\nOne\nbold\nlink\nitem"),
        ("markdown", "T\n\n## Head\n\nOne **bold** [link](/x)\n\n* item\n"),
    ],
)
def test_a_page_is_told_in_the_mode_asked_for(mode: str, content: str) -> None:
    _, (reply,) = replies(
        f"fetch_url_content(url='https://a.example', mode='{mode}')",
        response=WebResponse(200, PAGE),
    )

    assert json.loads(reply) == {"content": content}


@pytest.mark.parametrize(
    ("call", "response", "words"),
    [
        ("fetch_url_content('file:///etc/passwd')", WebResponse(200), "Invalid URL"),
        ("fetch_url_content('https://a.example', 'pdf')", WebResponse(200), "Unsupported mode"),
        ("fetch_url_content('https://a.example')", WebResponse(404), "answered with 404"),
        ("fetch_url_content('https://a.example')", WebResponse(0, trouble="no name"), "no name"),
        ("fetch_url_content()", WebResponse(200), "missing 1 required positional argument: 'url'"),
        ("search_engine_query('x')", WebResponse(200, "<html>"), "no results"),
        ("search_engine_query('x')", WebResponse(200, "[" * 5000), "no results"),
        ("search_engine_query('x', max_results='2')", WebResponse(200, RESULTS), "slice indices"),
        ("delete_everything()", WebResponse(200), "name 'delete_everything' is not defined"),
    ],
)
def test_whatever_goes_wrong_is_a_reply(call: str, response: WebResponse, words: str) -> None:
    _, (reply,) = replies(call, response=response)

    assert words in reply


def test_the_same_request_is_found_again_whatever_the_order_of_its_parameters() -> None:
    one, other = (
        WebRequest("https://a.example", parameters, with_search_key=with_key)
        for parameters, with_key in (({"a": "1", "b": "2"}, True), ({"b": "2", "a": "1"}, False))
    )

    assert one.key == other.key
    assert one.key != WebRequest("https://a.example").key


def test_without_the_operators_key_the_category_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(web.KEY_VARIABLE, raising=False)

    assert web.KEY_VARIABLE in web.unavailable()


def test_a_model_that_searches_is_told_what_was_found(suite: Suite) -> None:
    case = suite.cases("web_search_base")[0]
    call = {"name": "search_engine_query", "arguments": '{"keywords": "tea"}'}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": call}]}
    searching = Answer([{call["name"]: call["arguments"]}], message)
    stage = Stage(
        answer=lambda question: done(question) if question.step else searching,
        fetch=lambda step: tuple(WebResponse(200, RESULTS) for _ in step.requests),
    )

    result = stage.play(suite, case, Setup(Mode.FC, underscore=True))

    assert result == [[searching.result, "I am done."]]
    assert "about b" in stage.questions[1].messages[-1]["content"]


def test_a_page_nested_beyond_measure_is_still_read() -> None:
    html = "<div>" * 100_000 + "deep" + "</div>" * 100_000

    assert pages.as_text(html) == "deep"
    assert pages.as_markdown(html) == "deep\n"
