"""What a page makes a reader download before any plot."""

from __future__ import annotations

import gzip
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests import make

pytestmark = pytest.mark.django_db
BUDGET = 60_000  # bytes


def linked(page: str) -> list[bytes]:
    """Every style sheet and script of a page but Plotly."""
    paths = re.findall(r'(?:href|src)="/static/([^"]+\.(?:css|js))"', page)
    found = [finders.find(path) for path in paths if "plotly" not in path]
    assert len(paths) >= 5
    contents = []
    for path in found:
        assert isinstance(path, str)
        with open(path, "rb") as file:
            contents.append(file.read())
    return contents


@pytest.mark.parametrize("path", ["/", "/bfcl-v4/", "/bfcl-v4/plots/"])
def test_styles_and_scripts_stay_light_as_they_travel(client: Client, path: str) -> None:
    make.finished_run()

    sizes = [len(gzip.compress(content)) for content in linked(client.get(path).text)]

    assert sum(sizes) <= BUDGET


def test_our_own_styles_and_scripts_stay_light_as_written(client: Client) -> None:
    make.finished_run()

    files = linked(client.get("/bfcl-v4/plots/").text)

    assert sum(len(content) for content in files if b"htmx=" not in content[:200]) <= BUDGET
