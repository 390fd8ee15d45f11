"""Format sensitivity has a page of its own, the steadiest entry first."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.benchmarks.bfcl_published.layouts import format_configurations
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES
from evaluation.models import Benchmark, Case, CategoryScore, Entry, Run, Verdict
from evaluation.services import published
from leaderboard import sensitivity
from tests import make

PAGE = "/bfcl-v4/format-sensitivity/"
FORMS = format_configurations()[:3]


@pytest.fixture
def board(db: None) -> Benchmark:
    return make.benchmark(dict.fromkeys(CATEGORIES, 1))


def asked(board: Benchmark, name: str, right: tuple[int, int, int], *, public: bool = True) -> Run:
    """A run of four cases in each of three formats, so many right in each."""
    category = board.categories.get(name="format_sensitivity")
    names = [f"{category.name}_{i}:{FORMS[i // 4]}:simple_python_{i % 4}" for i in range(12)]
    cases = [
        Case.objects.get_or_create(
            category=category, name=name, defaults={"position": 10 + i, "question": "{}"}
        )[0]
        for i, name in enumerate(names)
    ]
    of = make.entry(make.card(name), board, mode="prompt")
    run = make.run(of, state=Run.State.FINISHED, categories={"format_sensitivity": 12})
    scoring = run.scorings.get()
    Verdict.objects.bulk_create(
        Verdict(scoring=scoring, case=case, outcome=_outcome(i % 4 < right[i // 4]))
        for i, case in enumerate(cases)
    )
    CategoryScore.objects.create(
        scoring=scoring, category=category, n=12, correct=sum(right), wrong=12 - sum(right),
        unscored=0, accuracy=sum(right) / 12,
    )  # fmt: skip
    if public:
        Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
        Entry.objects.filter(pk=of.pk).update(shown_run=run)
    return run


def _outcome(is_right: bool) -> str:
    return "correct" if is_right else "wrong"


def test_pages_that_speak_of_it_lead_to_it(client: Client, board: Benchmark) -> None:
    run = asked(board, "Steady", (2, 2, 3))

    pages = [client.get(f"/{place}/").text for place in ("methodology", "models/steady")]
    pages.append(client.get(f"/runs/{run.pk}/").text)

    assert [f'href="{PAGE}"' in page for page in pages] == [True, True, True]


def test_a_spread_is_there_from_the_day_of_its_publication(board: Benchmark) -> None:
    run = Run.objects.get(pk=asked(board, "Steady", (2, 2, 3)).pk)
    assert run.published_at
    day = run.published_at.date()

    found = [sensitivity.spreads(board, on) for on in (day - timedelta(days=1), day, None)]

    assert [list(one) for one in found] == [[], [run.entry_id], [run.entry_id]]


def test_the_steadiest_entry_stands_first(client: Client, board: Benchmark) -> None:
    asked(board, "Fickle", (4, 0, 2))
    asked(board, "Steady", (2, 2, 3))

    page = client.get(PAGE)

    found = [(line.entry.card.name, line.max_delta) for _, line in page.context["lines"]]
    assert found == [("Steady", 25.0), ("Fickle", 100.0)]


def test_private_runs_are_not_shown(client: Client, board: Benchmark) -> None:
    asked(board, "Secret", (1, 1, 1), public=False)

    assert "Secret" not in client.get(PAGE).content.decode()


def test_published_spreads_stand_among_them_as_printed(
    client: Client, board: Benchmark, corpora: Path
) -> None:
    folder = corpora / "bfcl" / "published" / "2025-12-16"
    files = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    published.import_tables(files, on=date(2025, 12, 16), source="official tables")

    page = client.get(PAGE)

    lines = [line for _, line in page.context["lines"]]
    deltas = [line.max_delta for line in lines]
    assert deltas == sorted(deltas)
    assert deltas[-1] == 81.5
    assert all(line.run is None for line in lines)


def test_an_empty_page_says_how_to_fill_it_and_unknown_boards_have_none(
    client: Client, board: Benchmark
) -> None:
    assert "import_published" in client.get(PAGE).content.decode()
    assert client.get("/no-such-board/format-sensitivity/").status_code == 404
