"""What docs/api.md says of submitting is so: its examples are sent, one after the other."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.models import Scoring
from evaluation.services import scoring
from leaderboard.api import schema
from submissions import actions, tokens
from submissions.models import Submission
from tests import make
from tests.leaderboard.api.test_manual import assert_holds
from tests.submissions import archives

SECTION = (settings.BASE_DIR / "docs" / "api.md").read_text().split("\n## Submitting")[1]
WHOLE = {"simple_java": 100, "simple_javascript": 50}
EXAMPLES = re.findall(r"```sh\n(curl .*?)\n```(?:\n\n```json\n(.*?)\n```)?", SECTION, re.DOTALL)


def send(client: Client, command: str) -> Any:
    """Ask the test client what a curl command asks."""
    words = shlex.split(command)
    path = urlsplit(next(word for word in words if word.startswith("http"))).path
    options = [(word, words[at + 1]) for at, word in enumerate(words[:-1])]
    headers = dict(value.split(": ", 1) for word, value in options if word == "-H")
    if fields := dict(value.split("=", 1) for word, value in options if word == "-F"):
        return client.post(path, with_file(fields), headers=headers)
    body = next((value for word, value in options if word == "-d"), "")
    kind = headers.pop("Content-Type", "text/plain")
    if ("-X", "POST") in options:
        return client.post(path, body, content_type=kind, headers=headers)
    return client.get(path, headers=headers)


def with_file(fields: dict[str, str]) -> dict[str, Any]:
    name = fields["file"].removeprefix("@")
    return fields | {"file": SimpleUploadedFile(name, archives.zipped(archives.folder(WHOLE)))}


def numbered(text: str) -> str:
    """A command or answer of the manual, with the numbers that submissions have got here."""
    for at, pk in enumerate(Submission.objects.order_by("pk").values_list("pk", flat=True), 1):
        text = text.replace(f"/submissions/{at}/", f"/submissions/{pk}/")
        text = text.replace(f'"id": {at},', f'"id": {pk},')
    return text


@pytest.mark.django_db
def test_the_examples_are_answered_as_written(client: Client) -> None:
    make.real_benchmark({"simple_python": 4} | WHOLE)
    _, token = tokens.make(make.user("ada"), "manual", "submit", 7)

    for command, answer in EXAMPLES:
        response = send(client, numbered(command.replace("TOKEN", token)))
        assert_holds(response.json(), json.loads(numbered(answer)), command)
        scoring.judge_here(Scoring.objects.filter(run__endpoint=None))


def test_the_section_has_an_example_of_each_kind() -> None:
    commands = " ".join(command for command, _ in EXAMPLES)
    kinds = (
        "-d ",
        "-F ",
        "Idempotency-Key",
        "/cancel/",
        "/key/",
        "/spot-check/",
        "submissions/1/",
    )

    assert [part for part in (*kinds, "Bearer TOKEN") if part not in commands] == []


def test_every_door_of_the_description_is_in_the_section() -> None:
    below = [path.partition("/submissions/{id}/")[2] for path in schema.document()["paths"]]
    doors = [door for door in below if door and "{" not in door]
    buttons = [f"{name}/" for name in actions.ACTIONS]

    assert len(doors) == 3
    assert [door for door in doors + buttons if f"`{door}`" not in SECTION] == []
