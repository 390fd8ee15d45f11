"""A key is planted, used and thrown back by its endpoint; then it is looked for everywhere."""

from __future__ import annotations

import base64
import io
import json
import logging
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evaluation.models import Endpoint, Reply, Run
from evaluation.runner.process import WorkerProcess
from evaluation.secrets import open_sealed
from evaluation.services import publishing
from evaluation.transcripts import whole_body
from submissions import mailing, moderation, tokens
from submissions.models import Submission
from submissions.services import follow_runs
from tests import make
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, Request, Scripted, completion, error
from tests.submissions.answers import good_answers

KEY = "sk-planted-9f8e7d6c5b4a39281706"
FORMS = (KEY, KEY.encode().hex(), base64.b64encode(KEY.encode()).decode().rstrip("=")[:-2])


def is_in(text: str) -> bool:
    return any(form in text for form in FORMS)


def echo(request: Request) -> Scripted:
    """An endpoint that throws the key back in every place it can."""
    assert request.headers["authorization"] == f"Bearer {KEY}"
    place = len(request.body) % 5
    if place == 0:
        return error(400, f"Blocked by our content policy, says {KEY}")
    if place == 1:
        return completion(f"I was called with Bearer {KEY}", reasoning_content=KEY)
    if place == 2:
        return completion(calls={KEY: json.dumps({"key": KEY})}, finish_reason=KEY[:30])
    if place == 3:
        return error(503, KEY, headers={"x-key": KEY})
    return Scripted(body=completion(KEY).body[:-10] + KEY.encode())


@pytest.fixture
def evaluated(
    client: Client,
    worker: WorkerProcess,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Run:
    """A run that went through the form and a worker, with its owner signed in."""
    monkeypatch.setattr("evaluation.client.limits.FIRST_WAIT", 0.001)
    caplog.set_level(logging.DEBUG)
    make.real_benchmark({"simple_python": 6, "irrelevance": 4})
    client.force_login(make.user("ada", staff=True))
    with FakeEndpoint(script=echo) as endpoint:
        settings.CALLBOARD_ALLOW = frozenset({endpoint.host})
        page = client.post("/submit/", good_answers(base_url=endpoint.base_url, key=KEY))
        assert page.status_code == 302
        run = runs.work_through(Run.objects.get(), worker, endpoint)
    assert len(run.replies.all()) >= 10, (run.state, run.reason)
    return run


def every_row() -> Iterator[tuple[str, str]]:
    """Every row of every table of the database, as text; binary columns in hexadecimal."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        for table in tables:
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{table}" AS t')
            for (row,) in cursor.fetchall():
                yield table, row


def test_the_database_holds_the_key_sealed_and_nowhere_else(evaluated: Run) -> None:
    rows = list(every_row())
    bodies = [whole_body(reply) for reply in Reply.objects.all()]

    endpoint = Endpoint.objects.get()
    assert open_sealed(endpoint.sealed_key or b"") == KEY
    assert any("example-7b" in row for _, row in rows)  # the search finds what is there
    assert [table for table, row in rows if is_in(row)] == []
    assert not any(KEY.encode() in body for body in bodies)
    assert Reply.objects.filter(redacted=True).exists()


def test_no_log_line_holds_the_key(
    evaluated: Run, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    logged = caplog.text + "".join(str(vars(record)) for record in caplog.records)
    printed = "".join(capfd.readouterr())

    assert not is_in(logged)
    assert not is_in(printed)


def test_the_broker_holds_no_key(evaluated: Run) -> None:
    broker = redis.Redis.from_url(django_settings.REDIS_URL)
    commands = {b"string": "GET", b"list": "LRANGE", b"hash": "HGETALL", b"set": "SMEMBERS"}
    whole = {b"list": (0, -1), b"zset": (0, -1)}

    held = {}
    for name in broker.scan_iter():
        kind: Any = broker.type(name)
        command = commands.get(kind, "ZRANGE")
        held[name] = str(broker.execute_command(command, name, *whole.get(kind, ())))  # type: ignore[no-untyped-call]
    broker.close()

    assert held  # the hint of the run, at least
    assert not any(is_in(value) for value in held.values())


def test_no_page_shows_the_key_to_its_owner_or_to_staff(client: Client, evaluated: Run) -> None:
    reply = evaluated.replies.earliest("pk")
    endpoint = Endpoint.objects.get()
    pages = [
        f"/runs/{evaluated.pk}/",
        *(f"/runs/{evaluated.pk}/replies/{one.pk}/" for one in evaluated.replies.all()),
        *(f"/bfcl-v4/cases/simple_python_{n}/?run={evaluated.pk}" for n in range(6)),
        "/submissions/",
        f"/submit/?like={evaluated.pk}",
        f"/models/{evaluated.entry.card.slug}/",
        f"/admin/evaluation/endpoint/{endpoint.pk}/change/",
        f"/admin/evaluation/reply/{reply.pk}/change/",
        f"/admin/evaluation/run/{evaluated.pk}/change/",
        "/admin/evaluation/endpoint/",
        "/admin/evaluation/verdict/",
        "/admin/evaluation/runevent/",
    ]

    answers = {path: client.get(path) for path in pages}

    assert {answer.status_code for answer in answers.values()} == {200}
    assert [path for path, answer in answers.items() if is_in(answer.content.decode())] == []


def test_not_even_the_sealed_key_is_shown_in_the_admin(client: Client, evaluated: Run) -> None:
    endpoint = Endpoint.objects.get()
    sealed = bytes(endpoint.sealed_key or b"").decode()

    text = client.get(f"/admin/evaluation/endpoint/{endpoint.pk}/change/").content.decode()

    assert sealed not in text
    assert "sealed" not in text


def test_publication_ends_the_key(evaluated: Run) -> None:
    Run.objects.filter(pk=evaluated.pk).update(state="finished", reason="")

    publishing.publish(evaluated)
    follow_runs()

    assert Endpoint.objects.get().sealed_key is None


def test_no_file_that_is_taken_away_holds_the_key(client: Client, evaluated: Run) -> None:
    paths = [
        f"/runs/{evaluated.pk}/export.zip",
        f"/runs/{evaluated.pk}/samples.ndjson",
        f"/runs/{evaluated.pk}/samples.csv",
        "/account/export.json",
    ]

    taken = {}
    for path in paths:
        page = client.get(path)
        assert page.status_code == 200, path
        taken[path] = b"".join(page) if page.streaming else page.content
    with zipfile.ZipFile(io.BytesIO(taken[paths[0]])) as packed:
        taken |= {name: packed.read(name) for name in packed.namelist()}

    assert len(taken) > len(paths)
    assert [
        path for path, content in taken.items() if is_in(content.decode(errors="replace"))
    ] == []


def test_no_answer_of_the_api_holds_the_key(client: Client, evaluated: Run) -> None:
    submission = Submission.objects.get(run=evaluated)
    assert submission.submitted_by
    _, token = tokens.make(submission.submitted_by, "test", "submit", 7)
    Run.objects.filter(pk=evaluated.pk).update(state="finished", published_at=timezone.now())
    paths = [
        "/api/v1/submissions/",
        f"/api/v1/submissions/{submission.pk}/",
        f"/api/v1/runs/{evaluated.pk}/",
        f"/api/v1/runs/{evaluated.pk}/samples/",
    ]

    said = {path: client.get(path, headers={"authorization": f"Bearer {token}"}) for path in paths}

    assert {page.status_code for page in said.values()} == {200}
    assert [path for path, page in said.items() if is_in(page.content.decode())] == []


def test_no_mail_holds_the_key(evaluated: Run) -> None:
    assert evaluated.owner
    moderation.ban(make.user("eve"), "Threw keys back.", by=evaluated.owner)
    follow_runs()
    mailing.send_due()

    assert mail.outbox
    assert not any(is_in(str(one.message())) for one in mail.outbox)


@pytest.mark.django_db
def test_a_mistake_of_ours_tells_no_key_to_anybody(
    client: Client,
    settings: Settings,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The form is whole, its key checked, and then nothing can be sealed."""
    settings.ADMINS = [("Operator", "operator@example.org")]
    make.real_benchmark({"simple_python": 2})
    client.force_login(make.user("ada"))
    client.raise_request_exception = False
    settings.CALLBOARD_KEYS = []

    page = client.post("/submit/", good_answers(key=KEY))

    assert page.status_code == 500
    assert not is_in(page.content.decode())
    assert not is_in("".join(capfd.readouterr()))
    assert not is_in(caplog.text)
    assert not any(is_in(str(one.message())) for one in mail.outbox)
