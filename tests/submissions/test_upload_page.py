"""Result files handed in on the site: taken whole, or refused with a report and nothing kept."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from evaluation.benchmarks.bfcl_v4.loader import cases
from evaluation.models import Benchmark, ModelCard, Reply, Run
from evaluation.services import scoring
from submissions import upload_views
from submissions.models import Submission
from submissions.uploads import Limits
from tests import make
from tests.evaluation.services import brought
from tests.submissions import archives

PAGE = "/submit/results/"


@pytest.fixture
def board(db: None) -> Benchmark:
    return make.real_benchmark({"simple_javascript": 50, "live_parallel": 16})


@pytest.fixture
def own(client: Client, board: Benchmark) -> Client:
    client.force_login(make.user("ada"))
    return client


def post(client: Client, content: bytes, file: str = "results.zip", **changes: Any) -> Any:
    answers = {
        "terms": "on",
        "name": "Uploaded model",
        "organisation": "Example Lab",
        "mode": "fc",
        "underscore": "on",
        "file": SimpleUploadedFile(file, content),
    }
    return client.post(PAGE, answers | changes)


def test_the_page_is_for_those_who_signed_in(client: Client, board: Benchmark) -> None:
    assert client.get(PAGE)["Location"].startswith("/sign-in/")
    assert post(client, b"").status_code == 302
    assert not Run.objects.exists()


def test_a_good_upload_becomes_a_private_run_of_its_owner(own: Client) -> None:
    response = post(own, archives.zipped(archives.folder()))

    run = Run.objects.get()
    assert response["Location"] == f"/runs/{run.pk}/"
    assert (run.n, run.published_at, run.owner) == (
        66,
        None,
        Submission.objects.get().submitted_by,
    )
    scoring.judge_here(run.scorings.all())
    page = own.get(f"/runs/{run.pk}/").content.decode()
    assert "results.zip" in page
    assert "temperature" not in page
    assert f"/runs/{run.pk}/export.zip" in page
    assert "Uploaded model" in own.get("/submissions/").content.decode()
    assert Client().get(f"/runs/{run.pk}/").status_code == 404


def test_a_case_of_an_upload_shows_what_was_answered(own: Client) -> None:
    post(own, brought.lines("live_parallel"), "results.jsonl")
    run = Run.objects.get()
    scoring.judge_here(run.scorings.all())

    page = own.get(f"/bfcl-v4/cases/live_parallel_0-0-0/?run={run.pk}")

    assert page.status_code == 200
    assert page.context["transcript"].result == brought.accepted(cases("live_parallel")[0])
    assert page.context["transcript"].view.decoded


def test_what_is_wrong_is_told_by_file_and_line_and_nothing_is_kept(own: Client) -> None:
    content = archives.line("simple_javascript_0") + b"{broken\n"

    response = post(own, content, "results.jsonl")

    assert response.status_code == 400
    text = response.content.decode()
    assert "results.jsonl, line 2" in text
    assert "missing 49 ids of 50" in text
    assert not Run.objects.exists()
    assert not ModelCard.objects.exists()


def test_a_file_that_swells_is_too_large(own: Client) -> None:
    response = post(own, archives.bomb(20), "results.jsonl.gz")

    assert response.status_code == 413
    assert "unpacks to more than" in response.content.decode()
    assert not Reply.objects.exists()


def test_a_form_beyond_the_limit_is_refused_before_it_is_read(
    own: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_views, "WEB", Limits(size=1000))
    monkeypatch.setattr(upload_views, "AROUND", 0)

    response = post(own, b" " * 2000)

    assert response.status_code == 413


def test_a_form_without_a_name_says_so(own: Client) -> None:
    response = post(own, archives.zipped(archives.folder()), name="")

    assert response.status_code == 422
    assert "Give the model a name" in response.content.decode()


def test_uploads_of_one_person_are_throttled(own: Client, settings: Settings) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "uploads of one person"}}

    answers = [post(own, b"", name="").status_code for _ in range(11)]

    assert answers == [422] * 10 + [429]


def test_markup_in_a_file_name_is_text(own: Client) -> None:
    content = archives.zipped({"<img src=x onerror=alert(1)>.json": b"{}"})

    response = post(own, content)

    assert response.status_code == 400
    assert "<img" not in response.content.decode()


def test_another_site_cannot_send_the_form(board: Benchmark) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make.user("ada"))

    response = post(client, archives.zipped(archives.folder()))

    assert response.status_code == 403
    assert not Run.objects.exists()


def test_an_upload_cannot_be_paused_or_asked_again(own: Client) -> None:
    post(own, archives.zipped(archives.folder()))
    run = Run.objects.get()

    text = own.get(f"/runs/{run.pk}/").content.decode()

    assert f"/runs/{run.pk}/pause/" not in text
    assert f"/runs/{run.pk}/cancel/" in text
