"""SECURITY.md promises, and names the tests that keep each promise: they are there."""

from __future__ import annotations

import re

from leaderboard.embedded.home import PROJECT

TEXT = (PROJECT / "SECURITY.md").read_text()
PROMISED = TEXT.partition("## What is promised")[2].partition("\n## ")[0]


def promises() -> list[str]:
    return re.split(r"\n- ", PROMISED)[1:]


def test_every_promise_names_a_test() -> None:
    assert len(promises()) >= 10
    assert [one for one in promises() if not re.search(r"`tests/\S+\.py`", one)] == []


def test_every_test_that_is_named_is_there_and_tests() -> None:
    named = set(re.findall(r"`(tests/\S+?\.py)`", TEXT))

    assert len(named) >= 10
    for name in named:
        assert "\ndef test_" in (PROJECT / name).read_text(), name


def test_every_file_of_security_tests_is_named() -> None:
    files = {f"tests/security/{one.name}" for one in PROJECT.glob("tests/security/test_*.py")}

    assert {name for name in files if f"`{name}`" not in TEXT} == set()


def test_no_promise_is_cut_off() -> None:
    assert all(one.strip().endswith((".", ").")) for one in promises())
