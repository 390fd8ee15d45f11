"""Charts of a whole board, and of where answers go wrong. Pure; looks are those of `charts`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from evaluation.models import Evidence
from leaderboard.charts import CLEAR, figure_of, safe
from leaderboard.plots import Failing, Point, labels

LONGEST_TICK = 34  # characters of a name beside an axis
AXIS, LETTER = 90, 6.6  # pixels that axis and margins take, and one letter of a name
APART = {"ticks": "outside", "ticklen": 6, "tickcolor": CLEAR}  # keeps two axes' 0 apart
FAULT_MAP_HEIGHT = 360
AXES = {"cost": "US$ for a whole run (log)", "latency": "mean seconds a reply (log)"}
SCATTER_HEIGHT = 420
FAULT_ROW_HEIGHT = 34
FAULTS_DRAWN = 7  # one colour is left for all others


def against(found: Sequence[Point], fact: str, title: str) -> dict[str, Any]:
    """A figure against cost or latency: the stepped front, the others grey, verified in yellow."""
    front = [one for one in found if one.is_on_front]
    verified = [one for one in found if one.row.evidence == Evidence.VERIFIED]
    ours = {one.row.entry for one in verified}
    groups = (
        ("others", [one for one in found if not one.is_on_front and one.row.entry not in ours], 7),
        ("front", [one for one in front if one.row.entry not in ours], 8),
        ("verified", verified, 10),
    )
    line = {
        "type": "scatter",
        "mode": "lines",
        "look": "front",
        "x": [one.x for one in front],
        "y": [round(100 * one.value, 4) for one in front],
        "line": {"shape": "hv"},
        "hoverinfo": "skip",
    }
    data = [line, *(_dots(points, look, size, fact) for look, points, size in groups if points)]
    layout = {
        "height": SCATTER_HEIGHT,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 40},
        "showlegend": False,
        "xaxis": {
            "type": "log",
            "title": {"text": AXES[fact], "font": {"size": 12}},
            **log_axis([one.x for one in found]),
            **APART,
        },
        "yaxis": {"rangemode": "tozero", "title": {"text": f"{safe(title)}, percent"}, **APART},
        "annotations": list(_annotations(found, front)),
    }
    return figure_of(data, layout)


def _annotations(found: Sequence[Point], front: Sequence[Point]) -> Iterator[dict[str, Any]]:
    """Names beside dots of the front: left above, where it leaves room; of the cheapest below.

    `needs` is the width in pixels at which a name stays clear of the axis; static/js/plots.js
    leaves it out of narrower plots.
    """
    names = labels([one.row for one in front])
    low, high = log10(min(one.x for one in found)), log10(max(one.x for one in found))
    for one in _labelled(front):
        name, is_first = names[one.row.entry], one is front[0]
        share = (log10(one.x) - low) / (high - low) if high > low else 1.0
        room = 1.0 if is_first else max(share, 0.01)
        yield {
            "x": log10(one.x),
            "y": round(100 * one.value, 4),
            "text": safe(name),
            "showarrow": False,
            "xanchor": "left" if is_first else "right",
            "yanchor": "top" if is_first else "bottom",
            "xshift": -6 if is_first else -4,
            "yshift": -4 if is_first else 0,
            "needs": round(AXIS + LETTER * len(name) / room),
        }


def log_axis(values: Sequence[float]) -> dict[str, Any]:
    """1, 3, 10, 30 …: what can be read on a logarithmic axis."""
    powers = range(floor(log10(min(values))) - 1, ceil(log10(max(values))) + 2)
    ticks = [digit * 10.0**power for power in powers for digit in (1, 3)]
    axis = {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{one:g}" for one in ticks]}
    low, high = min(values), max(values)
    if sum(low <= tick <= high for tick in ticks) < 2:  # too close together to be read by
        around = max(tick for tick in ticks if tick < low), min(t for t in ticks if t > high)
        axis["range"] = [log10(tick) for tick in around]
    return axis


def _labelled(front: Sequence[Point]) -> Sequence[Point]:
    """The front's end and its start, and what lies between as far as names have room."""
    kept: list[Point] = []
    for one in (*front[-1:], *front[:1], *reversed(front[1:-1])):
        if all(abs(one.value - other.value) > 0.06 for other in kept):
            kept.append(one)
    return kept[:5]


def _dots(found: Sequence[Point], look: str, size: int, fact: str) -> dict[str, Any]:
    unit = "$%{x:.2f}" if fact == "cost" else "%{x:.2f} s"
    return {
        "type": "scatter",
        "mode": "markers",
        "look": look,
        "x": [one.x for one in found],
        "y": [round(100 * one.value, 4) for one in found],
        "marker": {"size": size},
        "text": [safe(f"{one.row.name} ({one.row.mode_title})") for one in found],
        "hovertemplate": "%{text}<br>%{y:.1f} %, " + unit + "<extra></extra>",
    }


def fault_bars(titles: Mapping[str, str], failing: Sequence[Failing]) -> dict[str, Any]:
    """Wrong answers in percent of all cases, a bar for each entry, stacked by fault.

    `titles` come with the most frequent fault first; the rarest share one part.
    """
    places = list(range(len(failing)))
    drawn = list(titles.items())[:FAULTS_DRAWN]
    parts = [(title, [one.share(fault) for one in failing]) for fault, title in drawn]
    rest = [fault for fault in titles if fault not in dict(drawn)]
    if rest:
        parts.append(("Other faults", [sum(map(one.share, rest)) for one in failing]))
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": safe(title),
            "y": places,
            "x": [round(100 * share, 3) for share in shares],
            "hovertemplate": safe(title) + ": %{x:.1f} %<extra></extra>",
        }
        for title, shares in parts
    ]
    names = [safe(_shortened(f"{one.row.name} ({one.row.mode_title})")) for one in failing]
    layout = {
        "height": fault_bars_height(len(failing)),
        "barmode": "stack",
        "bargap": 0.35,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 40},
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        "xaxis": {"title": {"text": "percent of all cases", "font": {"size": 12}}},
        "yaxis": {
            "tickmode": "array",
            "tickvals": places,
            "ticktext": names,
            "range": [len(failing) - 0.5, -0.5],
        },
    }
    return figure_of(data, layout)


def fault_bars_height(entries: int) -> int:
    """On a phone the legend is a list, and may take no more than half of the height."""
    return max(FAULT_ROW_HEIGHT * entries + 160, 340)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_TICK else name[: LONGEST_TICK - 1] + "…"


def fault_map(faults: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Wrong answers as areas: fault by fault, inside by category. `{fault: {category: count}}`."""
    labels, parents, values, ids = [], [], [], []
    for fault, categories in faults.items():
        labels.append(safe(fault))
        parents.append("")
        ids.append(fault)
        values.append(sum(categories.values()))
        for category, count in categories.items():
            labels.append(safe(category))
            parents.append(fault)
            ids.append(f"{fault}/{category}")
            values.append(count)
    trace = {
        "type": "treemap",
        "ids": ids,
        "labels": labels,
        "parents": parents,
        "values": values,
        "branchvalues": "total",
        "tiling": {"pad": 2},
        "marker": {"pad": {"t": 22, "l": 4, "r": 4, "b": 4}},
        "hovertemplate": "%{label}: %{value}<extra></extra>",
        "texttemplate": "%{label}<br>%{value}",
        "pathbar": {"visible": False},
    }
    layout = {"height": FAULT_MAP_HEIGHT, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}}
    return figure_of([trace], layout)
