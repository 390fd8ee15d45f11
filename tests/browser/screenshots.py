"""Pictures of pages in four forms, for people to look at. Development only.

python -m tests.browser.screenshots http://127.0.0.1:8000 FOLDER / /bfcl-v4/ …
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import launch

FORMS = {"desktop": (1440, 900), "phone": (360, 740)}
THEMES = ("light", "dark")


def main(address: str, folder: str, *paths: str) -> None:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for path in paths or ("/",):
            for form in FORMS:
                for theme in THEMES:
                    _picture(browser, address + path, form, theme, out / _name(path, form, theme))


def _name(path: str, form: str, theme: str) -> str:
    plain = "".join(char if char.isalnum() else "-" for char in path).strip("-") or "home"
    return f"{plain}.{form}.{theme}.png"


def _picture(browser: Browser, url: str, form: str, theme: str, to: Path) -> None:
    width, height = FORMS[form]
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        has_touch=form == "phone",
    )
    page.goto(url, wait_until="networkidle")
    page.screenshot(path=to)
    page.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
