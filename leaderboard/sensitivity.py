"""How much every entry's accuracy hangs on the format it is asked in, the steadiest first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from evaluation.benchmarks.bfcl_published.layouts import FORMAT_SENSITIVITY as TABLE
from evaluation.benchmarks.bfcl_published.layouts import format_configurations
from evaluation.benchmarks.bfcl_v4.sensitivity import Sensitivity
from evaluation.engine.outcomes import Tally
from evaluation.models import Benchmark, CategoryScore, Entry, Run, Scoring, Snapshot
from evaluation.services import past
from evaluation.services.exporting import spread_of

CATEGORY = "format_sensitivity"


@dataclass(frozen=True, slots=True)
class Line:
    """One entry: its spread in points, its formats' accuracies, and where they come from."""

    entry: Entry
    spread: Sensitivity
    n: int  # cases
    run: int | None
    on: date | None
    max_delta: float  # of a published row, as printed
    deviation: float

    @property
    def best(self) -> float:
        return max(self.spread.accuracies.values())

    @property
    def worst(self) -> float:
        return min(self.spread.accuracies.values())

    @property
    def mean(self) -> float:
        values = self.spread.accuracies.values()
        return sum(values) / len(values)

    @property
    def worst_format(self) -> str:
        return in_words(min(self.spread.accuracies.items(), key=lambda pair: pair[1])[0])

    @property
    def order(self) -> tuple[float, float, int]:
        """The least sensitive first; ties by deviation, then by age of the entry."""
        return self.max_delta, self.deviation, self.entry.pk


def lines(benchmark: Benchmark, snapshot: Snapshot | None) -> list[Line]:
    """Every entry with a spread, the least sensitive first."""
    found = [*_of_runs(benchmark), *(_of_snapshot(snapshot) if snapshot else ())]
    return sorted(found, key=lambda line: line.order)


def spreads(benchmark: Benchmark, as_of: date | None = None) -> Mapping[int, Sensitivity]:
    """The spread of every entry with a published run of it, now or by the end of a day.

    By the entry's primary key.
    """
    return {line.entry.pk: line.spread for line in _of_runs(benchmark, as_of)}


def in_words(form: str) -> str:
    """``ret_fmt=json&…`` as a reader may take it in: what differs, without the names."""
    parts = dict(part.split("=", 1) for part in form.split("&") if "=" in part)
    tag = "with call tag" if parts.get("tool_call_tag") == "True" else "no call tag"
    words = [
        f"answer as {parts.get('ret_fmt', '?').replace('_', ' ')}",
        tag,
        f"functions as {parts.get('func_doc_fmt', '?')}",
        f"{parts.get('prompt_fmt', '?')}, {parts.get('style', '?')}",
    ]
    return ", ".join(words)


def _of_runs(benchmark: Benchmark, as_of: date | None = None) -> Iterator[Line]:
    """The newest published whole run of the category, of each entry."""
    scores = (
        CategoryScore.objects.filter(
            category__benchmark=benchmark,
            category__name=CATEGORY,
            scoring__in=_scorings(benchmark, as_of),
        )
        .select_related("scoring__run__entry__card")
        .order_by("-scoring__run__published_at", "-pk")
    )
    seen: set[int] = set()
    for score in scores:
        assert score.scoring is not None
        run = score.scoring.run
        tally = Tally(score.n, score.correct or 0, score.wrong or 0, score.unscored or 0)
        if run.entry_id in seen or not tally.is_ranked:
            continue
        spread = spread_of(score.scoring.pk)
        if spread is not None:
            seen.add(run.entry_id)
            day = run.published_at.date() if run.published_at else None
            yield Line(run.entry, spread, score.n, run.pk, day, spread.max_delta, spread.deviation)


def _scorings(benchmark: Benchmark, as_of: date | None) -> QuerySet[Scoring]:
    """What is shown of public runs, now or as it was at the end of a day."""
    public = Run.objects.counting().filter(entry__benchmark=benchmark)
    if as_of is None:
        return Scoring.objects.filter(is_current=True, run__in=public)
    before = past.end_of(as_of)
    runs = public.filter(published_at__lt=before).values_list("pk", flat=True)
    return Scoring.objects.filter(pk__in=past.scorings_of(benchmark, runs, before).values())


def _of_snapshot(snapshot: Snapshot) -> Iterator[Line]:
    for row in snapshot.rows.select_related("entry__card"):
        printed = json.loads(row.figures).get(TABLE, {})
        shares = {form: printed.get(f"Config {form}", "") for form in format_configurations()}
        delta = printed.get("Format Sensitivity Max Delta", "N/A")
        deviation = printed.get("Format Sensitivity Standard Deviation", "N/A")
        known = {form: float(text[:-1]) / 100 for form, text in shares.items() if _is_share(text)}
        if "N/A" not in (delta, deviation) and known:
            yield Line(
                row.entry,
                Sensitivity(known),
                0,
                None,
                snapshot.date,
                float(delta),
                float(deviation),
            )


def _is_share(text: str) -> bool:
    return text.endswith("%")
