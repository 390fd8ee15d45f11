"""Pages of the open web, fetched for a model's web tools through the same wall as endpoints.

A page's address comes from a model, so it is hostile: public addresses only, each redirect
checked anew, one size and one time for all of it. The search service is the operator's choice
and the only one that ever sees the operator's key.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace

import aiohttp
from yarl import URL

from evaluation.client.errors import AddressRefused
from evaluation.client.limits import MAX_ATTEMPTS, wait_before
from evaluation.engine.play import WebRequest, WebResponse

MAX_PAGE = 2 * 1024 * 1024  # bytes after content-decoding
PAGE_SECONDS = 20.0
MAX_REDIRECTS = 5
REDIRECTS = frozenset((301, 302, 303, 307, 308))
TRY_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
SEARCHED = (200, 400)  # found, or a query that cannot be searched for: an answer for the model
SUCCESS = "Success"
TEXT_TYPES = ("text/", "application/json", "application/xml", "application/xhtml+xml")


class SearchUnavailable(Exception):
    """The search service does not answer, which is no model's fault; the message says how."""


@dataclass(frozen=True, slots=True)
class WebReader:
    """Fetches pages. `search_url` replaces the service's own address; times in seconds.

    `session` is guarded and allows no private address but, if it is one, the search service's.
    """

    session: aiohttp.ClientSession
    search_key: str
    search_url: str = ""
    first_wait: float = 1.0

    async def get(self, request: WebRequest) -> WebResponse:
        """What came back. Trouble with a page is a response too.

        Raises SearchUnavailable.
        """
        if request.with_search_key:
            return await self._search(request)
        try:
            async with asyncio.timeout(PAGE_SECONDS):
                return await self._follow(URL(request.url), request)
        except AddressRefused as refusal:
            return WebResponse(0, trouble=str(refusal))
        except TimeoutError:
            return WebResponse(0, trouble=f"no answer within {PAGE_SECONDS:.0f} seconds")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return WebResponse(0, trouble=f"the connection failed ({type(error).__name__})")

    async def _follow(self, url: URL, request: WebRequest) -> WebResponse:
        for _ in range(MAX_REDIRECTS + 1):
            async with self.session.get(
                url, params=request.parameters, headers=request.headers, allow_redirects=False
            ) as response:
                target = response.headers.get("Location")
                if response.status not in REDIRECTS or not target:
                    return await _received(response)
                url = response.url.join(URL(target))
        return WebResponse(0, trouble=f"more than {MAX_REDIRECTS} redirects")

    async def _search(self, request: WebRequest) -> WebResponse:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            response = await self._search_once(request)
            if not response.trouble and response.status not in TRY_AGAIN:
                break
            await asyncio.sleep(self.first_wait * wait_before(attempt + 1, None))
        if response.status in (401, 402, 403):
            raise SearchUnavailable("The search service refuses the operator's key.")
        if response.trouble or response.status not in SEARCHED:
            why = response.trouble or f"it answers with {response.status}"
            raise SearchUnavailable(f"The search service cannot be used: {why}.")
        return response

    async def _search_once(self, request: WebRequest) -> WebResponse:
        """Errors are named by their kind only: their texts may hold the key."""
        parameters = {**request.parameters, "api_key": self.search_key}
        try:
            async with (
                asyncio.timeout(PAGE_SECONDS),
                self.session.get(
                    self.search_url or request.url, params=parameters, allow_redirects=False
                ) as response,
            ):
                found = await _received(response)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return WebResponse(0, trouble=f"the connection failed ({type(error).__name__})")
        if self.search_key:  # whatever a service repeats of a request, its key is not kept
            found = replace(found, text=found.text.replace(self.search_key, "(key)"))
        return replace(found, trouble=_undocumented(found)) if _is_final(found) else found


def _is_final(response: WebResponse) -> bool:
    return not response.trouble and response.status in SEARCHED


def _undocumented(response: WebResponse) -> str:
    """Why this is no answer to a search, in words; empty where it is one.

    The service answers with an object. Its `search_metadata` say how the search went: one without
    results is a success, with the reason under `error`.
    """
    try:
        found = json.loads(response.text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return "it answers with something that is no JSON object"
    about = found.get("search_metadata")
    status = about.get("status", SUCCESS) if isinstance(about, dict) else SUCCESS
    return "" if status == SUCCESS else f"its search ended as “{str(status)[:20]}”"


async def _received(response: aiohttp.ClientResponse) -> WebResponse:
    kind = response.content_type or ""
    if not kind.startswith(TEXT_TYPES):
        return WebResponse(response.status, "", kind[:100], f"it is no text but {kind[:100]}")
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MAX_PAGE:
            response.close()
            return WebResponse(response.status, "", kind, "the page has more than 2 MB")
    return WebResponse(response.status, _text(bytes(body), response), kind)


def _text(body: bytes, response: aiohttp.ClientResponse) -> str:
    try:
        return body.decode(response.charset or "utf-8", "replace")
    except LookupError:  # a charset nobody knows
        return body.decode("utf-8", "replace")
