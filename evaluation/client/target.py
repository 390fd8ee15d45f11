"""Where and how one model is asked: the frozen, public part of a run's configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from yarl import URL

from evaluation.client.addresses import parse_address
from evaluation.client.errors import AddressRefused
from evaluation.client.limits import DEFAULT_TIMEOUT
from evaluation.engine.types import JSON

MIN_KEY = 16  # characters; a shorter key could not be told from ordinary text in a reply
MAX_KEY = 4096
PATH = "/chat/completions"
# What people paste after the base URL, longest first.
PASTED_TAILS = (PATH, "/completions", "/responses", "/models", "/chat")
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,60}")
API_VERSION = re.compile(r"[A-Za-z0-9._-]{1,60}")
# Headers that the protocol itself needs; a key in one of them would break or smuggle requests.
RESERVED_HEADERS = re.compile(
    r"accept(-encoding)?|connection|content-.*|cookie|date|expect|forwarded|host|keep-alive"
    r"|origin|proxy-.*|range|referer|te|trailer|transfer-encoding|upgrade|user-agent|via",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Target:
    """One model at one address. `base_url` is normalised on use; the key is never part of it."""

    base_url: str
    model: str
    parameters: Mapping[str, JSON] = field(default_factory=dict)
    reasoning_end: str = ""
    auth_header: str = "Authorization"
    api_version: str = ""
    timeout: float = DEFAULT_TIMEOUT  # seconds a request may take in all

    @property
    def url(self) -> str:
        """The address that is really asked. Raises AddressRefused."""
        return completions_url(self.base_url, self.api_version)

    @property
    def token_limit(self) -> int | None:
        """The most tokens we let the model write, None where we set no limit."""
        for name in ("max_completion_tokens", "max_tokens"):
            limit = self.parameters.get(name)
            if isinstance(limit, int):
                return limit
        return None


def normalise_base_url(text: str) -> str:
    """The base URL a person means: `/v1` added where no path is given, pasted tails removed.

    Raises:
        AddressRefused: It is no address, or holds something that does not belong there.
    """
    url = _parse(text.strip())
    path = url.raw_path.rstrip("/")
    for tail in PASTED_TAILS:
        if path.endswith(tail):
            path = path.removesuffix(tail).rstrip("/")
            break
    else:
        path = path or "/v1"
    return f"{url.scheme}://{url.raw_authority}{path}"


def completions_url(base_url: str, api_version: str = "") -> str:
    """The final address of chat completions below a base URL. Raises AddressRefused."""
    pasted = _parse(base_url.strip()).query.get("api-version", "")
    version = api_version or pasted
    query = f"?api-version={quote(version, safe='')}" if version else ""
    return normalise_base_url(base_url) + PATH + query


def _parse(text: str) -> URL:
    url = parse_address(text)
    if set(url.query) - {"api-version"}:
        raise AddressRefused(
            "Remove what follows the “?” in the address: a key belongs in the key field, an"
            " API version in its own."
        )
    return url


def check_key(key: str, host_is_listed: bool) -> list[str]:
    """Sentences about what is wrong with an API key; none for a good or an empty one.

    `host_is_listed` is true for hosts the operator lists: there, short keys may be used, since
    they are too short to be found and blotted out in replies.
    """
    if not key:
        return []
    problems = []
    if any(character in "\r\n" for character in key):
        problems.append("The API key contains a line break: paste it again, on one line.")
    elif not key.isascii() or not key.isprintable() or key != key.strip():
        problems.append("The API key may hold only visible ASCII characters: paste it again.")
    if key.lower().startswith("bearer "):
        problems.append("Leave out “Bearer”: enter the API key alone.")
    if len(key) < MIN_KEY and not host_is_listed:
        problems.append(f"The API key has fewer than {MIN_KEY} characters: check it.")
    if len(key) > MAX_KEY:
        problems.append(f"The API key has more than {MAX_KEY} characters: check it.")
    return problems


def check_target(target: Target) -> list[str]:
    """Sentences about what is wrong with address, model, header or API version; none if good."""
    problems = []
    try:
        completions_url(target.base_url)
    except AddressRefused as refusal:
        problems.append(str(refusal))
    if not target.model.strip() or not target.model.isprintable():
        problems.append("Enter the model name as the endpoint knows it.")
    header = target.auth_header
    if not HEADER_NAME.fullmatch(header) or RESERVED_HEADERS.fullmatch(header):
        problems.append("The key's header must be a plain name like Authorization or api-key.")
    if target.api_version and not API_VERSION.fullmatch(target.api_version):
        problems.append("The API version may hold letters, digits, dots and hyphens only.")
    return problems


def auth_headers(target: Target, key: str) -> dict[str, str]:
    """The header that carries the key; none without a key."""
    if not key:
        return {}
    is_bearer = target.auth_header.lower() == "authorization"
    return {target.auth_header: f"Bearer {key}" if is_bearer else key}
