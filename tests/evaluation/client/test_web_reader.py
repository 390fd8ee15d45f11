"""Pages for a model's web tools: public addresses only, bounded, and never the operator's key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from evaluation.client.guard import Guard, make_session
from evaluation.client.web import MAX_PAGE, SearchUnavailable, WebReader
from evaluation.engine.play import WebRequest, WebResponse
from tests.fakes import FakeEndpoint, Request, Scripted

HTML = {"content-type": "text/html; charset=utf-8"}
KEY = "serp-key-0123456789"


def reading(
    server: FakeEndpoint, work: Callable[[WebReader], Awaitable[WebResponse]]
) -> WebResponse:
    """Runs `work` with a reader that may reach `server` and nothing else that is private."""

    async def run() -> WebResponse:
        async with make_session(Guard.listing([server.host])) as session:
            search = f"http://{server.host}/search"
            return await work(WebReader(session, KEY, search, first_wait=0))

    return asyncio.run(run())


def page(server: FakeEndpoint, url: str = "") -> WebResponse:
    return reading(server, lambda reader: reader.get(WebRequest(url or server.base_url)))


def search(server: FakeEndpoint) -> WebResponse:
    request = WebRequest("https://serpapi.com/search", {"q": "tea"}, with_search_key=True)
    return reading(server, lambda reader: reader.get(request))


def test_a_page_comes_as_text() -> None:
    with FakeEndpoint(Scripted(headers=HTML, body="<p>Grüezi</p>".encode())) as server:
        response = page(server)

    assert response == WebResponse(200, "<p>Grüezi</p>", "text/html")
    assert KEY not in server.requests[0].path


def test_a_private_address_is_not_fetched() -> None:
    with FakeEndpoint(Scripted()) as server:
        response = page(server, "http://127.0.0.1:1/")

    assert (response.status, server.requests) == (0, [])
    assert "not on the public internet" in response.trouble


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:1/", "https://10.0.0.1/", "file:///etc/passwd"]
)
def test_a_redirect_leads_to_no_private_place(target: str) -> None:
    with FakeEndpoint(Scripted(302, {"location": target})) as server:
        response = page(server)

    assert response.status == 0
    assert response.trouble


def test_a_redirect_is_followed_where_that_is_allowed() -> None:
    def script(request: Request) -> Scripted:
        if request.path == "/v1":
            return Scripted(301, {"location": "/there"})
        return Scripted(headers=HTML, body=b"there")

    with FakeEndpoint(script=script) as server:
        response = page(server)

    assert response.text == "there"


def test_a_circle_of_redirects_ends() -> None:
    with FakeEndpoint(Scripted(302, {"location": "/v1"})) as server:
        response = page(server)

    assert response.trouble == "more than 5 redirects"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Scripted(headers={"content-type": "image/png"}, body=b"x"), "no text but image/png"),
        (Scripted(headers=HTML, body=b"x" * (MAX_PAGE + 1)), "more than 2 MB"),
        (Scripted(is_dropped=True), "the connection failed"),
    ],
)
def test_what_cannot_be_used_is_said_in_words(reply: Scripted, words: str) -> None:
    with FakeEndpoint(reply) as server:
        response = page(server)

    assert words in response.trouble


@pytest.mark.parametrize("url", ["https://", "https://[::1", "https://a b/", "https://x:99999/"])
def test_a_malformed_address_is_trouble_and_no_error(url: str) -> None:
    with FakeEndpoint(Scripted()) as server:
        response = page(server, url)

    assert response.trouble


def test_the_key_goes_to_the_search_service() -> None:
    with FakeEndpoint(Scripted(body=b'{"organic_results": []}')) as server:
        response = search(server)

    assert server.requests[0].path == f"/search?q=tea&api_key={KEY}"
    assert response.text == '{"organic_results": []}'


@pytest.mark.parametrize(
    ("status", "document"),
    [
        (200, {"search_metadata": {"status": "Success"}, "organic_results": [{"title": "T"}]}),
        (200, {"search_metadata": {"status": "Success"}, "error": "No results for this query."}),
        (400, {"error": "Missing query `q` parameter."}),
    ],
)
def test_a_search_that_finds_nothing_or_cannot_be_made_is_an_answer(
    status: int, document: dict[str, object]
) -> None:
    with FakeEndpoint(Scripted(status, body=json.dumps(document).encode())) as server:
        response = search(server)

    assert (response.status, response.trouble) == (status, "")
    assert json.loads(response.text) == document
    assert len(server.requests) == 1


def test_a_key_that_the_service_repeats_is_not_kept() -> None:
    echoed = {"search_parameters": {"api_key": KEY}, "organic_results": []}
    with FakeEndpoint(Scripted(body=json.dumps(echoed).encode())) as server:
        response = search(server)

    assert KEY not in response.text


@pytest.mark.parametrize(
    ("reply", "requests"),
    [
        pytest.param(Scripted(429), 5, id="too-many"),
        pytest.param(Scripted(503), 5, id="down"),
        pytest.param(Scripted(is_dropped=True), 5, id="gone"),
        pytest.param(Scripted(401), 1, id="key-refused"),
        pytest.param(Scripted(404), 1, id="wrong-address"),
        pytest.param(Scripted(302, {"location": "/elsewhere"}), 1, id="moved"),
        pytest.param(Scripted(headers=HTML, body=b"<p>Welcome"), 5, id="another-server"),
        pytest.param(Scripted(body=b"[]"), 5, id="no-object"),
        pytest.param(
            Scripted(body=b'{"search_metadata": {"status": "Error"}, "error": "Later."}'),
            5,
            id="its-search-failed",
        ),
    ],
)
def test_a_search_service_that_does_not_answer_is_no_response(
    reply: Scripted, requests: int
) -> None:
    with FakeEndpoint(reply) as server:
        with pytest.raises(SearchUnavailable) as raised:
            search(server)

        asked = len({request.path for request in server.requests})

    assert KEY not in str(raised.value)
    assert asked == 1
    assert len(server.requests) >= requests  # aiohttp itself may repeat a dropped GET
