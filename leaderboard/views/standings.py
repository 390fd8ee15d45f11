"""Standings of a benchmark version: one page, its fragment for htmx, its exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.models import Benchmark, ColumnSet, Evidence
from leaderboard import (
    boards,
    flat,
    formats,
    forms,
    loading,
    pages,
    plots,
    scatter,
    sheets,
    tables,
)
from leaderboard.boards import Board
from leaderboard.formats import Format
from leaderboard.forms import ALL_PAGES, Chosen
from leaderboard.sheets import Sheet
from leaderboard.tables import View
from leaderboard.templatetags.scores import day
from leaderboard.views.home import first_benchmark


@require_safe
def all_boards(request: HttpRequest) -> HttpResponse:
    """Lead to the board of the first suite that is loaded here."""
    benchmark = first_benchmark()
    if benchmark is None:
        return render(request, "leaderboard/no_board.html")
    query = request.GET.urlencode()
    return redirect(reverse("standings", args=[benchmark.slug]) + (f"?{query}" if query else ""))


@require_safe
@pages.shared
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """Every entry of one benchmark version, as the query string asks; htmx gets the fragment."""
    benchmark = get_object_or_404(Benchmark, slug=slug)
    which = loading.asked(request.GET, benchmark)
    board = loading.current(benchmark, pages.version_of(request), which)
    chosen = sheets.choice(request.GET, board)
    view = tables.view_of(board, chosen.view, chosen.columns)

    if wanted := formats.named(board, request.GET.get("format", "")):
        return _export(request, board, view, chosen, wanted)
    query = chosen.query()
    path = request.path + (f"?{query}" if query else "")
    is_fragment = _is_fragment(request)
    if not is_fragment and query != request.META.get("QUERY_STRING", ""):
        return HttpResponseRedirect(path)
    shown = sheets.sheet(board, view, chosen)
    context = page_context(board, view, chosen, shown)
    if not is_fragment:
        context |= _opening(board)
        context["others"] = Benchmark.objects.current().exclude(pk=benchmark.pk)
        context["profile_links"] = _profile_links(board, chosen)
        context["column_sets"] = _column_sets(board) if view.key == boards.OVERALL else []
    name = "_standings.html" if is_fragment else "standings.html"
    response = render(request, f"leaderboard/{name}", context)
    response["HX-Push-Url"] = path
    return response


def _is_fragment(request: HttpRequest) -> bool:
    """True for htmx, unless it restores a page from history and needs all of it."""
    headers = request.headers
    return bool(headers.get("HX-Request")) and not headers.get("HX-History-Restore-Request")


def _export(
    request: HttpRequest,
    board: Board,
    view: View,
    chosen: Chosen,
    wanted: Format,
) -> HttpResponse:
    """All pages of what is on the screen, as a file."""
    every_row = sheets.sheet(board, view, replace(chosen, page=ALL_PAGES))
    query = chosen.query(page="")
    address = request.build_absolute_uri(request.path + (f"?{query}" if query else ""))
    body = wanted.write(board, view, every_row, address)
    response = HttpResponse(body, content_type=wanted.content_type)
    day = f"-{chosen.as_of}" if chosen.as_of else ""
    name = f"{board.benchmark.slug}-{view.key}{day}{wanted.ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def page_context(board: Board, view: View, chosen: Chosen, shown: Sheet) -> dict[str, Any]:
    """What the standings templates need."""
    return {
        "benchmark": board.benchmark,
        "board": board,
        "view": view,
        "chosen": chosen,
        "sheet": shown,
        "columns": [_heading(chosen, shown, column, board) for column in view.columns],
        "notes": [
            (column.title, board.notes[column.key])
            for column in view.columns
            if column.key in board.notes
        ],
        "facts": [_heading(chosen, shown, column, board) for column in view.facts],
        "width": len(view.keys) + 2,
        "model_sort": sort_link(chosen, shown, "model", text=True),
        "tabs": [(tab, chosen.query(**_to_view(tab))) for tab in view.tabs],
        "members": [(tab, chosen.query(**_to_view(tab))) for tab in view.members],
        "pages": _pages(chosen, shown),
        "over": _spanning_heads(view),
        "unranked": shown.total - shown.ranked_total,
        "questions": board.questions,
        "askable": board.askable,
        **_controls(board, view, chosen),
    }


def _controls(board: Board, view: View, chosen: Chosen) -> dict[str, Any]:
    """What can be set above the table, and what is."""
    rows = board.rows
    return {
        "organisations": sorted({row.organisation for row in rows} - {""}, key=str.casefold),
        "modes": forms.MODES.items(),
        "evidence": [(value, title) for value, (title, _) in forms.EVIDENCE.items()],
        "filters": _filters(chosen),
        "formats": formats.of(board),
        "has_cost": any(row.cost is not None for row in rows),
        "has_latency": any(row.latency is not None for row in rows),
        "caps_set": sum(
            map(bool, (chosen.cost_max, chosen.latency_max, chosen.since, chosen.as_of))
        ),
        "column_menu": tables.choosable(board),
        "main": board.main(view.key),
        "plot_query": chosen.query(sort="", cols=""),
        "own_columns": chosen.query(cols=""),
        "plain_query": chosen.query(**dict.fromkeys(forms.FILTERS, ""), sort=""),
    }


def _opening(board: Board) -> dict[str, Any]:
    """What stands above the table: facts about the whole board, and score against cost."""
    main = board.main(boards.OVERALL)
    places = [one.place for one in board.standings(boards.OVERALL).values() if one.place]
    points = list(_points(board, main))
    return {
        "pictures": scatter.pictures(points),
        "main_title": "Overall" if main == boards.OVERALL else "Overall (runnable)",
        "any_verified": any(point.is_verified for point in points),
        "leading": sum(place.band == 0 for place in places),
        "verified": sum(row.evidence == Evidence.VERIFIED for row in board.rows),
        "newest": max(
            (sheets.day_shown(row) for row in board.rows if row.shown_since), default=None
        ),
    }


def _points(board: Board, main: str) -> Iterator[scatter.Point]:
    found = plots.points(board, main, board.rows, "cost")
    names = plots.labels([one.row for one in found if one.is_on_front])
    for one in found:
        is_verified = one.row.evidence == Evidence.VERIFIED
        name = names.get(one.row.entry, one.row.name)
        yield scatter.Point(name, one.x, one.value, is_verified)


def sort_link(chosen: Chosen, shown: Sheet, key: str, *, text: bool = False) -> dict[str, str]:
    """Where a column's heading leads: highest first, then the other way round.

    Text sorts from A first.
    """
    is_here = shown.sort_key == key
    descending = not shown.is_descending if is_here else not text
    sort = f"-{key}" if descending else key
    arrow = ("↓" if shown.is_descending else "↑") if is_here else ""
    return {
        "query": chosen.query(sort="" if sort == f"-{shown.main}" else sort),
        "aria": ("descending" if shown.is_descending else "ascending") if is_here else "",
        "arrow": arrow,
    }


def _to_view(tab: tables.Tab) -> dict[str, str]:
    """Filters travel to another view, which has columns of its own to show and to sort by."""
    return {"view": "" if tab.key == boards.OVERALL else tab.key, "sort": "", "cols": ""}


def _pages(chosen: Chosen, shown: Sheet) -> dict[str, str]:
    """Queries of the pages around the one shown; empty where there is none."""
    before, after = shown.page - 1, shown.page + 1
    return {
        "before": f"?{chosen.query(page=str(before) if before > 1 else '')}" if before else "",
        "after": f"?{chosen.query(page=str(after))}" if after <= shown.pages else "",
        "all": f"?{chosen.query(page=ALL_PAGES)}" if shown.pages > 1 else "",
    }


def _heading(chosen: Chosen, shown: Sheet, column: tables.Column, board: Board) -> dict[str, Any]:
    is_text = column.key in sheets.TEXT_SORTS
    return {
        "column": column,
        "ceiling": flat.ceiling(board.ceilings, column.key),
        **sort_link(chosen, shown, column.key, text=is_text),
    }


def _profile_links(board: Board, chosen: Chosen) -> list[tuple[str, str, bool]]:
    """Each way of judging: its name, the query that leads to it, and whether it is shown."""
    if len(board.profiles) < 2:
        return []
    usual, *others = board.profiles
    named = [(usual, ""), *((name, name) for name in others)]
    return [
        (name, chosen.query(profile=value, view="", sort="", cols=""), value == board.profile)
        for name, value in named
    ]


def _column_sets(board: Board) -> list[dict[str, Any]]:
    """Tables of papers with their lines as printed, each figure under its column.

    ROUGE-L is a footnote of the profiles that judge as papers did, never of the usual one.
    """
    if not board.brings_tables:
        return []
    sets = ColumnSet.objects.filter(benchmark=board.benchmark)
    return [
        {
            "slug": one.slug,
            "title": one.title,
            "source": one.source,
            "note": one.note,
            "columns": one.columns,
            "shown": [
                {
                    "name": line.name,
                    "slug": line.entry.card.slug,
                    "setting": line.setting,
                    "cells": [
                        (column["title"], f"{percent:.2f}", rouge if board.profile else None)
                        for column, (percent, rouge) in zip(one.columns, line.figures, strict=True)
                    ],
                }
                for line in one.lines.all()
            ],
        }
        for one in sets.prefetch_related("lines__entry__card")
    ]


def _spanning_heads(view: View) -> list[tuple[str, int]]:
    """Headings over several columns, with how many each spans; empty when there are none."""
    spans: list[tuple[str, int]] = []
    for column in view.columns:
        if spans and spans[-1][0] == column.over:
            spans[-1] = (column.over, spans[-1][1] + 1)
        else:
            spans.append((column.over, 1))
    return spans if any(title for title, _ in spans) else []


def _filters(chosen: Chosen) -> list[tuple[str, str]]:
    """Each filter that is set: what it is, and the query without it."""
    evidence = forms.EVIDENCE.get(chosen.evidence, ("", ()))[0]
    set_filters = [
        ("q", f"“{chosen.q}”"),
        ("org", chosen.org),
        ("evidence", evidence),
        ("mode", forms.MODES.get(chosen.mode, "")),
        ("open", "Open weights"),
        ("cost_max", f"cost ≤ ${chosen.cost_max}"),
        ("latency_max", f"latency ≤ {chosen.latency_max} s"),
        ("since", f"figures since {day(chosen.first_day)}"),
        ("as_of", f"as it stood on {day(chosen.past_day)}"),
    ]
    return [
        (title, chosen.query(**{name: ""})) for name, title in set_filters if getattr(chosen, name)
    ]
