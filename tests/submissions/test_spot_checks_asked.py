"""A spot check from end to end: files uploaded by script, cases asked again at a real endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.result_layout import path_of
from evaluation.engine.types import CaseData
from evaluation.models import Entry, Run
from evaluation.runner import process, transitions
from evaluation.runner.process import WorkerProcess
from evaluation.services import publishing, scoring
from submissions import tokens
from submissions.models import Ban, Submission
from submissions.services import follow_runs
from tests import make
from tests.evaluation.runs import work_through
from tests.evaluation.services import brought
from tests.fakes import FakeEndpoint, Request, Scripted, completion
from tests.submissions import archives

PATH = "/api/v1/submissions/"
WHOLE = {"simple_java": 100, "simple_javascript": 50}


@pytest.fixture
def worker(transactional_db: None) -> Iterator[WorkerProcess]:
    yield process.here()
    process.leave()


@pytest.fixture
def ada(transactional_db: None) -> User:
    make.real_benchmark(WHOLE)
    return make.user("ada")


def script(user: User) -> Client:
    return Client(headers={"authorization": f"Bearer {tokens.make(user, 'test', 'submit', 7)[1]}"})


def right(request: Request) -> Scripted:
    """A model that calls what is accepted: the very one whose answers were uploaded."""
    (calls,) = answers()[request.json["messages"][-1]["content"]]
    return completion(calls=calls)


def wrong(request: Request) -> Scripted:
    """Another model."""
    return completion("I would rather not.")


@cache
def answers() -> dict[str, Any]:
    """By question: an accepted answer, as result files have it."""
    cases = [case for category in WHOLE for case in loader.cases(category)]
    return {case.question["question"][0][-1]["content"]: as_sent(case) for case in cases}


def as_sent(case: CaseData) -> Any:
    """The accepted calls, with names as they travel."""
    return [
        {name.replace(".", "_"): arguments for name, arguments in call.items()}
        for call in brought.accepted(case)
    ]


def uploaded(client: Client) -> Submission:
    """Right answers to all questions, brought in by script, judged and published."""
    files = {
        f"model-x/{path_of(name)}": b"".join(
            archives.line(case.id, as_sent(case)) for case in loader.cases(name)
        )
        for name in WHOLE
    }
    answer = client.post(
        PATH,
        {
            "terms": "on",
            "name": "Uploaded",
            "organisation": "Lab",
            "mode": "fc",
            "underscore": "on",
            "file": SimpleUploadedFile("results.zip", archives.zipped(files)),
        },
    )
    made = Submission.objects.get(pk=answer.json()["id"])
    scoring.judge_here(made.run.scorings.all())
    publishing.publish(Run.objects.get(pk=made.run_id))
    return made


def check(client: Client, of: Submission, base_url: str, **changes: Any) -> Any:
    body = {"base_url": base_url, "remote_model": "m", "terms": True, "in_flight": 8} | changes
    return client.post(f"{PATH}{of.pk}/spot-check/", body, content_type="application/json")


@pytest.mark.parametrize(
    ("model", "evidence", "is_enough"),
    [(right, "spot_checked", True), (wrong, "uploaded", False)],
    ids=["the-same-model", "another-model"],
)
def test_cases_are_asked_again_and_the_agreement_is_public(
    ada: User,
    worker: WorkerProcess,
    settings: Settings,
    model: Any,
    evidence: str,
    is_enough: bool,
) -> None:
    client = script(ada)
    upload = uploaded(client)
    with FakeEndpoint(script=model) as endpoint:
        settings.CALLBOARD_ALLOW = frozenset({endpoint.host})
        started = check(client, upload, endpoint.base_url)
        asked = Run.objects.get(pk=started.json()["run"])
        work_through(asked, worker, endpoint)
        assert len(endpoint.requests) == 120

    follow_runs()

    (told,) = client.get(f"{PATH}{upload.pk}/spot-check/").json()["results"]
    page = Client().get(f"/runs/{upload.run_id}/").content.decode()
    row = Client().get(f"/api/v1/entries/?evidence={evidence}").json()["results"]
    assert started.status_code == 201
    assert asked.state == "finished"
    assert told["compared"] == 120
    assert (told["agreed"] >= 108) == told["is_enough"] == is_enough
    assert client.get(f"{PATH}{upload.pk}/").json()["evidence"] == evidence
    assert f"{told['agreed']} of 120 cases, drawn by lot" in page
    assert [one["model"] for one in row] == ["uploaded"]
    assert Entry.objects.get(evidence=evidence).shown_run_id == upload.run_id


def test_a_key_reaches_the_endpoint_and_no_answer_of_ours(
    ada: User, worker: WorkerProcess, settings: Settings
) -> None:
    client, key = script(ada), "sk-planted-0123456789abcdef"
    upload = uploaded(client)
    with FakeEndpoint(script=right) as endpoint:
        settings.CALLBOARD_ALLOW = frozenset({endpoint.host})
        started = check(client, upload, endpoint.base_url, key=key)
        work_through(Run.objects.get(pk=started.json()["run"]), worker, endpoint)
        sent = endpoint.requests[0].headers["authorization"]

    said = client.get(f"{PATH}{upload.pk}/spot-check/").content.decode()
    assert sent == f"Bearer {key}"
    assert key not in started.content.decode() + said


@pytest.mark.django_db
class TestRefused:
    """By script, what cannot be checked, and why."""

    @pytest.fixture
    def ada(self, db: None) -> User:
        make.benchmark({"simple_python": 160})
        return make.user("ada")

    def upload(self, owner: User, **fields: Any) -> Submission:
        entry = make.entry(make.card("Uploaded", owner=owner), evidence="uploaded")
        run = make.finished_run(entry, endpoint=None, **fields)
        return Submission.objects.create(run=run, submitted_by=owner)

    def test_a_run_that_asked_needs_no_check(self, ada: User) -> None:
        run = make.finished_run(make.entry(make.card(owner=ada)))
        asked = Submission.objects.create(run=run, submitted_by=ada)

        assert check(script(ada), asked, "https://api.example.org/v1").status_code == 409

    def test_a_small_upload(self, ada: User) -> None:
        upload = self.upload(ada, unscored=140)

        answer = check(script(ada), upload, "https://api.example.org/v1")

        assert answer.status_code == 409
        assert "needs 100 cases" in answer.json()["detail"]

    def test_a_private_address(self, ada: User) -> None:
        answer = check(script(ada), self.upload(ada), "https://10.0.0.4/v1")

        assert answer.status_code == 400
        assert [one["parameter"] for one in answer.json()["errors"]] == ["base_url"]

    def test_a_field_that_an_upload_settles(self, ada: User) -> None:
        upload = self.upload(ada)

        answer = check(script(ada), upload, "https://api.example.org/v1", mode="prompt")

        assert [one["parameter"] for one in answer.json()["errors"]] == ["mode"]

    def test_without_the_terms(self, ada: User) -> None:
        answer = check(script(ada), self.upload(ada), "https://api.example.org/v1", terms=False)

        assert [one["parameter"] for one in answer.json()["errors"]] == ["terms"]

    def test_a_banned_account(self, ada: User) -> None:
        upload = self.upload(ada)
        Ban.objects.create(user=ada, reason="Made-up files.")

        assert check(script(ada), upload, "https://api.example.org/v1").status_code == 403

    def test_a_week_s_runs_that_are_used_up(self, ada: User, settings: Settings) -> None:
        settings.CALLBOARD_ALLOW = frozenset()
        settings.CALLBOARD_RUNS_A_WEEK = {"account": 1, "organisation": 0, "host": 0}
        client, upload = script(ada), self.upload(ada)

        first = check(client, upload, "https://api.example.org/v1")
        transitions.cancel(Run.objects.get(pk=first.json()["run"]))
        second = check(client, upload, "https://api.example.org/v1")

        assert (first.status_code, second.status_code) == (201, 429)
        assert int(second["Retry-After"]) > 600_000

    def test_somebody_else_s(self, ada: User) -> None:
        upload = self.upload(ada)

        answer = check(script(make.user()), upload, "https://api.example.org/v1")

        assert answer.status_code == 404

    def test_what_is_sent_twice_is_started_once(self, ada: User) -> None:
        client, upload = script(ada), self.upload(ada)
        body = json.dumps(
            {"base_url": "https://api.example.org/v1", "remote_model": "m", "terms": True}
        )

        both = [
            client.post(
                f"{PATH}{upload.pk}/spot-check/",
                body,
                content_type="application/json",
                headers={"Idempotency-Key": "one"},
            )
            for _ in range(2)
        ]

        assert both[0].json() == both[1].json()
        assert upload.run.spot_checks.count() == 1
