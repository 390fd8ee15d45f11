"""What docs/api.md says is so: its examples are asked, and answered as written."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from tests import make

MANUAL = (settings.BASE_DIR / "docs" / "api.md").read_text().split("\n## Submitting")[0]
EXAMPLES = re.findall(r"```sh\n(curl .*?)\n```(?:\n\n```json\n(.*?)\n```)?", MANUAL, re.DOTALL)


@pytest.fixture
def board(db: None) -> None:
    """The board that the examples speak of."""
    cache.clear()
    shares = {"simple_python": 0.75, "multiple": 2 / 3, "irrelevance": 1.0}
    make.finished_run(make.entry(make.card("Ada")), shares, pk=1)


def ask(client: Client, command: str) -> Any:
    """Ask the test client what a curl command asks."""
    words = shlex.split(command)
    address = urlsplit(next(word for word in words if word.startswith("http")))
    path = address.path + (f"?{address.query}" if address.query else "")
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    if headers.get("If-None-Match") == "ETAG":
        headers["If-None-Match"] = client.get(path).headers["ETag"]
    return client.get(path, headers=headers)


def assert_holds(found: Any, written: Any, where: str = "answer") -> None:
    """What is written is in what is found: each key, each item from the first on, each value."""
    if isinstance(written, dict):
        assert isinstance(found, dict), where
        for key, value in written.items():
            assert key in found, f"{where}.{key}"
            assert_holds(found[key], value, f"{where}.{key}")
    elif isinstance(written, list):
        assert len(found) >= len(written), where
        for at, value in enumerate(written):
            assert_holds(found[at], value, f"{where}[{at}]")
    else:
        assert found == written, where


@pytest.mark.parametrize(("command", "answer"), EXAMPLES, ids=[one for one, _ in EXAMPLES])
def test_an_example_is_answered_as_written(
    client: Client, board: None, command: str, answer: str
) -> None:
    response = ask(client, command)

    if answer:
        assert_holds(json.loads(response.content), json.loads(answer))
    else:
        assert response.status_code == (304 if "If-None-Match" in command else 200)


def test_the_manual_has_an_example_of_every_kind() -> None:
    commands = " ".join(command for command, _ in EXAMPLES)

    for part in ("standings/", "samples/", "samples.ndjson", "format=csv", "limit=", "-H"):
        assert part in commands
