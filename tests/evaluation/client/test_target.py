"""Addresses as people paste them, keys, headers and the final URL."""

from __future__ import annotations

import pytest

from evaluation.client.errors import AddressRefused
from evaluation.client.target import (
    Target,
    auth_headers,
    check_key,
    check_target,
    completions_url,
    normalise_base_url,
)
from tests.evaluation.client.test_guard import TRICKS

KEY = "sk-0123456789abcdef"


@pytest.mark.parametrize(
    ("pasted", "final"),
    [
        ("https://host.example", "https://host.example/v1/chat/completions"),
        ("https://host.example/", "https://host.example/v1/chat/completions"),
        ("https://host.example/v1", "https://host.example/v1/chat/completions"),
        ("https://host.example/v1/", "https://host.example/v1/chat/completions"),
        (" https://HOST.example/v1 ", "https://host.example/v1/chat/completions"),
        (
            "https://host.example/v1/chat/completions",
            "https://host.example/v1/chat/completions",
        ),
        (
            "https://host.example/v1/chat/completions/",
            "https://host.example/v1/chat/completions",
        ),
        ("https://host.example/v1/models", "https://host.example/v1/chat/completions"),
        ("https://host.example/v1/completions", "https://host.example/v1/chat/completions"),
        ("https://host.example/api/v3", "https://host.example/api/v3/chat/completions"),
        ("https://host.example/chat/completions", "https://host.example/chat/completions"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/chat/completions"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1/chat/completions"),
        (
            "https://x.example/openai/deployments/d/chat/completions?api-version=2024-10-21",
            "https://x.example/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_a_base_url_is_read_as_it_is_meant(pasted: str, final: str) -> None:
    assert completions_url(pasted) == final


def test_normalising_twice_changes_nothing() -> None:
    once = normalise_base_url("https://host.example/v1/chat/completions/")

    assert normalise_base_url(once) == once == "https://host.example/v1"


def test_the_api_version_field_wins_over_a_pasted_one() -> None:
    url = completions_url("https://host.example/v1?api-version=old", "new")

    assert url == "https://host.example/v1/chat/completions?api-version=new"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "host.example/v1",
        "ftp://host.example",
        "https://",
        "https://[::1",
        "https://host.example:99999",
        "https://user:pw@host.example/v1",
        "https://host.example/v1#top",
        "https://host.example/v1?key=secret",
        "https://host.example/v 1",
        "https://host.example/v1\n",
    ],
)
def test_what_is_no_address_gets_one_sentence(text: str) -> None:
    if text == "https://host.example/v1\n":  # a line break at the end is only pasted along
        assert normalise_base_url(text) == "https://host.example/v1"
        return
    problems = check_target(Target(text, "m"))

    assert len(problems) == 1
    assert problems[0].endswith(".")


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_makes_the_parser_fail_otherwise(trick: str) -> None:
    try:
        final = completions_url(trick.format(port=8000))
    except AddressRefused:
        return

    assert final.startswith("http")


@pytest.mark.parametrize(
    ("key", "is_listed", "count"),
    [
        pytest.param("", False, 0, id="none"),
        pytest.param(KEY, False, 0, id="good"),
        pytest.param("short", False, 1, id="short"),
        pytest.param("short", True, 0, id="short-at-a-listed-host"),
        pytest.param(KEY + "\n", False, 1, id="line-break"),
        pytest.param(KEY + "\r\nX-Evil: 1", True, 1, id="smuggled-header"),
        pytest.param(KEY + "é", True, 1, id="not-ascii"),
        pytest.param(KEY + "–", True, 1, id="typographic-dash"),
        pytest.param(KEY + "\x00", True, 1, id="control-character"),
        pytest.param(" " + KEY, True, 1, id="space"),
        pytest.param("Bearer " + KEY, True, 1, id="bearer-pasted-along"),
        pytest.param("k" * 5000, True, 1, id="endless"),
    ],
)
def test_a_bad_key_gets_a_sentence(key: str, is_listed: bool, count: int) -> None:
    problems = check_key(key, is_listed)

    assert len(problems) == count
    assert not key or all(key not in problem for problem in problems)


@pytest.mark.parametrize(
    ("header", "sent"),
    [
        ("Authorization", {"Authorization": f"Bearer {KEY}"}),
        ("authorization", {"authorization": f"Bearer {KEY}"}),
        ("api-key", {"api-key": KEY}),
        ("x-goog-api-key", {"x-goog-api-key": KEY}),
    ],
)
def test_the_key_travels_in_the_header_that_is_named(header: str, sent: dict[str, str]) -> None:
    assert auth_headers(Target("https://h.example", "m", auth_header=header), KEY) == sent


def test_without_a_key_no_header_is_sent() -> None:
    assert auth_headers(Target("https://h.example", "m"), "") == {}


@pytest.mark.parametrize(
    "header",
    ["", "Host", "Content-Length", "Transfer-Encoding", "Cookie", "X Y", "X:Y", "X\nY", "é"],
)
def test_a_header_that_would_break_requests_is_refused(header: str) -> None:
    assert len(check_target(Target("https://h.example", "m", auth_header=header))) == 1


@pytest.mark.parametrize("model", ["", "  ", "a\nb"])
def test_a_model_name_must_be_one(model: str) -> None:
    assert len(check_target(Target("https://h.example", model))) == 1


@pytest.mark.parametrize("version", ["a b", "x&key=1", "é"])
def test_an_api_version_must_be_one(version: str) -> None:
    assert len(check_target(Target("https://h.example", "m", api_version=version))) == 1
