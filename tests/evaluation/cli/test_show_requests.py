"""`show_requests`: what would be sent, in dataset order, asking nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.cli.show_requests import main
from tests.suites import real_suite


@pytest.fixture(autouse=True)
def data() -> None:
    real_suite("bfcl-v4")


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, list[Any], str]:
    status = main(list(argv))
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err


def test_fc_requests_hold_tools_with_underscores_unless_told_otherwise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, sent, _ = shown(capsys, "--mode", "fc", "--category", "simple_java")
    _, dotted, _ = shown(capsys, "--mode", "fc", "--no-underscore", "--category", "simple_java")

    assert [entry["id"] for entry in sent] == [f"simple_java_{n}" for n in range(100)]
    names = [entry["tools"][0]["function"]["name"] for entry in sent]
    assert not any("." in name for name in names)
    assert "." in dotted[0]["tools"][0]["function"]["name"]


def test_prompt_requests_hold_a_system_prompt_and_no_tools(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, sent, _ = shown(capsys, "--mode", "prompt", "--category", "live_relevance")

    assert len(sent) == 16
    assert all("tools" not in entry for entry in sent)
    assert all(entry["messages"][0]["role"] == "system" for entry in sent)


def test_a_case_that_offers_no_function_sends_no_tools(capsys: pytest.CaptureFixture[str]) -> None:
    _, sent, _ = shown(capsys, "--mode", "fc", "--category", "live_irrelevance")

    assert sum("tools" not in entry for entry in sent) == 4


@pytest.mark.parametrize(
    "argv",
    [
        ("--mode", "fc", "--category", "nonsense"),
        ("--mode", "fc", "--category", "format_sensitivity"),
        ("--mode", "prompt", "--underscore"),
    ],
)
def test_bad_options_are_one_sentence(
    capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    status, sent, err = shown(capsys, *argv)

    assert (status, sent) == (2, [])
    assert len(err.splitlines()) == 1


def test_categories_come_in_the_benchmark_s_order_however_they_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    named = ("--category", "irrelevance", "multiple", "--category", "simple_python", "multiple")

    status, sent, _ = shown(capsys, "--mode", "fc", *named)

    ids = [entry["id"].rpartition("_")[0] for entry in sent]
    assert status == 0
    assert list(dict.fromkeys(ids)) == ["simple_python", "multiple", "irrelevance"]
    assert len(sent) == 400 + 200 + 240
