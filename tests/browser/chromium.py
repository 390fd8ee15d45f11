"""The system's Chromium, as every browser test starts it."""

from __future__ import annotations

import os

from playwright.sync_api import Browser, Playwright

EXECUTABLE = os.environ.get("CALLBOARD_CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=EXECUTABLE, args=FLAGS)
