"""Verdicts, ROUGE figures and search ranks against recordings of the published programs."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from evaluation.benchmarks.apibank.corpus import Corpus
from evaluation.benchmarks.apibank.repaired import spread
from evaluation.benchmarks.apibank.rouge import rouge_l
from evaluation.benchmarks.apibank.score import Scorer
from evaluation.benchmarks.apibank.toolsearch import ToolIndex
from evaluation.benchmarks.apibank.totals import as_published, once_each, recorded_verdicts
from evaluation.benchmarks.apibank.tree import CEILINGS
from evaluation.benchmarks.apibank.verdicts import REPAIRED, UPSTREAM, CallVerdict
from evaluation.engine.types import JSON

FREE_CLASSES = {"MISMATCH", "TYPE_ERROR", "INVALID_TOOL_NAME", "CRASH"}


@pytest.fixture(scope="module")
def recorded(checkout: Path) -> list[JSON]:
    with gzip.open(checkout / "verdicts.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def judged(recorded: list[JSON], corpus: Corpus) -> list[tuple[JSON, CallVerdict]]:
    """Every recorded row with our verdict on its call, in the published profile."""
    scorer = Scorer(corpus, UPSTREAM)
    due = [scorer.gold(row["sample"], row["turn"], row["call_index"]) for row in recorded]
    return [
        (row, scorer.judge(gold, row["call"])) for row, gold in zip(recorded, due, strict=True)
    ]


def test_every_published_verdict_is_reproduced(judged: list[tuple[JSON, CallVerdict]]) -> None:
    differing = [row["id"] for row, ours in judged if ours.valid != row["verdict"]]

    assert len(judged) == 9689
    assert differing == []


def test_every_published_error_class_is_reproduced(
    judged: list[tuple[JSON, CallVerdict]],
) -> None:
    differing = [
        (row["id"], row["error_class"], ours.error_class)
        for row, ours in judged
        if row["error_class"] not in FREE_CLASSES and ours.error_class != row["error_class"]
    ]

    assert differing == []


@pytest.mark.parametrize("profile", [UPSTREAM, REPAIRED])
def test_the_recorded_calls_reach_the_stated_ceilings(profile: str, corpus: Corpus) -> None:
    verdicts = recorded_verdicts(corpus, profile)

    counts = once_each(corpus, verdicts)
    assert counts == {level: CEILINGS[profile][f"level_{level}"] for level in (1, 2, 3)}


def test_counted_as_published_the_recorded_calls_reach_the_published_shares(
    corpus: Corpus,
) -> None:
    verdicts = recorded_verdicts(corpus, UPSTREAM)

    shares = as_published(corpus, verdicts)

    assert shares == {1: (338, 399), 2: (80, 135), 3: (0, 50)}


def test_with_network_and_a_perfect_search_the_published_ceilings_are_reached(
    corpus: Corpus,
) -> None:
    verdicts = recorded_verdicts(corpus, UPSTREAM)
    hopeful = {key: valid is not False for key, valid in verdicts.items()}

    shares = as_published(corpus, hopeful)

    assert (shares[1], shares[3]) == ((347, 399), (40, 50))


def test_no_call_that_is_wrong_in_form_passes_the_repaired_profile(
    recorded: list[JSON], corpus: Corpus
) -> None:
    scorer = Scorer(corpus, REPAIRED)
    broken = {
        *("missing_param", "wrong_api", "unknown_api", "api_case", "extra_param"),
        *("no_brackets", "two_calls", "positional", "empty"),
    }

    passed: Counter[str] = Counter()
    for row in recorded:
        kind = row["mutation"].partition(":")[0]
        optional = kind == "missing_param" and row["api"] == "Translate"
        if kind in broken and row["call"] != "[GetToday()]" and not optional:
            gold = scorer.gold(row["sample"], row["turn"], row["call_index"])
            passed[kind] += scorer.judge(gold, row["call"]).valid is True

    assert +passed == Counter()


def test_every_rouge_figure_is_reproduced(checkout: Path) -> None:
    rows = [json.loads(line) for line in (checkout / "rouge.jsonl").read_text().splitlines()]

    ours = {row["id"]: round(rouge_l(row["hypothesis"], row["reference"]), 4) for row in rows}

    assert len(rows) == 304
    assert ours == {row["id"]: row["rouge_l_f"] or 0.0 for row in rows}


@pytest.mark.parametrize(
    ("level", "group", "hits"), [("L2", "dialogue", 32), ("L3", "planning", 114)]
)
def test_the_lexical_index_finds_as_many_recorded_tools_as_documented(
    level: str, group: str, hits: int, checkout: Path, corpus: Corpus
) -> None:
    searches = json.loads((checkout / "toolsearcher_probe.json").read_text())[level]
    index = ToolIndex(corpus.descriptions[group])

    found = [index.ranking(spread(search["keywords"]))[:1] for search in searches]

    right = sum(
        best == [search["gold_tool"]] for best, search in zip(found, searches, strict=True)
    )
    assert right == hits
