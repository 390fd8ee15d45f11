"""Rows in, Plotly figures out, as plain dicts. Pure.

Colours are left to the page: traces carry a place in the colourway, and static/js/plots.js picks
the theme's template. Names are foreign text, so what Plotly would read as markup is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from html import escape
from typing import Any

from leaderboard.ranking import Figure
from leaderboard.text import make_visible

FONT = {"family": "Archivo, system-ui, sans-serif", "size": 12}
CLEAR = "rgba(0,0,0,0)"
MARKERS = ("circle", "square", "triangle-up", "diamond")
ROW_HEIGHT = 26  # pixels a category takes in a profile
MARGINS = 96  # pixels above and below the rows: axis, legend
HISTORY_HEIGHT = 300
CONFIG = {"displayModeBar": False, "responsive": True, "scrollZoom": False}


@dataclass(frozen=True, slots=True)
class Series:
    """One entry in a chart: its name as foreign text, and its figures by category."""

    name: str
    figures: Mapping[str, Figure]


def safe(text: str) -> str:
    """Foreign text for Plotly, which reads a subset of HTML in labels."""
    return escape(make_visible(text), quote=False)


def _template(
    ink: str, lines: tuple[str, str], hover: tuple[str, str], area: str, colours: str
) -> dict[str, Any]:
    line, grid = lines
    axis = {
        "gridcolor": grid,
        "linecolor": line,
        "zeroline": False,
        "ticks": "",
        "automargin": True,
    }
    return {
        "layout": {
            "font": FONT | {"color": ink},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "colorway": colours.split(),
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"bgcolor": hover[0], "bordercolor": line, "font": {"color": hover[1]}},
            "hovermode": "closest",
            "treemapcolorway": [area],
            "extendtreemapcolors": False,
            "uniformtext": {"minsize": 10, "mode": "hide"},
        }
    }


THEMES = {
    "light": _template(
        "#474c52",
        ("#7f857f", "#e2e4e0"),
        ("#ffffff", "#16181b"),
        "#e8a796",
        "#16181b #0072b2 #b83f00 #007f5f #8a2663 #a98500 #5a3fc0 #878e96",
    ),
    "dark": _template(
        "#b9bfc4",
        ("#727a82", "#2a2f34"),
        ("#1f2327", "#eef0ee"),
        "#8f5344",
        "#eef0ee #56b4e9 #ff8f43 #2fcf9f #f0a9d4 #f7d25c #9a83ff #868f98",
    ),
}


# Looks that no colourway has: what a trace's `look` names. See static/js/plots.js.
LOOKS = {
    "light": {
        "others": {"marker": {"color": "#a9aea8"}},
        "front": {"marker": {"color": "#16181b"}, "line": {"color": "#16181b", "width": 1.5}},
        "verified": {"marker": {"color": "#ffc400", "line": {"color": "#16181b", "width": 1.5}}},
    },
    "dark": {
        "others": {"marker": {"color": "#5a6168"}},
        "front": {"marker": {"color": "#eef0ee"}, "line": {"color": "#eef0ee", "width": 1.5}},
        "verified": {"marker": {"color": "#ffc400", "line": {"color": "#eef0ee", "width": 1.5}}},
    },
}


def figure_of(data: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> dict[str, Any]:
    """Everything a page needs to draw one chart in either theme."""
    return {"data": list(data), "layout": dict(layout), "config": CONFIG, "themes": THEMES} | {
        "looks": LOOKS
    }


def marker(index: int) -> str:
    """Shapes before colours: four filled, then the same four open."""
    return MARKERS[index % 4] + ("-open" if index % 8 >= 4 else "")


def profile(titles: Mapping[str, str], series: Sequence[Series]) -> dict[str, Any]:
    """Percent correct by category, one row each, with 95 % intervals; first category on top."""
    rows = {name: index for index, name in enumerate(titles)}
    data = [_profile_trace(rows, one, index) for index, one in enumerate(series)]
    labels = [safe(title) for title in titles.values()]
    layout = {
        "height": profile_height(len(titles)),
        "margin": {"l": 8, "r": 16, "t": 8, "b": 40},
        "showlegend": len(series) > 1,
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        "xaxis": {
            "range": [-1, 100],  # a marker at 0 does not stand on its label
            "dtick": 20,
            "title": {"text": "percent correct", "font": {"size": 12}},
        },
        "yaxis": {
            "tickmode": "array",
            "tickvals": list(rows.values()),
            "ticktext": labels,
            "range": [len(rows) - 0.5, -0.5],
        },
    }
    return figure_of(data, layout)


def profile_height(categories: int) -> int:
    """Height in pixels, known before the chart is drawn so that the page does not jump."""
    return ROW_HEIGHT * categories + MARGINS


def _profile_trace(rows: Mapping[str, int], one: Series, index: int) -> dict[str, Any]:
    known = {
        name: figure
        for name, figure in one.figures.items()
        if figure.value is not None and figure.interval is not None and name in rows
    }
    values = [100 * (figure.value or 0.0) for figure in known.values()]
    bounds = [figure.interval or (0.0, 0.0) for figure in known.values()]
    pairs = list(zip(values, bounds, strict=True))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": safe(one.name),
        "x": [round(value, 4) for value in values],
        # Entries of one category stand a little apart, so that their whiskers can be told apart.
        "y": [rows[name] + 0.18 * index for name in known],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [round(100 * high - value, 4) for value, (_, high) in pairs],
            "arrayminus": [round(value - 100 * low, 4) for value, (low, _) in pairs],
            "thickness": 2,
            "width": 0,
        },
        "marker": {"size": 9, "symbol": marker(index)},
        "customdata": [
            [figure.n, round(100 * low, 1), round(100 * high, 1)]
            for figure, (low, high) in zip(known.values(), bounds, strict=True)
        ],
        "hovertemplate": "%{x:.1f} % (%{customdata[1]}–%{customdata[2]}), n = %{customdata[0]}"
        "<extra></extra>",
    }


def history(
    points: Mapping[str, Sequence[tuple[date | datetime, float]]],
) -> dict[str, Any]:
    """A figure over time, a line per entry; values are fractions."""
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": safe(name),
            "x": [when.strftime("%Y-%m-%d") for when, _ in series],
            "y": [round(100 * value, 4) for _, value in series],
            "line": {"width": 2},
            "marker": {"size": 8, "symbol": marker(index)},
            "hovertemplate": "%{x}: %{y:.1f} %<extra></extra>",
        }
        for index, (name, series) in enumerate(points.items())
    ]
    layout = {
        "height": HISTORY_HEIGHT,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 36},
        "showlegend": len(points) > 1,
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        "xaxis": {"type": "date", "tickformat": "%b %Y", "dtick": f"M{_months_between(points)}"},
        "yaxis": {"title": {"text": "percent", "font": {"size": 12}}},
    }
    return figure_of(data, layout)


def _months_between(points: Mapping[str, Sequence[tuple[date | datetime, float]]]) -> int:
    """Months from one tick to the next: at most about eight ticks, none of them twice."""
    days = [when.toordinal() for series in points.values() for when, _ in series]
    months = (max(days) - min(days)) / 30.4 if days else 0
    return next((step for step in (1, 2, 3, 6) if months <= 8 * step), 12)
