"""All samples of a run as a file."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pyarrow import parquet
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Benchmark, Run, Verdict
from leaderboard import sample_files
from tests import make

pytestmark = pytest.mark.django_db
FORMATS = ("ndjson", "csv", "parquet")


def body(client: Client, run: Run, suffix: str, query: str = "") -> bytes:
    response = client.get(f"/runs/{run.pk}/samples.{suffix}?{query}")
    assert response.status_code == 200
    return b"".join(response)


def rows(client: Client, run: Run, suffix: str, query: str = "") -> list[dict[str, Any]]:
    content = body(client, run, suffix, query)
    if suffix == "parquet":
        found: list[dict[str, Any]] = parquet.read_table(io.BytesIO(content)).to_pylist()
        return found
    if suffix == "csv":
        return list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    return [json.loads(line) for line in content.decode().splitlines()]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_holds_every_sample_in_the_order_of_the_cases(
    client: Client, suffix: str
) -> None:
    run = make.finished_run()

    found = rows(client, run, suffix)

    expected = Verdict.objects.order_by("case_id").values_list("case_id", "case__name", "outcome")
    assert [(int(row["case"]), row["name"], row["outcome"]) for row in found] == list(expected)
    assert list(found[0]) == list(sample_files.COLUMNS)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_filter_of_the_page_narrows_the_file(client: Client, suffix: str) -> None:
    run = make.finished_run()

    found = rows(client, run, suffix, "category=multiple&outcome=wrong")

    assert [row["name"] for row in found] == ["multiple_2"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_run_without_samples_is_an_empty_file(client: Client, suffix: str) -> None:
    run = make.finished_run(accuracy={})

    assert rows(client, run, suffix) == []


def test_batches_lose_and_repeat_nothing(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    run = make.finished_run()
    monkeypatch.setattr(sample_files, "BATCH", 4)

    with django_assert_num_queries(10):  # run, categories, scoring, an empty batch, two a batch
        found = rows(client, run, "parquet")

    assert len({row["case"] for row in found}) == len(found) == 10


def test_foreign_text_is_no_formula_in_csv_and_untouched_elsewhere(client: Client) -> None:
    run = make.finished_run(accuracy=0.0)
    Verdict.objects.update(message='=HYPERLINK("x"), "a"\nb')

    cells = {suffix: rows(client, run, suffix)[0]["message"] for suffix in FORMATS}

    assert cells["csv"] == '\'=HYPERLINK("x"), "a"\nb'
    assert cells["ndjson"] == cells["parquet"] == '=HYPERLINK("x"), "a"\nb'


def test_numbers_stay_numbers(client: Client) -> None:
    run = make.finished_run()

    assert isinstance(rows(client, run, "ndjson")[0]["attempts"], int)
    assert isinstance(rows(client, run, "parquet")[0]["attempts"], int)
    assert rows(client, run, "csv")[0]["attempts"] == "1"


def test_it_comes_as_a_file_with_a_name(client: Client) -> None:
    run = make.finished_run()

    response = client.get(f"/runs/{run.pk}/samples.ndjson")

    name = f'attachment; filename="run-{run.pk}-samples.ndjson"'
    assert response.headers["Content-Disposition"] == name
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_a_private_run_s_samples_are_its_owner_s(client: Client) -> None:
    owner = make.user()
    run = make.finished_run(make.entry(make.card(owner=owner)), published=False)
    address = f"/runs/{run.pk}/samples.csv"

    before = client.get(address)
    client.force_login(owner)

    assert (before.status_code, client.get(address).status_code) == (404, 200)


def test_secret_cases_are_in_no_file(client: Client) -> None:
    run = make.finished_run()
    Benchmark.objects.update(cases_public_from=timezone.now() + timedelta(days=1))

    assert client.get(f"/runs/{run.pk}/samples.csv").status_code == 404


def test_no_other_format_is_known(client: Client) -> None:
    run = make.finished_run()

    assert client.get(f"/runs/{run.pk}/samples.exe").status_code == 404
