"""What readers do from end to end: follow a figure to its reply, take a table away, share it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pyarrow import parquet

from evaluation.models import Case, Evidence, Mode, Run
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
SMALL_PHONE: dict[str, Any] = {"viewport": {"width": 320, "height": 640}, "has_touch": True}
NO_SCRIPT: dict[str, Any] = {"java_script_enabled": False}
CONFIGURATION = json.dumps({"mode": "fc", "underscore": True, "in_flight": 8})
FILTERED = "/bfcl-v4/?view=multiple&sort=multiple&q=lab&mode=fc"
REPLY = b"""{"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop",
 "message": {"role": "assistant", "content": "I would rather not."}}]}"""


@pytest.fixture(autouse=True)
def board() -> Run:
    """Five entries of two organisations; Ada has a wrong answer with its reply."""
    benchmark = make.real_benchmark({"simple_python": 55, "multiple": 10, "irrelevance": 2})
    shares = {"Ada": 0.9, "Bob": 0.4, "Cleo": 0.7, "=Dan": 0.2}
    for name, share in shares.items():
        slug = name.strip("=").lower()
        card = make.card(name, slug=slug, organisation="Example Lab")
        make.finished_run(make.entry(card, benchmark), share, configuration=CONFIGURATION)
    elsewhere = make.card("Eve", organisation="Elsewhere")
    make.finished_run(make.entry(elsewhere, benchmark, mode=Mode.PROMPT), 0.5)
    uploaded = make.card("Fay", organisation="Example Lab")
    make.finished_run(make.entry(uploaded, benchmark, evidence=Evidence.UPLOADED), 0.8)
    ada = Run.objects.get(entry__card__name="Ada")
    make.reply(ada, Case.objects.get(name="multiple_9"), REPLY)
    return ada


def models(page: Page) -> list[str]:
    return page.locator("#board tbody th.who > a").all_inner_texts()


@pytest.mark.parametrize(
    "page", [{}, SMALL_PHONE, NO_SCRIPT], indirect=True, ids=["desktop", "320", "no-script"]
)
def test_a_figure_is_followed_from_the_board_to_the_reply_it_rests_on(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.get_by_role("link", name="Ada", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    page.get_by_role("table").get_by_role("link", name=re.compile("^run [0-9]+$")).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Run [0-9]+$"))
    page.locator("select[name=outcome]").select_option("wrong")
    page.locator("form.filters").get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="multiple_9").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("multiple_9")
    expect(page.get_by_text("Wrong", exact=True).first).to_be_visible()
    expect(page.get_by_role("heading", name="Accepted", exact=True)).to_be_visible()
    page.locator("summary", has_text="Raw reply").click()
    expect(page.locator("details pre", has_text="I would rather not.")).to_be_visible()


def in_csv(body: bytes) -> list[tuple[str, str]]:
    rows = csv.DictReader(io.StringIO(body.decode()))
    return [
        (row["model"].removeprefix("'"), f"{100 * float(row['multiple']):.0f}") for row in rows
    ]


def in_bfcl_csv(body: bytes) -> list[tuple[str, str]]:
    rows = csv.DictReader(io.StringIO(body.decode()))
    return [
        (
            row["Model"].removeprefix("'").removesuffix(" (FC)"),
            row["Non-Live Multiple AST"].removesuffix(".00%"),
        )
        for row in rows
    ]


def in_json(body: bytes) -> list[tuple[str, str]]:
    return [_of_json(row) for row in json.loads(body)["rows"]]


def in_ndjson(body: bytes) -> list[tuple[str, str]]:
    return [_of_json(json.loads(line)) for line in body.splitlines()]


def _of_json(row: dict[str, Any]) -> tuple[str, str]:
    return row["model"], f"{100 * row['scores']['multiple']['value']:.0f}"


def in_parquet(body: bytes) -> list[tuple[str, str]]:
    rows = parquet.read_table(io.BytesIO(body)).to_pylist()
    return [(row["model"], f"{100 * row['multiple']:.0f}") for row in rows]


def in_markdown(body: bytes) -> list[tuple[str, str]]:
    header, _, *rest = body.decode().splitlines()
    return _of_cells(header, [line for line in rest if line.startswith("|")], "|", "| ", " |")


def in_latex(body: bytes) -> list[tuple[str, str]]:
    lines = [line for line in body.decode().splitlines() if line.endswith(r" \\")]
    return _of_cells(lines[0], lines[1:], "&", "", r" \\")


def _of_cells(
    header: str, lines: list[str], between: str, before: str, after: str
) -> list[tuple[str, str]]:
    def cells(line: str) -> list[str]:
        parts = line.removeprefix(before).removesuffix(after).split(between)
        return [part.strip().replace("\\", "") for part in parts]

    model, figure = cells(header).index("Model"), cells(header).index("Multiple")
    return [(cells(line)[model], cells(line)[figure].removesuffix(".0")) for line in lines]


READERS: dict[str, Callable[[bytes], list[tuple[str, str]]]] = {
    "CSV": in_csv,
    "CSV as BFCL’s own table": in_bfcl_csv,
    "JSON": in_json,
    "NDJSON": in_ndjson,
    "Parquet": in_parquet,
    "Markdown": in_markdown,
    "LaTeX": in_latex,
}


def on_the_screen(page: Page) -> list[tuple[str, str]]:
    """Model and figure of each row, in the order shown; few cases stand there as 2/10."""
    found = []
    for row in page.locator("#board tbody tr:not(.divide)").all():
        right, n = row.locator("td.lead-col a.val").inner_text().split("/")
        found.append((row.locator("th.who > a").inner_text(), f"{100 * int(right) / int(n):.0f}"))
    return found


def test_every_export_holds_exactly_what_the_filters_leave_on_the_screen(page: Page) -> None:
    page.goto(FILTERED)
    shown = on_the_screen(page)
    menu = page.locator("details.menu", has_text="Export")
    menu.locator("summary").click()
    offered = menu.get_by_role("listitem").get_by_role("link")

    exported = {}
    for link in offered.all():
        with page.expect_download() as download:
            link.click()
        exported[link.inner_text()] = Path(download.value.path()).read_bytes()

    assert [name for name, _ in shown] == ["=Dan", "Bob", "Cleo", "Ada", "Fay"]
    assert exported.keys() == READERS.keys()
    found = {name: READERS[name](body) for name, body in exported.items()}
    officially = found.pop("CSV as BFCL’s own table")  # ordered by rank, as the official table
    assert found == dict.fromkeys(found, shown)
    assert sorted(officially) == sorted(shown)


def test_what_was_found_sorted_and_filtered_is_what_the_address_shows_others(
    page: Page, browser: Browser
) -> None:
    page.goto("/bfcl-v4/?view=multiple")
    page.get_by_label("Find a model").fill("lab")
    page.get_by_label("Find a model").press("Enter")
    expect(page.locator("#board tbody th.who")).to_have_count(5)
    page.locator("fieldset.seg label", has_text="FC").click()
    page.wait_for_url("**mode=fc")
    page.locator("#sort-multiple").click()
    expect(page.locator('th[aria-sort="ascending"]')).to_have_count(1)
    shown = models(page)

    others = [
        browser.new_context(**SMALL_PHONE, color_scheme="dark"),
        browser.new_context(**NO_SCRIPT),
    ]
    seen = []
    for context in others:
        elsewhere = context.new_page()
        elsewhere.goto(page.url)
        seen.append(models(elsewhere))
        context.close()

    assert shown == ["=Dan", "Bob", "Cleo", "Ada", "Fay"]
    assert seen == [shown, shown]
    assert page.url.endswith(FILTERED)


@pytest.mark.parametrize("page", [SMALL_PHONE], indirect=True)
@pytest.mark.parametrize("sort", ["", "?sort=-multi_turn", "?sort=-n"])
def test_on_a_small_phone_the_column_that_orders_the_rows_stands_beside_the_names(
    page: Page, sort: str
) -> None:
    page.goto(f"/bfcl-v4/{sort}")

    name = page.locator("thead th.who").bounding_box()
    column = page.locator("thead th.num[aria-sort]").bounding_box()

    assert name
    assert column
    assert name["x"] + name["width"] <= column["x"] + 1
    assert column["x"] + column["width"] <= 321
