"""How a run comes to be: everything or nothing, under a configuration frozen there and then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from evaluation import tasks
from evaluation.benchmarks import suite as find_suite
from evaluation.benchmarks.suite import BenchmarkMissing
from evaluation.models import (
    Benchmark,
    Case,
    Category,
    CategoryScore,
    Endpoint,
    Entry,
    Erratum,
    Evidence,
    Run,
    RunEvent,
    Scoring,
    Slice,
)
from evaluation.runner import configuration
from evaluation.runner.stretches import in_force

CLIENT_VERSION = "1"  # raised when questions, or the reading of replies, change
TEXTS = ("question", "answer")  # of a case: not needed to schedule it
CASES_PER_SLOT = 4  # cases of a slice per request in flight


class CannotSchedule(Exception):
    """What was asked for cannot be run; the message says why and what to do."""


@transaction.atomic
def schedule(  # noqa: PLR0913  all but two are options
    endpoint: Endpoint,
    *,
    benchmark: Benchmark,
    categories: Sequence[str] | None = None,
    owner: User | None = None,
    share_key: str = "",
    counts: bool = True,
    cases: Sequence[int] | None = None,
    is_local: bool = False,
) -> Run:
    """Queue a run of an endpoint on a benchmark.

    Args:
        endpoint: Whom to ask; its settings are copied into the run's frozen configuration.
        benchmark: The version to ask.
        categories: Names; by default every category that can be asked in the endpoint's mode.
        owner: Who may see and control the run.
        share_key: Runs with the same key share the workers as one.
        counts: Whether the run may ever be shown on a board.
        cases: Primary keys, to ask these only; such a run never counts.
        is_local: Whether a command drives the run itself; workers then leave it alone.

    Raises:
        CannotSchedule: A category or case does not exist or cannot be asked, or a setting of this
            machine asks for what is not installed.
    """
    chosen = choose_categories(benchmark, endpoint.mode, categories)
    rows = _choose_cases(chosen, cases)
    entry, _ = Entry.objects.get_or_create(
        card=endpoint.card, benchmark=benchmark, mode=endpoint.mode, evidence=Evidence.VERIFIED
    )
    text, digest = configuration.freeze(_configuration(endpoint, benchmark, chosen))
    excluded = _excluded(benchmark)
    run = Run.objects.create(
        entry=entry,
        endpoint=endpoint,
        owner=owner,
        configuration=text,
        configuration_sha256=digest,
        share_key=share_key,
        n=sum(row.pk not in excluded for row in rows),
        counts=counts and cases is None,
        is_local=is_local,
    )
    run.categories.set(chosen)
    RunEvent.objects.create(run=run, to_state=run.state, reason="Scheduled.")
    _open_scoring(run, benchmark, rows, excluded)
    cut(run, rows, endpoint.in_flight)
    if not is_local:
        transaction.on_commit(partial(tasks.hint_run, run.pk))
    return run


def choose_categories(
    benchmark: Benchmark, mode: str, names: Iterable[str] | None = None
) -> list[Category]:
    """Categories by name, in the benchmark's order. Raises CannotSchedule."""
    known = {row.name: row for row in benchmark.categories.order_by("position")}
    if names is None:
        chosen = [row for row in known.values() if can_be_asked(row, mode) and not row.is_extra]
    else:
        chosen = [_one_category(name, known, mode) for name in dict.fromkeys(names)]
        chosen.sort(key=lambda row: row.position)
    if not chosen:
        raise CannotSchedule(f"{benchmark} has no category that can be asked in {mode} mode.")
    return chosen


def can_be_asked(category: Category, mode: str) -> bool:
    return not category.unavailable and mode in category.modes


def _one_category(name: str, known: dict[str, Category], mode: str) -> Category:
    category = known.get(name)
    if category is None:
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."
        raise CannotSchedule(f"There is no category “{name}”: {hint}")
    if category.unavailable:
        raise CannotSchedule(f"{name} cannot be run here: {category.unavailable}")
    if mode not in category.modes:
        raise CannotSchedule(
            f"{name} can be asked in {' and '.join(category.modes)} mode only, not in {mode} mode."
        )
    return category


def _choose_cases(chosen: Sequence[Category], cases: Sequence[int] | None) -> list[Case]:
    rows = Case.objects.filter(category__in=chosen, is_prerequisite=False).defer(*TEXTS)
    if cases is not None:
        rows = rows.filter(pk__in=cases)
    found = list(rows.order_by("category__position", "position"))
    if not found or (cases is not None and len(found) != len(set(cases))):
        raise CannotSchedule("Some of these cases do not belong to the chosen categories.")
    return found


def _configuration(
    endpoint: Endpoint, benchmark: Benchmark, chosen: Sequence[Category]
) -> dict[str, Any]:
    """Everything that can make a figure differ, and no secret. Prices are text: exact."""
    return {
        "benchmark": benchmark.suite,
        "benchmark_version": benchmark.version,
        "benchmark_digest": benchmark.digest,
        "scorer_version": find_suite(benchmark.suite).scorer_version,
        "client_version": CLIENT_VERSION,
        "categories": [category.name for category in chosen],
        "mode": endpoint.mode,
        "underscore": endpoint.underscore,
        "profile": find_suite(benchmark.suite).profiles[0],
        "options": _options(benchmark, chosen),
        "base_url": endpoint.base_url,
        "remote_model": endpoint.remote_model,
        "auth_header": endpoint.auth_header,
        "api_version": endpoint.api_version,
        "parameters": endpoint.parameters,
        "reasoning_end": endpoint.reasoning_end,
        "in_flight": endpoint.in_flight,
        "timeout": endpoint.timeout,
        "price_in": None if endpoint.price_in is None else str(endpoint.price_in),
        "price_out": None if endpoint.price_out is None else str(endpoint.price_out),
    }


def _options(benchmark: Benchmark, chosen: Sequence[Category]) -> dict[str, Any]:
    """Settings of this machine that verdicts hang on. Raises CannotSchedule."""
    try:
        options = dict(find_suite(benchmark.suite).options())
    except BenchmarkMissing as missing:
        raise CannotSchedule(str(missing)) from missing
    return options | ({"web": settings.CALLBOARD_WEB} if _uses_the_web(chosen) else {})


def _uses_the_web(chosen: Sequence[Category]) -> bool:
    return any(category.name.startswith("web_search") for category in chosen)


def answers_version(benchmark: Benchmark) -> int:
    """The newest version of a benchmark's accepted answers; 1 while nothing was corrected."""
    errata = Erratum.objects.filter(case__category__benchmark=benchmark)
    return errata.aggregate(last=Max("answers_version"))["last"] or 1


def _excluded(benchmark: Benchmark) -> set[int]:
    """Cases that are asked, but leave n in the profile that runs are judged in first."""
    errata = in_force(answers_version(benchmark), find_suite(benchmark.suite).profiles[0])
    out = errata.filter(case__category__benchmark=benchmark, is_excluded=True)
    return set(out.values_list("case_id", flat=True))


def _open_scoring(
    run: Run, benchmark: Benchmark, rows: Sequence[Case], excluded: Collection[int]
) -> None:
    """`rows` are the cases asked; a category counts none where all of its are excluded."""
    suite = find_suite(benchmark.suite)
    scoring = Scoring.objects.create(
        run=run,
        scorer_version=suite.scorer_version,
        answers_version=answers_version(benchmark),
        profile=suite.profiles[0],
    )
    sizes = Counter(dict.fromkeys((row.category_id for row in rows), 0))
    sizes.update(row.category_id for row in rows if row.pk not in excluded)
    CategoryScore.objects.bulk_create(
        CategoryScore(scoring=scoring, category_id=category, n=n, correct=0, wrong=0, unscored=0)
        for category, n in sizes.items()
    )


def fair_order(rows: Sequence[Case]) -> list[Case]:
    """Cases so that every prefix holds about the same share of every category.

    Within a category dataset order stays. `rows` come in dataset order.
    """
    places: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for row in rows:
        sizes[row.category_id] = sizes.get(row.category_id, 0) + 1

    def share(row: Case) -> float:
        place = places.get(row.category_id, 0)
        places[row.category_id] = place + 1
        return (place + 0.5) / sizes[row.category_id]

    shares = [share(row) for row in rows]
    order = sorted(range(len(rows)), key=shares.__getitem__)
    return [rows[index] for index in order]


def cut(run: Run, rows: Sequence[Case], in_flight: int, first: int = 1) -> None:
    """Slices of these cases in fair order, numbered from `first` on.

    A chain stays together, with its prerequisites before it, even where it exceeds the size.
    """
    size = CASES_PER_SLOT * in_flight
    slices: list[list[int]] = [[]]
    for block in _blocks(fair_order(rows)):
        if slices[-1] and len(slices[-1]) + len(block) > size:
            slices.append([])
        slices[-1] += block
    Slice.objects.bulk_create(
        Slice(run=run, number=number, cases=cases)
        for number, cases in enumerate(slices, start=first)
        if cases
    )


def _blocks(rows: Sequence[Case]) -> Iterable[list[int]]:
    """Primary keys that must stay in one slice: a case, or a whole chain at its first case."""
    chains: dict[tuple[int, str], list[int]] = {}
    for row in rows:
        if row.chain:
            chains.setdefault((row.category_id, row.chain), []).append(row.pk)
    for row in rows:
        if not row.chain:
            yield [row.pk]
        elif dependents := chains.pop((row.category_id, row.chain), None):
            before = Case.objects.filter(
                category=row.category_id, chain=row.chain, is_prerequisite=True
            )
            yield [*before.order_by("position").values_list("pk", flat=True), *dependents]
