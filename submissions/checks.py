"""The client's own rules, asked while a form is filled in, as errors beside its fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from evaluation.client.errors import AddressRefused
from evaluation.client.guard import Guard
from evaluation.client.parameters import check_parameters
from evaluation.client.target import (
    Target,
    check_key,
    check_target,
    completions_url,
    normalise_base_url,
)

MAX_ADDRESS = 500  # characters, once it is written as it travels
UNSTORABLE = re.compile(r"\\u0000|[\ud800-\udfff]")  # in JSON: NUL, halves of surrogate pairs
SOUND = "https://host.example/v1"  # stands in for the parts of a target that are not in question


def guard() -> Guard:
    """The guard that runs will ask through, with the hosts the operator lists."""
    return Guard.listing(settings.CALLBOARD_ALLOW)


def endpoint_address(text: str) -> str:
    """The base URL as it will be asked, or an error that says what to change."""
    try:
        address = normalise_base_url(text)
        guard().check_url(address)
    except AddressRefused as refusal:
        raise ValidationError(str(refusal)) from refusal
    if len(address) > MAX_ADDRESS:
        raise ValidationError(f"The address has more than {MAX_ADDRESS} characters.")
    return address


def pasted_version(text: str) -> str:
    """The API version in an address that was pasted whole; "" if there is none."""
    return dict(parse_qsl(urlsplit(text).query)).get("api-version", "")


def final_address(address: str, api_version: str) -> str:
    """The address of every request, below a base URL that has been checked."""
    try:
        return completions_url(address, api_version)
    except AddressRefused:
        return ""


def is_listed(address: str) -> bool:
    return guard().lists(address)


def key(text: str, address: str) -> str:
    """The key, if it can be sent to this address and kept out of what is stored."""
    _refuse(check_key(text, is_listed(address)))
    return text


def target(**parts: str) -> None:
    """Check some parts of a target alone: model, auth_header or api_version."""
    _refuse(check_target(Target(**({"base_url": SOUND, "model": "m"} | parts))))  # type: ignore[arg-type]


def parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    _refuse(check_parameters(dict(values)))
    if UNSTORABLE.search(json.dumps(values, ensure_ascii=False)):
        raise ValidationError("A parameter holds a character that cannot be kept: remove it.")
    return dict(values)


def public_link(text: str) -> str:
    """A link that readers may be sent to."""
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address or any(character.isspace() for character in text):
        raise ValidationError("Give a whole web address, such as https://example.org/model.")
    return text


def _refuse(problems: list[str]) -> None:
    if problems:
        raise ValidationError(problems[0])
