"""Finding tools by keywords."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.benchmarks.apibank.repaired import RecordedSearch
from evaluation.benchmarks.apibank.toolsearch import ToolIndex, found_name

TOOLS: dict[str, dict[str, Any]] = {
    name: {"name": name, "description": about, "input_parameters": {"token": {}} if token else {}}
    for name, about, token in (
        ("GetUserToken", "Get a token.", False),
        ("AddAlarm", "Sets an alarm clock.", True),
        ("DeleteAlarm", "Removes an alarm clock.", True),
        ("PlayMusic", "Plays a piece of music.", False),
    )
}


def test_words_of_the_name_find_a_tool() -> None:
    assert ToolIndex(TOOLS).ranking("play music")[0] == "PlayMusic"


def test_a_tools_own_name_always_finds_it() -> None:
    index = ToolIndex(TOOLS)

    assert [index.ranking(name)[0] for name in TOOLS] == list(TOOLS)


def test_a_synonym_finds_a_tool() -> None:
    assert ToolIndex(TOOLS).ranking("cancel the alarm")[0] == "DeleteAlarm"


def test_a_tool_that_takes_a_token_comes_after_the_one_that_gives_it() -> None:
    answer = ToolIndex(TOOLS).search("set an alarm")

    assert [tool["name"] for tool in answer] == ["GetUserToken", "AddAlarm"]
    assert found_name(answer) == "AddAlarm"


def test_nothing_in_common_finds_nothing() -> None:
    answer = ToolIndex(TOOLS).search("%%%")

    assert answer is None
    assert found_name(answer) is None


def test_an_embedding_decides_alone_when_there_is_one() -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "music" in text or text == "q" else [0.0, 1.0] for text in texts]

    assert ToolIndex(TOOLS, embed).ranking("q") == ["PlayMusic"]


def test_without_a_recording_the_index_answers() -> None:
    search = RecordedSearch(ToolIndex(TOOLS), ())

    assert found_name(search("PlayMusic")) == "PlayMusic"
