"""How foreign text and figures are written."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from django.conf import settings

from leaderboard import charts
from leaderboard import text as foreign
from leaderboard.templatetags import scores

STATIC = Path(settings.BASE_DIR) / "static"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Qwen3-8B", "Qwen3-8B"),
        ("日本語 العربية", "日本語 العربية"),
        ("👩‍🔬", "👩‍🔬"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\x00\x1b[31m", "⟨U+0000⟩⟨U+001B⟩[31m"),
        ("a\nb", "a\nb"),
        ("\ud83d", "⟨U+D83D⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
    ],
)
def test_what_hides_in_text_is_shown(text: str, shown: str) -> None:
    assert foreign.make_visible(text) == shown


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("https://", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(url: str, kept: bool) -> None:
    assert foreign.web_link(url) == (url if kept else "")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.0, "100 %"),
        (0.9999, "99.9 %"),
        (0.5, "50 %"),
        (0.125, "12.5 %"),
        (0.0, "0 %"),
        (None, "–"),
    ],
)
def test_coverage_is_never_rounded_up_to_all(share: float | None, text: str) -> None:
    assert scores.coverage(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.042, "42 ms"),
        (2.31, "2.3 s"),
        (82.3, "82 s"),
        (150, "2 min"),
        (3700, "1 h 2 min"),
    ],
)
def test_times_are_written_for_people(value: float | None, text: str) -> None:
    assert scores.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(21.4, "$21.40"), (0.0042, "0.42 ¢"), (0, "$0.00"), (1234.5, "$1,234.50")]
)
def test_money_is_written_for_people(value: float, text: str) -> None:
    assert scores.dollars(value) == text


@pytest.mark.parametrize(
    ("difference", "text"), [(0.012, "+1.2"), (-0.012, "−1.2"), (0.0001, "0.0"), (0, "0.0")]
)
def test_differences_have_a_real_sign(difference: float, text: str) -> None:
    assert scores.signed(difference) == text


def test_plotly_reads_no_markup_in_names() -> None:
    assert charts.safe("<b>x</b>&\u202e") == "&lt;b&gt;x&lt;/b&gt;&amp;⟨U+202E⟩"


def test_the_files_of_others_are_unchanged() -> None:
    listed = re.findall(
        r"^\| (\S+) \|.*\| ([0-9a-f]{64}) \|$", (STATIC / "vendor/README.md").read_text(), re.M
    )

    assert [name for name, _ in listed] == ["plotly/plotly-strict.min.js"]
    for name, digest in listed:
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest


def test_own_styles_and_scripts_stay_under_60_kilobytes() -> None:
    own = [*STATIC.glob("css/*.css"), *STATIC.glob("js/*.js")]

    assert sum(path.stat().st_size for path in own) < 60_000


def test_no_template_holds_a_script_or_style() -> None:
    for path in (Path(settings.BASE_DIR) / "templates").rglob("*.html"):
        text = re.sub(r"{[#%].*?[#%]}", "", path.read_text())
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script>|javascript:", text), path


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("Paused on request.", "On request."),
        ("Paused.", "Paused."),
        ("The endpoint rejected the key (401).", "The endpoint rejected the key (401)."),
        ("", ""),
    ],
)
def test_a_reason_does_not_say_its_state_twice(reason: str, shown: str) -> None:
    assert scores.after_state(reason, "Paused") == shown


@pytest.mark.parametrize(
    ("share", "n", "text"),
    [(0.9375, 16, "94"), (0.775, 5106, "77.5"), (0.5, 50, "50.0"), (None, 16, "–")],
)
def test_a_percentage_has_no_more_digits_than_its_cases_bear(
    share: float | None, n: int, text: str
) -> None:
    assert scores.percent_of(share, n) == text


def test_bounds_and_differences_have_the_digits_of_their_figure() -> None:
    assert scores.bounds_of((0.717, 0.989), 16) == "72–99"
    assert scores.bounds_of((0.673, 0.711), 1351) == "67.3–71.1"
    assert scores.signed(-0.062, 16) == "−6"
    assert scores.signed(0.001, 16) == "0"
    assert scores.signed(-0.012) == "−1.2"
