"""Public pages in a real browser: with and without scripts, wide and narrow, light and dark."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from evaluation.models import Entry, Evidence, Mode
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = (
    "/",
    "/bfcl-v4/",
    "/bfcl-v4/?view=live",
    "/models/ada/",
    "/methodology/",
    "/api/v1/docs/",
    "/bfcl-v4/plots/",
    "/bfcl-v4/?q=nobody",
    "/styleguide/",
    "compare",
    "a score",
    "a rank",
)
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
NARROW = {"viewport": {"width": 320, "height": 640}}
IN_SIGHT = """id => {
  const { left, right } = document.getElementById(id).getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
}"""
NO_SCRIPT = {"java_script_enabled": False}


@pytest.fixture(autouse=True)
def board() -> None:
    """Ranked, incomplete and listed rows, one of them with a name that misbehaves."""
    benchmark = make.benchmark({"simple_python": 60, "multiple": 3, "irrelevance": 3})
    ada = make.card("Ada", link="https://example.org/ada")
    make.finished_run(make.entry(ada, benchmark), 0.9)
    make.finished_run(make.entry(ada, benchmark, mode=Mode.PROMPT), {"multiple": 0.5})
    make.finished_run(make.entry(make.card("Bob"), benchmark), 0.4)
    hostile = make.card("<img src=x onerror=alert(1)> " + "x" * 80, slug="hostile")
    make.finished_run(make.entry(hostile, benchmark), 0.1)
    uploaded = make.entry(make.card("Cleo"), benchmark, evidence=Evidence.UPLOADED)
    make.finished_run(uploaded, 0.8)


def address(path: str) -> str:
    """A page's path; some name entries of this board."""
    entries = Entry.objects.order_by("pk").values_list("pk", flat=True)[:3]
    return {
        "compare": "/bfcl-v4/compare/?" + "&".join(f"entry={entry}" for entry in entries),
        "a score": f"/why/{entries[0]}/runnable/",
        "a rank": f"/why/{entries[0]}/rank/",
    }.get(path, path)


def models(page: Page) -> list[str]:
    return page.locator("#board tbody th.who > a").all_inner_texts()


def violations(page: Page) -> list[str]:
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", [{}, PHONE], indirect=True, ids=["desktop", "phone"])
def test_axe_finds_nothing(page: Page, path: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(address(path), wait_until="networkidle")

    assert violations(page) == []


def test_axe_finds_nothing_in_an_open_drawer_and_menu(page: Page) -> None:
    page.goto("/bfcl-v4/", wait_until="networkidle")
    page.locator("details.columns summary").click()
    in_menu = violations(page)
    page.keyboard.press("Escape")
    page.locator("td.lead-col a.val").first.click()
    expect(page.locator("#why")).to_be_visible()

    assert [*in_menu, *violations(page)] == []


@pytest.mark.parametrize("path", [*PAGES, "/models/hostile/"])
@pytest.mark.parametrize("page", [NARROW, PHONE], indirect=True, ids=["320", "360"])
def test_no_page_scrolls_sideways(page: Page, path: str) -> None:
    page.goto(address(path), wait_until="networkidle")

    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")

    assert width <= shown


@pytest.mark.parametrize("page", [NARROW], indirect=True, ids=["320"])
def test_the_open_tab_is_in_sight(page: Page) -> None:
    page.goto("/bfcl-v4/", wait_until="networkidle")
    last = page.locator(".tabs a").last
    assert not page.evaluate(IN_SIGHT, last.get_attribute("id"))

    page.goto("/bfcl-v4/" + str(last.get_attribute("href")).partition("/bfcl-v4/")[2])

    assert page.evaluate(IN_SIGHT, page.locator(".tabs [aria-current]").get_attribute("id"))


def test_sorting_swaps_the_table_and_keeps_the_focus(page: Page) -> None:
    page.goto("/bfcl-v4/?view=multiple")
    assert models(page)[0] == "Ada"

    page.locator("#sort-multiple").focus()
    page.keyboard.press("Enter")

    expect(page.locator('th[aria-sort="ascending"]')).to_have_count(1)
    assert models(page)[0].startswith("<img")
    assert page.url.endswith("/bfcl-v4/?view=multiple&sort=multiple")
    assert page.evaluate("document.activeElement.id") == "sort-multiple"


def test_a_filter_works_as_it_is_set_and_goes_back(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.get_by_label("Find a model").fill("bob")
    page.get_by_label("Find a model").press("Enter")

    expect(page.locator("#board tbody th.who")).to_have_count(1)
    assert page.url.endswith("/bfcl-v4/?q=bob")
    page.get_by_role("link", name="“bob”").click()
    expect(page.locator("#board tbody th.who")).to_have_count(5)
    page.go_back()
    expect(page.locator("#board tbody th.who")).to_have_count(1)


def test_what_a_filter_leaves_is_told_to_those_who_do_not_see_it(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.get_by_label("Find a model").fill("bob")
    page.get_by_label("Find a model").press("Enter")

    expect(page.get_by_role("status")).to_have_text("1 of 5 entries, 1 ranked")


def test_a_tab_shows_another_view_under_its_own_title(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.get_by_role("link", name="Non-live").first.click()

    expect(page).to_have_title("Non-live, BFCL V4 · Callboard")
    assert page.url.endswith("?view=non_live")
    assert page.locator('#tab-non_live[aria-current="page"]').count() == 1


def test_a_number_explains_itself_in_a_drawer_and_gives_the_focus_back(page: Page) -> None:
    page.goto("/bfcl-v4/?view=simple_python")
    number = page.locator("td.lead-col a.val").first

    number.click()

    drawer = page.locator("#why")
    expect(drawer).to_be_visible()
    expect(drawer).to_contain_text("54 correct ÷ 60 cases")
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    assert number.evaluate("link => link === document.activeElement")


def test_a_rank_explains_itself(page: Page) -> None:
    page.goto("/bfcl-v4/?view=simple_python")

    page.locator("td.rank a").first.click()

    expect(page.locator("#why")).to_contain_text("unpaired")


@pytest.mark.parametrize("page", [NO_SCRIPT], indirect=True)
def test_everything_works_without_scripts(page: Page) -> None:
    page.goto("/bfcl-v4/?view=multiple")

    page.locator("#sort-multiple").click()
    assert models(page)[0].startswith("<img")
    page.get_by_label("Find a model").fill("bob")
    page.get_by_role("button", name="Apply").click()
    assert models(page) == ["Bob"]
    assert page.url.endswith("/bfcl-v4/?view=multiple&sort=multiple&q=bob")
    page.locator("a.val").first.click()
    expect(page.get_by_role("heading", name="What is this number?")).to_be_visible()


def test_the_theme_button_changes_the_theme_and_stays_on_the_page(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/bfcl-v4/?view=live")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    page.get_by_role("button", name="Use the dark theme").first.click()

    page.wait_for_url("**/bfcl-v4/?view=live")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert light != dark
    expect(page.get_by_role("button", name="Use the light theme").first).to_be_visible()


def test_the_skip_link_comes_first_and_leads_to_the_content(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"


def test_a_chart_is_drawn_in_its_theme_under_the_strict_policy(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/models/ada/", wait_until="networkidle")

    labels = page.locator("[data-plot] .ytick text")

    expect(labels.first).to_have_text("Simple Python")
    assert re.sub(r"\s", "", labels.first.evaluate("text => getComputedStyle(text).fill")) == (
        "rgb(185,191,196)"
    )


def test_a_chart_moves_nothing_when_it_appears(page: Page) -> None:
    page.add_init_script(
        "window.moved = 0; new PerformanceObserver(list => list.getEntries().forEach("
        "entry => { window.moved += entry.value; }))"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page.goto("/models/ada/", wait_until="networkidle")

    assert page.evaluate("window.moved") < 0.02


def test_hostile_names_run_nowhere(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))

    for path in ("/", "/bfcl-v4/", "/models/hostile/"):
        page.goto(path, wait_until="networkidle")

        assert page.locator("img").count() == 0


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_the_model_stays_beside_one_score(page: Page) -> None:
    page.goto("/bfcl-v4/")
    name, score = page.locator("tbody th.who").first, page.locator("tbody td.num").first

    boxes = [one.bounding_box() for one in (name, score)]

    assert all(boxes)
    (left, right) = (box for box in boxes if box)
    assert left["x"] >= 0
    assert right["x"] + right["width"] <= 361


def test_links_out_of_the_table_leave_the_page(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.get_by_role("link", name="Ada").first.click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    assert page.url.endswith("/models/ada/")


def test_chosen_columns_stay_in_the_address_that_is_shared(page: Page, browser: Browser) -> None:
    page.goto("/bfcl-v4/?view=simple_python")
    menu = page.locator("details.columns")

    menu.locator("summary").click()
    menu.get_by_label("Multiple", exact=False).first.check()
    menu.get_by_label("Overall", exact=False).first.uncheck()
    page.get_by_role("button", name="Show these columns").click()

    expect(page.locator("#sort-multiple")).to_be_visible()
    assert page.locator("#sort-overall").count() == 0
    elsewhere = browser.new_page()
    elsewhere.goto(page.url)
    assert elsewhere.locator("#sort-multiple").count() == 1
    assert elsewhere.locator("#sort-overall").count() == 0
    elsewhere.close()


@pytest.mark.parametrize("page", [NO_SCRIPT], indirect=True)
def test_bounds_work_without_scripts(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.locator("details.more summary").click()
    page.get_by_label("Figures since").fill("2026-06-01")
    page.locator("details.more").get_by_role("button", name="Apply").click()

    assert page.url.endswith("/bfcl-v4/?since=2026-06-01")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()


def test_a_plot_is_drawn_and_its_table_opens(page: Page) -> None:
    page.goto("/bfcl-v4/plots/", wait_until="networkidle")

    expect(page.locator('[data-plot="plot-faults"] .bars .point').first).to_be_attached()
    page.locator("summary", has_text="The same as a table").first.click()

    expect(page.get_by_role("region", name="Wrong answers by fault")).to_be_visible()


def test_from_the_board_to_two_entries_and_a_case_that_parts_them(page: Page) -> None:
    page.goto("/bfcl-v4/")

    page.get_by_role("link", name="Compare").click()
    page.get_by_label("First entry").select_option(label="Ada (FC, verified)")
    page.get_by_role("button", name="Add").click()
    page.get_by_label("Add an entry").select_option(label="Bob (FC, verified)")
    page.get_by_role("button", name="Add").click()

    expect(page.get_by_role("heading", name="Only A is right")).to_be_visible()
    page.get_by_role("link", name="A’s answer").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("simple_python")
