"""What an endpoint says went wrong: one shape for the many error bodies in the field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time

from evaluation.engine.types import JSON

MAX_EXCERPT = 240  # characters of an endpoint's own words that are shown
MAX_SEARCHED = 4000  # characters of them that are searched for what went wrong
# Characters that could disturb a page or a terminal: controls, line breaks, bidirectional marks,
# and halves of surrogate pairs, which cannot be stored.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+"
)
HTML = re.compile(rb"\s*(<!--.*?-->\s*)?<(!doctype\s+html|html|head|body)\b", re.I | re.S)


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error body in parts, each a string, empty where the endpoint says nothing."""

    message: str = ""
    code: str = ""
    type: str = ""
    param: str = ""

    @property
    def text(self) -> str:
        """Everything said, in lower case, to search in."""
        return f"{self.code} {self.type} {self.param} {self.message}".lower()[:MAX_SEARCHED]

    @property
    def excerpt(self) -> str:
        """The endpoint's own words, safe to show as text; empty when it sent none we can read."""
        return printable(self.message, MAX_EXCERPT)


def printable(text: str, limit: int) -> str:
    """One line of plain text of at most `limit` characters."""
    line = UNPRINTABLE.sub(" ", text[: 4 * limit]).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


def read_complaint(body: bytes) -> Complaint:
    """Find the error in a response body; an empty complaint when there is none to be read."""
    try:
        found = json.loads(body[: 256 * 1024].decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return Complaint()
    if isinstance(found, list) and found:  # some servers wrap the error in a list
        found = found[0]
    return _from_object(found) if isinstance(found, dict) else Complaint()


def _from_object(found: Mapping[str, JSON]) -> Complaint:
    error = found.get("error") or found.get("errors") or found.get("detail")
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, str):
        return Complaint(error, _text(found.get("code")), _text(found.get("type")))
    if not isinstance(error, Mapping):
        error = found
    message = error.get("message") or error.get("msg") or error.get("detail")
    place = error.get("param") or error.get("loc")
    return Complaint(
        _text(message), _text(error.get("code")), _text(error.get("type")), _text(place)
    )


def _text(value: JSON) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return str(value)
    try:
        return json.dumps(value)
    except (ValueError, RecursionError):
        return ""


def is_html(headers: Mapping[str, str], body: bytes) -> bool:
    """True for a web page where JSON was due."""
    kind = headers.get("content-type", "").lower()
    return "text/html" in kind or HTML.match(body[:2000]) is not None


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds an endpoint wants us to wait, from either form of Retry-After; None if unsaid.

    `now` is the time in seconds since the epoch, to be given by tests alone.
    """
    said = headers.get("retry-after", "").strip()
    if not said:
        return None
    try:
        seconds = float(said)
    except ValueError:
        return _until(said, time() if now is None else now)
    return seconds if 0 <= seconds < float("inf") else None


def _until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
