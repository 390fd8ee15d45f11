"""Columns of a board's views."""

from __future__ import annotations

import pytest
from django.test import Client

from evaluation.benchmarks import suite
from tests import make

pytestmark = pytest.mark.django_db


def headings(client: Client, path: str = "/bfcl-v4/") -> list[str]:
    """Keys of the table's columns of figures, in the order shown."""
    page = client.get(path).text
    return [part.split('"')[0] for part in page.split('id="sort-')[1:]]


def test_the_column_that_ranks_comes_first_where_overall_is_incomplete(client: Client) -> None:
    make.finished_run()

    assert headings(client)[:3] == ["model", "runnable", "overall"]


def test_the_official_overall_comes_first_as_soon_as_it_ranks(client: Client) -> None:
    leaves = {leaf.name: 3 for leaf in suite("bfcl-v4").tree.leaves()}
    make.benchmark(leaves, runnable=["multiple"])
    make.published_entry()

    assert headings(client)[:3] == ["model", "overall", "runnable"]
