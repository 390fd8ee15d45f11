"""The two tools of web search: what they fetch, and what a model is told of it. No I/O here.

The benchmark's own class fetches by itself, from wherever a model says. Here a call becomes a
request that the driver of the play may carry out, record, replay or refuse.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from evaluation.benchmarks.bfcl_v4 import pages
from evaluation.benchmarks.bfcl_v4.calls import FAILED, Methods, as_reply, value_of
from evaluation.engine.play import Fetch, Fetched, Reply, Step, WebRequest, WebResponse

KEY_VARIABLE = "CALLBOARD_SERPAPI_KEY"
SEARCH = "https://serpapi.com/search"
BROWSER = {
    "User-Agent": "Mozilla/5.0 (compatible; Callboard)",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.9",
}


def unavailable() -> str:
    """Why web search cannot run here, in a sentence; empty where it can."""
    if os.environ.get(KEY_VARIABLE):
        return ""
    return f"Web search needs the operator's SerpAPI key, in {KEY_VARIABLE}; none is set here."


@dataclass(frozen=True, slots=True)
class Pending:
    """A value that takes a request first, and how it is made from the response."""

    request: WebRequest
    read: Callable[[WebResponse], object]


class WebSearchAPI:
    """The tools under the names a model knows; error texts of wrong arguments name this class."""

    def __init__(self, with_snippets: bool) -> None:
        self.with_snippets = with_snippets

    def search_engine_query(
        self, keywords: str, max_results: int | None = 10, region: str | None = "wt-wt"
    ) -> Pending:
        parameters = {"engine": "duckduckgo", "q": str(keywords), "output": "json"}
        if region is not None:
            parameters["kl"] = str(region)
        request = WebRequest(SEARCH, parameters, with_search_key=True)
        return Pending(request, lambda response: self._found(response, max_results))

    def _found(self, response: WebResponse, count: int | None) -> object:
        if response.trouble or response.status >= 400:
            return {"error": response.trouble or f"The search failed with {response.status}."}
        found = _results(response.text)
        if found is None:
            return {"error": "The search gave no results. Please try again later."}
        return [self._shown(result) for result in found[:count]]

    def _shown(self, result: Any) -> dict[str, Any]:
        shown = {"title": result["title"], "href": result["link"]}
        return {**shown, "body": result["snippet"]} if self.with_snippets else shown

    def fetch_url_content(self, url: str, mode: str = "raw") -> Pending:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"Invalid URL: {url}")
        return Pending(WebRequest(url, headers=BROWSER), lambda found: _page(url, mode, found))


def execute(
    calls: tuple[str, ...], *, with_snippets: bool
) -> Generator[Step, Reply, tuple[str, ...]]:
    """The replies to some call texts, each fetched as the driver of the play sees fit."""
    tools = WebSearchAPI(with_snippets)
    methods: Methods = {
        "search_engine_query": tools.search_engine_query,
        "fetch_url_content": tools.fetch_url_content,
    }
    replies = []
    for call in calls:
        try:
            value = value_of(call, methods)
            if isinstance(value, Pending):
                fetched = yield Fetch((value.request,))
                value = value.read(_only(fetched))
            replies.append(as_reply(value))
        except Exception as error:  # as with every tool: a refusal is a reply
            replies.append(f"{FAILED}{error}")
    return tuple(replies)


def _only(fetched: Reply) -> WebResponse:
    if isinstance(fetched, Fetched) and len(fetched.responses) == 1:
        return fetched.responses[0]
    return WebResponse(0, trouble="nothing was fetched")


def _results(text: str) -> list[Any] | None:
    try:
        found = json.loads(text)["organic_results"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, list) else None


_MODES: dict[str, Callable[[str], str]] = {
    "raw": lambda text: text,
    "markdown": pages.as_markdown,
    "truncate": pages.as_text,
}


def _page(url: str, mode: str, response: WebResponse) -> dict[str, str]:
    problem = response.trouble
    if not problem and response.status >= 400:
        problem = f"the server answered with {response.status}"
    if not problem and mode not in _MODES:
        problem = f"Unsupported mode: {mode}"
    if problem:
        return {"error": f"An error occurred while fetching {url}: {problem}"}
    return {"content": _MODES[mode](response.text)}
