"""The first page: what this is, who leads, what changed lately, how to submit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation import policy
from evaluation.benchmarks import SUITES
from evaluation.models import Benchmark, Snapshot
from leaderboard import boards, forms, loading, pages, sheets, tables
from leaderboard.boards import Board

LEADERS = 5
NEWS = 6


@dataclass(frozen=True, slots=True)
class News:
    """Something that changed: when, what it is about, what happened to it."""

    when: datetime
    name: str
    link: str
    text: str


@require_safe
@pages.shared
def home(request: HttpRequest) -> HttpResponse:
    """One screen for somebody who has never been here."""
    benchmark = first_benchmark()
    context: dict[str, Any] = {"news": _news(), "benchmark": benchmark}
    if benchmark is not None:
        context |= _leaders(loading.current(benchmark, pages.version_of(request)))
    return render(request, "leaderboard/home.html", context)


def first_benchmark() -> Benchmark | None:
    """The current version of the first suite that is loaded here."""
    current = {one.suite: one for one in Benchmark.objects.current().order_by("pk")}
    known = [current[suite.slug] for suite in SUITES if suite.slug in current]
    return next(iter(known or current.values()), None)


def _leaders(board: Board) -> dict[str, Any]:
    view = tables.view_of(board, boards.OVERALL)
    sheet = sheets.sheet(board, view, forms.Chosen())
    main = next(index for index, one in enumerate(view.columns) if one.key == sheet.main)
    leaders = [(line, line.cells[main]) for line in sheet.shown[:LEADERS]]
    return {
        "board": board,
        "leaders": leaders,
        "main": view.columns[main],
        "ranked": sheet.ranked,
        "total": sheet.total,
        "questions": board.questions,
    }


def _news() -> Sequence[News]:
    """What was published last: runs, snapshots, benchmark versions."""
    found = [*_published_runs(), *_snapshots(), *_versions()]
    return sorted(found, key=lambda one: one.when, reverse=True)[:NEWS]


def _published_runs() -> Iterator[News]:
    public = policy.visible_runs(AnonymousUser()).filter(counts=True)
    runs = public.select_related("entry__card", "entry__benchmark")
    for run in runs.order_by("-published_at", "-pk")[:NEWS]:
        card, benchmark = run.entry.card, run.entry.benchmark
        mode = run.entry.get_mode_display()
        if run.published_at is not None:
            link = reverse("model", args=[card.slug])
            text = f"({mode}) published on {benchmark.title}: {run.n:,} cases."
            yield News(run.published_at, card.name, link, text)


def _snapshots() -> Iterator[News]:
    for snapshot in Snapshot.objects.select_related("benchmark").order_by("-created_at")[:NEWS]:
        link = reverse("standings", args=[snapshot.benchmark.slug])
        text = f"figures of {_day(snapshot.date)}, as its authors published them, were taken in."
        yield News(snapshot.created_at, snapshot.benchmark.title, link, text)


def _versions() -> Iterator[News]:
    for benchmark in Benchmark.objects.order_by("-created_at")[:NEWS]:
        link = reverse("standings", args=[benchmark.slug])
        may_run = benchmark.categories.filter(unavailable="").exists()
        text = f"{benchmark.version} was loaded: new runs are made on it."
        if not may_run:
            text = "was loaded for published tables; no runs are made on it."
        yield News(benchmark.created_at, benchmark.title, link, text)


def _day(when: date) -> str:
    return f"{when.day} {datetime.combine(when, time(), UTC):%B %Y}"
