"""A board as pictures: score against cost and latency, faults, figures over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.models import Benchmark
from leaderboard import board_charts, charts, loading, pages, plots, sheets, tables
from leaderboard.boards import OVERALL, RUNNABLE, Board, Standing
from leaderboard.forms import ALL_PAGES
from leaderboard.tables import View
from leaderboard.views.plotly import STYLES_OF_MAPS

FACTS = {"cost": "cost", "latency": "latency"}


@require_safe
@csp_update({"style-src": [STYLES_OF_MAPS]})  # type: ignore[arg-type]  # its hints know no arguments
@pages.shared
def board_plots(request: HttpRequest, slug: str) -> HttpResponse:
    """The plots of one view of a board; filters apply as on its table."""
    benchmark = get_object_or_404(Benchmark, slug=slug)
    which = loading.asked(request.GET, benchmark)
    board = loading.current(benchmark, pages.version_of(request), which)
    # A plot has no columns, no order and no pages.
    chosen = replace(sheets.choice(request.GET, board), sort="", cols="", page="")
    query = chosen.query()
    if query != request.META.get("QUERY_STRING", ""):
        return HttpResponseRedirect(request.path + (f"?{query}" if query else ""))
    view = tables.view_of(board, chosen.view)
    every = sheets.sheet(board, view, replace(chosen, page=ALL_PAGES))
    standings = [line.standing for line in every.shown]
    context = _context(board, view, standings) | {
        "benchmark": benchmark,
        "board": board,
        "view": view,
        "chosen": chosen,
        "tabs": [(tab, chosen.query(view=_key(tab))) for tab in view.tabs],
        "members": [(tab, chosen.query(view=_key(tab))) for tab in view.members],
        "table_query": query,
    }
    return render(request, "leaderboard/plots.html", context)


def _key(tab: tables.Tab) -> str:
    return "" if tab.key == OVERALL else tab.key


def _context(board: Board, view: View, standings: list[Standing]) -> dict[str, Any]:
    main = board.main(view.key)
    title = "Overall (runnable)" if main == RUNNABLE else view.title
    titles, failing = plots.faults(board, standings)
    past = plots.past(board, view.key, standings)
    named = {f"{row.name} ({row.mode_title})": series for row, series in past}
    return {
        "title": title,
        "scatters": list(_scatters(board, main, title, standings)),
        "faults": titles.items(),
        "failing": [(one, [one.counts.get(fault, 0) for fault in titles]) for one in failing],
        "fault_chart": board_charts.fault_bars(titles, failing) if titles else None,
        "fault_height": board_charts.fault_bars_height(len(failing)),
        "past": past,
        "past_chart": charts.history(
            {name: [(one.day, one.value) for one in series] for name, series in named.items()}
        ),
        "scatter_height": board_charts.SCATTER_HEIGHT,
    }


def _scatters(
    board: Board, main: str, title: str, standings: list[Standing]
) -> Iterator[dict[str, Any]]:
    for fact, word in FACTS.items():
        found = plots.points(board, main, (one.row for one in standings), fact)
        if found:
            figure = board_charts.against(found, fact, title)
            yield {"fact": fact, "word": word, "points": found, "figure": figure}
