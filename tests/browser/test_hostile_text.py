"""Hostile text in every field, reply and upload, opened in a real browser: nothing runs or leaves.

The browser is told to ignore the Content-Security-Policy, so that escaping alone must hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page

from tests.browser import hostile
from tests.browser.hostile import Hostile
from tests.browser.payloads import ALL, PAYLOADS
from tests.security.test_who_may import GET

FOUND = """() => ({
  ran: window.ran || 0,
  evil: document.querySelectorAll('[x-evil],x-evil').length,
  handlers: [...document.querySelectorAll('*')].filter(
      e => [...e.attributes].some(a => a.name.startsWith('on'))).length,
  strangers: document.querySelectorAll('iframe,base,img,object,embed,math,video,audio,marquee,'
      + 'foreignObject,animate,[http-equiv],[srcdoc],[hx-on\\\\:load]').length,
  scripts: [...document.scripts].filter(s => !s.type.endsWith('json')
      && (!s.src || new URL(s.src).origin !== location.origin)).length,
  links: [...document.links].filter(
      a => a.ping || !['http:', 'https:', ':'].includes(a.protocol)).length,
  forms: [...document.forms].filter(
      f => new URL(f.getAttribute('action') || '', location).origin !== location.origin).length,
  drawn: document.querySelectorAll('svg a, svg script, svg image').length,
})"""
NOTHING = dict.fromkeys(
    ("ran", "evil", "handlers", "strangers", "scripts", "links", "forms", "drawn"), 0
)
DRAWN = """() => [...document.querySelectorAll('[data-plot]')].every(
    place => place.classList.contains('js-plotly-plot'))"""
TEXT_IN_ADDRESS = quote(ALL[:1500])
ALSO = (
    "/bfcl-v4/compare/?entry={others}",
    "/bfcl-v4/?q=" + TEXT_IN_ADDRESS,
    "/bfcl-v4/?sort=" + TEXT_IN_ADDRESS,
    "/runs/{run}/?q=" + TEXT_IN_ADDRESS,
    "/runs/{upload}/",
    "/runs/{sent}/",
    "/submit/?like={sent}",
    "/runs/{ended}/",
    "/runs/{waiting}/",
    "/moderation/runs/{waiting}/",
    "/models/hostile/",
    "/models/stranger-0/",
    "/models/gone/",
    "/submit/?like={run}",
    "/bfcl-v4/cases/multiple_0/?run={run}",
    "/bfcl-v4/cases/multiple_1/?run={run}",
    "/bfcl-v4/cases/live_parallel_0-0-0/?run={upload}",
    "/bfcl-v4/cases/live_parallel_1-0-1/?run={upload}",
    "/sign-in/?next=javascript:window.ran=1",
    "/sign-up/?next=" + TEXT_IN_ADDRESS,
    "/" + TEXT_IN_ADDRESS + "/",
    "/api/v1/runs/?q=" + TEXT_IN_ADDRESS,
    "/api/v1/runs/{public}/samples/",
    "/account/organisations/{slug}/",
    *(f"/admin/evaluation/{name}/" for name in ("run", "modelcard", "endpoint", "verdict")),
    *(f"/admin/evaluation/{name}/" for name in ("runevent", "reply", "category", "entry")),
    *(f"/admin/submissions/{name}/" for name in ("organisation", "submission", "ban")),
    "/admin/evaluation/run/{run}/change/",
    "/admin/evaluation/reply/{reply}/change/",
)
# Forms, and the button that sends each.
FORMS = {
    "/sign-in/": "main form button[type=submit]",
    "/sign-up/": "main form button[type=submit]",
    "/account/password/reset/": "main form button[type=submit]",
    "/account/email/": "main form [name=action_add]",
    "/account/password/": "main form button[type=submit]",
    "/account/organisations/": "main form button[type=submit]",
    "/account/organisations/{slug}/": "main form:has([name=email]) button[type=submit]",
    "/submit/": "main form:has([name=base_url]) button[type=submit]",
    "/submit/results/": "main form:has([name=file]) button[type=submit]",
    "/moderation/runs/{waiting}/": "main form[action*=ask] button[type=submit]",
    "/admin/evaluation/modelcard/?q=x": "#changelist-search [type=submit]",
}
FILL = """text => {
  for (const field of document.querySelectorAll('main input, main textarea, #searchbar')) {
    if (['text', 'email', 'url', 'search', 'password', 'number'].includes(field.type)
        || field.tagName === 'TEXTAREA') {
      field.removeAttribute('maxlength'); field.type = 'text'; field.value = text;
    }
    if (field.type === 'checkbox') { field.checked = true; }
  }
  document.querySelectorAll('form').forEach(form => { form.noValidate = true; });
}"""


@pytest.fixture
def site(live_server: Any, settings: Any, transactional_db: None) -> Hostile:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    return hostile.fill_site()


@pytest.fixture
def unguarded(browser: Browser, live_server: Any, site: Hostile) -> Iterator[Page]:
    """A page signed in as a member of staff, that runs whatever escapes."""
    session = hostile.hostile_session(site.owner)
    context = browser.new_context(bypass_csp=True, base_url=live_server.url)
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    yield context.new_page()
    context.close()


class Watched:
    """A page of which is kept what it asked for, and what was wrong where."""

    def __init__(self, page: Page, here: str) -> None:
        self.page = page
        self.here = urlsplit(here).netloc
        self.asked: list[str] = []
        self.dialogs: list[str] = []
        self.wrong: dict[str, dict[str, object]] = {}
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", self._dismiss)

    def _dismiss(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def look(self, name: str) -> None:
        page = self.page
        page.wait_for_function(DRAWN)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found = page.evaluate(FOUND)
        if "/admin/" in page.url:
            found["strangers"] = 0  # the admin's own icons are images
        if found != NOTHING or urlsplit(page.url).netloc != self.here:
            self.wrong[name] = {key: value for key, value in found.items() if value}

    def has_gone_nowhere(self) -> bool:
        elsewhere = {urlsplit(url).netloc for url in self.asked} - {self.here, ""}
        return not elsewhere and not self.dialogs


def paths(site: Hostile) -> list[str]:
    """Every page that the table of readers names, but for those of other people's things."""
    skipped = ("sign-out", "account_logout", "run of the public")
    every = [path for name, (path, _) in GET.items() if name not in skipped]
    keys = {"snapshot": 1} | site.keys
    filled = [path.replace("/models/public/", "/models/hostile/") for path in every]
    filled = [path.replace("/organisations/lab/", "/organisations/{slug}/") for path in filled]
    filled = [path.replace("cases/simple_python_0", "cases/multiple_0") for path in filled]
    return sorted({path.format(**keys) for path in (*filled, *ALSO)})


def test_there_are_payloads_enough_and_none_twice() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 50


def test_nothing_runs_and_nothing_leaves(site: Hostile, live_server: Any, unguarded: Page) -> None:
    watched, not_shown = Watched(unguarded, live_server.url), {}

    for path in paths(site):
        try:
            unguarded.goto(path, wait_until="load")
        except Error as error:
            not_shown[path] = str(error)
        else:
            watched.look(path[:80])

    assert watched.wrong == {}
    assert watched.has_gone_nowhere()
    assert len(not_shown) >= 3
    assert all("Download is starting" in error for error in not_shown.values())


def test_what_is_hostile_can_be_read_in_full_and_its_direction_marks_are_shown(
    site: Hostile, unguarded: Page
) -> None:
    unguarded.goto("/bfcl-v4/?per_page=200")
    board = " ".join(unguarded.inner_text("main").split())
    unguarded.goto(f"/bfcl-v4/cases/multiple_0/?run={site.run.pk}")
    unguarded.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    case = unguarded.inner_text("main")

    plain = [one for one in PAYLOADS if one.isprintable() and one.isascii()]
    assert len(plain) >= 50
    assert [one for one in plain if " ".join(one.split()) not in board] == []
    assert "<script x-evil>window.ran=1</script>" in case
    assert "⟨U+202E⟩" in case
    assert "\u202e" not in case


def test_every_form_says_what_is_wrong_with_hostile_text_as_text(
    site: Hostile, live_server: Any, unguarded: Page
) -> None:
    watched = Watched(unguarded, live_server.url)
    cookies = unguarded.context.cookies()

    for path, button in FORMS.items():
        if path in ("/sign-in/", "/sign-up/"):
            unguarded.context.clear_cookies()
        unguarded.goto(path.format(**site.keys))
        unguarded.evaluate(FILL, ALL[:4000])
        unguarded.locator(button).first.click()
        unguarded.wait_for_load_state()
        watched.look(path)
        unguarded.context.add_cookies(cookies)  # type: ignore[arg-type]

    assert watched.wrong == {}
    assert watched.has_gone_nowhere()
