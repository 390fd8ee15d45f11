"""What docs/api.md says of submitting is so: its examples are sent, one after the other."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from submissions import tokens
from submissions.models import Submission
from tests import make
from tests.leaderboard.api.test_manual import assert_holds

SECTION = (settings.BASE_DIR / "docs" / "api.md").read_text().split("\n## Submitting")[1]
EXAMPLES = re.findall(r"```sh\n(curl .*?)\n```(?:\n\n```json\n(.*?)\n```)?", SECTION, re.DOTALL)


def send(client: Client, command: str, number: int) -> Any:
    """Ask the test client what a curl command asks."""
    words = shlex.split(command)
    path = urlsplit(next(word for word in words if word.startswith("http"))).path
    options = [(word, words[at + 1]) for at, word in enumerate(words[:-1])]
    headers = dict(value.split(": ", 1) for word, value in options if word == "-H")
    body = next((value for word, value in options if word == "-d"), "")
    path = path.replace("/submissions/1/", f"/submissions/{number}/")
    kind = headers.pop("Content-Type", "text/plain")
    if ("-X", "POST") in options:
        return client.post(path, body, content_type=kind, headers=headers)
    return client.get(path, headers=headers)


@pytest.mark.django_db
def test_the_examples_are_answered_as_written(client: Client) -> None:
    make.benchmark()
    _, token = tokens.make(make.user("ada"), "manual", "submit", 7)

    for command, answer in EXAMPLES:
        number = Submission.objects.values_list("pk", flat=True).first() or 1
        response = send(client, command.replace("TOKEN", token), number)
        written = json.loads(answer)
        if "id" in written:
            written["id"] = number
        assert_holds(response.json(), written, command)


def test_the_section_has_an_example_of_each_kind() -> None:
    commands = " ".join(command for command, _ in EXAMPLES)

    for part in ("-d ", "Idempotency-Key", "/cancel/", "submissions/1/", "Bearer TOKEN"):
        assert part in commands
