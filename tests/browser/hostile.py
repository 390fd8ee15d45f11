"""A site on which strangers have written hostile text wherever anybody can write."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.models import Case, Category, Endpoint, Entry, Run, RunEvent, Verdict
from evaluation.services import scoring
from submissions import moderation, organisations, tokens
from submissions.models import ApiToken, Ban, Organisation, Publication
from tests import make
from tests.browser.payloads import ALL, PAYLOADS
from tests.submissions import archives

FILE = PAYLOADS[6] + ".zip"
UPLOADED = "live_parallel"  # a small category, whole


@dataclass(frozen=True, slots=True)
class Hostile:
    """What was made: its owner, who is staff, and keys for addresses."""

    owner: User
    run: Run
    keys: dict[str, Any]


def fill_site() -> Hostile:
    ada = make.user("ada", staff=True)
    make.real_benchmark({"multiple": 3, "irrelevance": 2, UPLOADED: 16})
    Category.objects.filter(name="irrelevance").update(unavailable=ALL, title=PAYLOADS[0])
    run = _run(ada)
    strangers()
    sent = _by_script(ada)
    lab = _organisation(ada)
    gone, waiting = _moderated(ada)
    upload = _upload(ada)
    case = Case.objects.get(name="multiple_0")
    return Hostile(
        ada,
        run,
        {
            "run": run.pk,
            "public": run.pk,
            "ended": gone.pk,
            "waiting": waiting.pk,
            "upload": upload.pk,
            "sent": sent.pk,
            "entry": run.entry_id,
            "others": "&entry=".join(map(str, Entry.objects.values_list("pk", flat=True)[:5])),
            "case": case.pk,
            "category": case.category_id,
            "reply": run.replies.earliest("pk").pk,
            "submission": upload.submission.pk,
            "secret": organisations.invite(lab, "new@example.org", "viewer", by=ada),
            "slug": lab.slug,
        },
    )


def strangers() -> None:
    """A board with a model for each payload, each in every word that a card has."""
    for number, payload in enumerate(PAYLOADS):
        nearby = [PAYLOADS[(number + step) % len(PAYLOADS)] for step in (1, 2)]
        card = make.card(
            storable(payload),
            slug=f"stranger-{number}",
            organisation=storable(nearby[0]),
            licence=storable(nearby[1]),
            link="javascript:window.ran=1",
        )
        make.finished_run(make.entry(card), number / len(PAYLOADS))


def storable(text: str) -> str:
    return text.replace("\0", "")


def _run(owner: User) -> Run:
    """A published run with all payloads in every place that a submitter or endpoint can write."""
    card = make.card(
        "Hostile", slug="hostile", owner=owner, organisation=PAYLOADS[44], licence=PAYLOADS[45]
    )
    configuration = {
        "mode": "fc",
        "underscore": True,
        "remote_model": ALL,
        "base_url": f"https://example.org/{PAYLOADS[44]}",
        "parameters": {"stop": ALL, PAYLOADS[0]: PAYLOADS[1]},
        "reasoning_end": PAYLOADS[45],
        "price_in": None,
        "price_out": PAYLOADS[46],
        "in_flight": 8,
        "options": {PAYLOADS[6]: PAYLOADS[7]},
    }
    run = make.finished_run(make.entry(card), 0, configuration=json.dumps(configuration))
    Run.objects.filter(pk=run.pk).update(deviations={ALL: 3})
    RunEvent.objects.create(run=run, to_state="finished", reason=ALL)
    Endpoint.objects.filter(runs=run).update(
        remote_model=PAYLOADS[44], reasoning_end=PAYLOADS[0], parameters={"stop": [ALL]}
    )
    Verdict.objects.filter(scoring__run=run).update(
        message=ALL, where=ALL[:200], error_type=PAYLOADS[45][:80], fault="wrong_value"
    )
    case = Case.objects.get(name="multiple_0")
    odd = {"finish_reason": PAYLOADS[0][:40], "deviations": [PAYLOADS[0][:40]]}
    make.reply(run, case, reply(), **odd)
    failed = {"accepted": False, "trouble": "x<b x-evil>", "explanation": ALL}
    make.reply(run, case, ALL.encode(), attempt=2, **failed)
    broken = make.run(run.entry, state="failed", reason=ALL, published_at=None)
    Run.objects.filter(pk=broken.pk).update(owner=owner)
    return run


def reply() -> bytes:
    """What a hostile endpoint answers: every payload in text, reasoning, names and arguments."""
    calls = [
        {"id": one, "function": {"name": one, "arguments": json.dumps({one: one})}}
        for one in PAYLOADS
    ]
    calls += [{"id": "1", "function": {"name": "triangle_properties_get", "arguments": ALL}}]
    message = {"content": ALL, "tool_calls": calls, "reasoning_content": ALL, "refusal": ALL}
    return json.dumps({"choices": [{"message": message}], "usage": ALL, "model": ALL}).encode()


def _organisation(owner: User) -> Organisation:
    """An organisation and an account with hostile names for all they have."""
    lab = organisations.found("Lab", "", by=owner)
    Organisation.objects.filter(pk=lab.pk).update(name=storable(ALL[:120]), domain=PAYLOADS[44])
    lab.refresh_from_db()
    for number, payload in enumerate(PAYLOADS):
        ApiToken.objects.create(
            user=owner,
            name=storable(payload)[:60],
            scope="read",
            digest=f"{number:064}",
            beginning=PAYLOADS[44][:12],
            expires_at="2099-01-01T00:00Z",
        )
    data = {"name": ALL, "credential": {}}
    Authenticator.objects.create(user=owner, type=Authenticator.Type.WEBAUTHN, data=data)
    return lab


def _moderated(owner: User) -> tuple[Run, Run]:
    """A hidden run, and one that waits; whoever decides and answers writes hostile text too."""
    mia = make.user("mia", staff=True)
    bob = make.user("bob")
    gone = make.finished_run(make.entry(make.card(PAYLOADS[6], slug="gone", owner=bob)))
    moderation.hide(gone, ALL, by=mia)
    waiting = make.finished_run(
        make.entry(make.card(PAYLOADS[35], slug="waiting", owner=owner)), published=False
    )
    Publication.objects.create(run=waiting, state="waiting", doubts=ALL, answer=ALL, reason=ALL)
    asked = make.finished_run(waiting.entry, published=False)
    Publication.objects.create(run=asked, state="asked", reason=ALL)
    Ban.objects.create(user=bob, by=mia, reason=ALL)
    return gone, waiting


def _upload(owner: User) -> Run:
    """Result files that came through the page: hostile values, tool names and file name."""
    browser = Client()
    browser.force_login(owner)
    names = [case.name for case in Case.objects.filter(category__name=UPLOADED)]
    results = [{one: json.dumps({one: one})} for one in PAYLOADS]
    rows = [
        archives.line(name, ALL if number % 2 else results[number::16])
        for number, name in enumerate(names)
    ]
    content = archives.zipped({f"BFCL_v4_{UPLOADED}_result.json": b"".join(rows)})
    answers = {
        "name": f"Uploaded {PAYLOADS[6]}",
        "organisation": PAYLOADS[44],
        "licence": PAYLOADS[0],
        "mode": "fc",
        "terms": "on",
        "file": SimpleUploadedFile(FILE, content),
    }
    page = browser.post("/submit/results/", answers)
    assert page.status_code == 302, page.content.decode()
    run = Run.objects.get(pk=int(page["Location"].split("/")[2]))
    scoring.judge_here(run.scorings.all())
    browser.post(f"/runs/{run.pk}/publish/")
    return run


def _by_script(owner: User) -> Run:
    """An endpoint submitted through the API, hostile in every word that it takes."""
    _, token = tokens.make(owner, "script", "submit", 7)
    body = {
        "name": f"Sent {PAYLOADS[7]}",
        "organisation": PAYLOADS[0],
        "licence": PAYLOADS[45],
        "base_url": "https://api.example.org/v1",
        "remote_model": storable(ALL)[:200],
        "reasoning_end": PAYLOADS[37][:60],
        "parameters": {"stop": PAYLOADS[:4]},
        "categories": ["multiple"],
        "terms": True,
    }
    answer = Client().post(
        "/api/v1/submissions/",
        body,
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 201, answer.content.decode()
    return Run.objects.get(pk=answer.json()["run"])


def hostile_session(owner: User) -> str:
    """A signed-in session whose browser calls itself something hostile; its cookie."""
    browser = Client()
    browser.force_login(owner)
    cookie: str = browser.cookies["sessionid"].value
    UserSession.objects.create(user=owner, ip="::1", user_agent=ALL[:200], session_key=cookie)
    return cookie
