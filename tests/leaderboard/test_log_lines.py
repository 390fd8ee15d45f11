"""No credential reaches a log, whichever way it is written."""

from __future__ import annotations

import logging

import pytest

from leaderboard.logs import BlottingFormatter, blot

KEY = "sk-planted-0123456789abcdef"


@pytest.mark.parametrize(
    "line",
    [
        f"Authorization: Bearer {KEY}",
        f"{{'Authorization': 'Bearer {KEY}', 'Accept': '*/*'}}",
        f"api-key: {KEY}",
        f"X-API-Key={KEY}",
        f"sent with bearer {KEY}",
        f"connecting to postgresql://callboard:{KEY}@127.0.0.1:5432/callboard",
        f"redis://:{KEY}@127.0.0.1:6379/0",
        f'{{"password": "{KEY}"}}',
        f"the key {KEY} was refused",
    ],
)
def test_a_credential_is_blotted(line: str) -> None:
    assert KEY not in blot(line)


@pytest.mark.parametrize(
    "line",
    [
        "POST /submit/ 302",
        "Run 3: 120 of 3,641 cases, 4 retries",
        "https://api.example.com/v1/chat/completions answered 429",
    ],
)
def test_an_ordinary_line_stays_as_it_is(line: str) -> None:
    assert blot(line) == line


def test_a_traceback_is_blotted_too() -> None:
    try:
        raise ValueError(f"Authorization: Bearer {KEY}")
    except ValueError as error:
        trouble = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "failed", (), trouble)

    line = BlottingFormatter().format(record)

    assert "Traceback" in line
    assert KEY not in line
