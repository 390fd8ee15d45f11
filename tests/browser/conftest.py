"""A browser and a board with something on it, for tests that look at pages as readers do."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.chromium import EXECUTABLE, launch

# Playwright drives the browser from an event loop of its own, in which Django would refuse to
# touch the database although no other thread does.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell failures of these tests with plain tracebacks.

    Playwright runs each test in a greenlet. There CPython 3.11 may refuse to parse the sources
    that pytest's own tracebacks quote ("recursion depth mismatch"), which would end the whole
    process instead of failing one test.
    """
    style = item.config.option.tbstyle
    item.config.option.tbstyle = "native"
    try:
        return (yield)
    finally:
        item.config.option.tbstyle = style


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One per module: while it lives, its event loop keeps every other test's from running."""
    if not Path(EXECUTABLE).exists():
        pytest.skip(f"{EXECUTABLE} is not installed: pages are not looked at in a browser")
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


def _error(message: ConsoleMessage) -> list[str]:
    """What a page logs as an error; that it is itself an answer like “gone” is none."""
    is_own_status = "Failed to load" in message.text and message.location["url"] == (
        message.page.url if message.page else None
    )
    return [message.text] if message.type == "error" and not is_own_status else []


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, request: Any) -> Iterator[Page]:
    """A desktop page on the live server; `@pytest.mark.parametrize("page", [{…}], indirect=True)`
    gives its context other options. A page that logs an error or breaks its policy fails."""
    options: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
    context = browser.new_context(
        base_url=live_server.url, **(options | getattr(request, "param", {}))
    )
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("console", lambda message: troubles.extend(_error(message)))
    yield opened
    context.close()
    assert troubles == []
