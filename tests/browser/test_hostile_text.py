"""Hostile text in every field and reply, opened in a real browser: nothing runs, nothing leaves.

The browser is told to ignore the Content-Security-Policy, so that escaping alone must hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page

from evaluation.models import Case, Category, Endpoint, Run, RunEvent, Verdict
from tests import make

Hostile = tuple[str, str, list[str]]  # the site, a session, paths
PAYLOADS = (
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    '"><svg onload=window.ran=1>',
    "' onmouseover=window.ran=1 autofocus onfocus=window.ran=1 x='",
    "</script><script>window.ran=1</script>",
    "</pre></code></title></textarea><iframe srcdoc='<script>parent.ran=1</script>'>",
    "<img src=https://evil.example/a.png><link rel=stylesheet href=//evil.example/a.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<form action=//evil.example><input name=x></form><base href=//evil.example/>",
    "{{ 7|add:7 }}{% now 'Y' %}",
    "\u202e<b>right to left</b>\u2066",
)
HOSTILE = " ".join(PAYLOADS)
FOUND = """() => ({
  ran: window.ran || 0,
  handlers: document.querySelectorAll('[onerror],[onload],[onmouseover],[onfocus]').length,
  strangers: document.querySelectorAll('iframe,base,img,object,embed,[http-equiv]').length,
  scripts: [...document.scripts].filter(s => s.type !== 'application/json'
      && (!s.src || new URL(s.src).origin !== location.origin)).length,
  links: [...document.links].filter(a => !['http:', 'https:'].includes(a.protocol)).length,
  forms: [...document.forms].filter(f => new URL(f.action).origin !== location.origin).length,
})"""
NOTHING = {"ran": 0, "handlers": 0, "strangers": 0, "scripts": 0, "links": 0, "forms": 0}


def hostile_run() -> tuple[Run, Case]:
    """A published run with hostile text in every place that a submitter or endpoint can write."""
    benchmark = make.real_benchmark({"multiple": 3, "irrelevance": 2})
    card = make.card(
        HOSTILE[:120],
        slug="hostile",
        owner=make.user("ada"),
        organisation=PAYLOADS[2],
        licence=PAYLOADS[3],
        link="javascript:window.ran=1",
    )
    values = {
        "mode": "fc",
        "underscore": True,
        "remote_model": HOSTILE,
        "base_url": f"https://example.org/{PAYLOADS[2]}",
        "parameters": {"stop": HOSTILE},
        "reasoning_end": PAYLOADS[1],
        "price_in": PAYLOADS[1],
        "price_out": PAYLOADS[1],
        "in_flight": 8,
    }
    run = make.finished_run(
        make.entry(card, benchmark), 0, configuration=json.dumps(values | {"price_in": None})
    )
    Run.objects.filter(pk=run.pk).update(deviations={HOSTILE: 3})
    RunEvent.objects.create(run=run, to_state="finished", reason=HOSTILE)
    Endpoint.objects.filter(runs=run).update(remote_model=PAYLOADS[1], reasoning_end=PAYLOADS[1])
    Verdict.objects.filter(scoring__run=run).update(
        message=HOSTILE, where=HOSTILE[:200], error_type=PAYLOADS[1], fault="wrong_value"
    )
    case = Case.objects.get(name="multiple_0")
    make.reply(run, case, hostile_reply(), finish_reason=PAYLOADS[1], deviations=[PAYLOADS[1]])
    make.reply(
        run, case, HOSTILE.encode(), attempt=2, accepted=False, trouble="x<b>", explanation=HOSTILE
    )
    failed = make.run(run.entry, state="failed", reason=HOSTILE, published_at=None)
    Run.objects.filter(pk=failed.pk).update(owner=card.owner)
    Category.objects.filter(name="irrelevance").update(unavailable=HOSTILE, title=PAYLOADS[0])
    return run, case


def hostile_reply() -> bytes:
    arguments = json.dumps({HOSTILE: HOSTILE, "side1": HOSTILE})
    calls = [
        {"id": HOSTILE, "function": {"name": "triangle_properties_get", "arguments": arguments}},
        {"id": "2", "function": {"name": HOSTILE, "arguments": "{}"}},
    ]
    message = {"content": HOSTILE, "tool_calls": calls, "reasoning_content": HOSTILE}
    return json.dumps({"choices": [{"message": message}], "usage": HOSTILE}).encode()


@pytest.fixture
def hostile(live_server: object) -> Hostile:
    """The site's address, the owner's session, and the pages on which hostile text stands."""
    run, case = hostile_run()
    browser = Client()
    owner = run.entry.card.owner
    assert owner is not None
    owner.is_staff = owner.is_superuser = True
    owner.save()
    browser.force_login(owner)
    failed = Run.objects.get(state="failed")
    now = timezone.now().year
    paths = [
        "/",
        "/standings/",
        "/bfcl-v4/",
        "/models/hostile/",
        f"/runs/{run.pk}/",
        f"/runs/{run.pk}/?q=%3Cscript%3Ewindow.ran=1%3C/script%3E%22%3E&page={now}",
        f"/runs/{failed.pk}/",
        f"/bfcl-v4/cases/{case.name}/?run={run.pk}",
        f"/bfcl-v4/cases/{case.name}/",
        "/bfcl-v4/cases/multiple_1/",
        "/submissions/",
        f"/submit/?like={run.pk}",
        "/sign-in/?next=javascript:window.ran=1",
        "/sign-up/?next=%22%3E%3Csvg%20onload=window.ran=1%3E",
        f"/admin/evaluation/run/{run.pk}/change/",
        "/admin/evaluation/verdict/",
        "/admin/evaluation/modelcard/",
        "/%3Cscript%3Ewindow.ran=1%3C%2Fscript%3E/",
    ]
    return str(live_server), browser.cookies["sessionid"].value, paths


@pytest.fixture
def unguarded(browser: Browser, hostile: Hostile) -> Iterator[Page]:
    """A page signed in as the owner, that runs whatever escapes."""
    site, session, _ = hostile
    context = browser.new_context(bypass_csp=True)
    context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
    yield context.new_page()
    context.close()


@pytest.mark.django_db(transaction=True)
def test_nothing_runs_and_nothing_leaves(hostile: Hostile, unguarded: Page) -> None:
    site, _, paths = hostile
    page, asked = unguarded, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: dialog.dismiss())

    found = {}
    for path in paths:
        page.goto(site + path, wait_until="load")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found[path] = page.evaluate(FOUND) | {"at": urlsplit(page.url).netloc}

    here = urlsplit(site).netloc
    allowed = {path: dict(NOTHING, at=here) for path in paths}
    assert _without_admin_images(found) == allowed
    assert {urlsplit(url).netloc for url in asked} - {""} == {here}


def _without_admin_images(found: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Django's admin draws its own icons as images and has no other element of that kind."""
    return {
        path: (seen | {"strangers": 0} if path.startswith("/admin/") else seen)
        for path, seen in found.items()
    }


@pytest.mark.django_db(transaction=True)
def test_hostile_text_can_be_read_in_full_and_its_direction_marks_are_shown(
    hostile: Hostile, unguarded: Page
) -> None:
    site, _, paths = hostile
    page = unguarded

    page.goto(site + next(path for path in paths if "/cases/" in path))
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    text = page.inner_text("main")

    assert "<script>window.ran=1</script>" in text
    assert "⟨U+202E⟩" in text
    assert "\u202e" not in text
