"""Runs that a command drives itself: made from what was typed, worked on here and now."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone
from yarl import URL

from evaluation.benchmarks import SUITES
from evaluation.benchmarks.suite import Suite
from evaluation.client.endpoint import check_key, check_target, normalise_base_url
from evaluation.client.errors import AddressRefused
from evaluation.client.parameters import check_parameters
from evaluation.client.target import Target
from evaluation.engine.types import JSON
from evaluation.models import Benchmark, Case, Category, Endpoint, Mode, Run, Slice
from evaluation.models.endpoints import MAX_IN_FLIGHT, MAX_TIMEOUT
from evaluation.runner import process
from evaluation.runner.process import Terms
from evaluation.services import cards
from evaluation.services.scheduling import CannotSchedule, choose_categories, schedule

MAX_MODEL = 120  # characters: it becomes a model card's name
MAX_URL = 500
LOOK_EVERY = 0.2  # seconds between looks at the clock while a slice has to wait


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants evaluated, as typed."""

    base_url: str
    model: str
    mode: str = Mode.FC
    underscore: bool = True
    categories: Sequence[str] | None = None
    cases: Sequence[str] = ()
    limit: int | None = None  # cases of each category
    in_flight: int = 8
    timeout: int = 120  # seconds
    parameters: dict[str, JSON] = field(default_factory=dict)
    reasoning_end: str = ""
    key: str = ""

    @property
    def is_partial(self) -> bool:
        return bool(self.cases) or self.limit is not None


def check(wish: Wish) -> None:
    """Raises CannotSchedule with one sentence about the first thing that is wrong."""
    for problem in _problems(wish):
        raise CannotSchedule(problem)


def _problems(wish: Wish) -> list[str]:
    target = Target(wish.base_url, wish.model)
    problems = [*check_target(target), *check_key(wish.key, host_is_listed=True)]
    problems += check_parameters(wish.parameters)
    if len(wish.base_url) > MAX_URL or len(wish.model) > MAX_MODEL:
        problems.append(
            f"An address has at most {MAX_URL} characters, a model name at most {MAX_MODEL}."
        )
    if not 1 <= wish.in_flight <= MAX_IN_FLIGHT:
        problems.append(f"Requests in flight must be from 1 to {MAX_IN_FLIGHT}.")
    if not 1 <= wish.timeout <= MAX_TIMEOUT:
        problems.append(f"A request may take from 1 to {MAX_TIMEOUT} seconds.")
    if wish.limit is not None and wish.limit < 1:
        problems.append("The limit must be at least 1 case per category.")
    return problems


def host_of(base_url: str) -> str:
    """`host:port` as the guard lists it. Raises CannotSchedule."""
    try:
        url = URL(normalise_base_url(base_url))
    except (AddressRefused, ValueError) as refusal:
        raise CannotSchedule(str(refusal)) from refusal
    host = url.raw_host or ""
    return f"[{host}]:{url.port}" if ":" in host else f"{host}:{url.port}"


@transaction.atomic
def make_run(wish: Wish, benchmark: Benchmark) -> Run:
    """A run as wished, or nothing at all. Raises CannotSchedule."""
    chosen = _categories(wish, benchmark)
    cases = _cases(wish, chosen)
    endpoint = Endpoint.objects.create(
        card=cards.ownerless_card(wish.model),
        base_url=normalise_base_url(wish.base_url),
        remote_model=wish.model,
        mode=wish.mode,
        underscore=wish.underscore and wish.mode == Mode.FC,
        parameters=wish.parameters,
        reasoning_end=wish.reasoning_end,
        in_flight=wish.in_flight,
        timeout=wish.timeout,
    )
    return schedule(
        endpoint,
        benchmark=benchmark,
        categories=[category.name for category in chosen],
        share_key="command line",
        cases=cases,
        is_local=True,
    )


def _categories(wish: Wish, benchmark: Benchmark) -> list[Category]:
    if wish.categories is None and wish.cases:
        known = Category.objects.filter(benchmark=benchmark, cases__name__in=wish.cases)
        names: Sequence[str] | None = list(known.values_list("name", flat=True).distinct())
        if not names:
            raise CannotSchedule(_unknown_case(wish.cases[0], benchmark))
        return choose_categories(benchmark, wish.mode, names)
    return choose_categories(benchmark, wish.mode, wish.categories)


def _cases(wish: Wish, chosen: Sequence[Category]) -> list[int] | None:
    """Primary keys of the cases wished, None for whole categories. Raises CannotSchedule."""
    if not wish.is_partial:
        return None
    rows = Case.objects.filter(category__in=chosen, is_prerequisite=False)
    if wish.cases:
        rows = rows.filter(name__in=wish.cases)
        missing = set(wish.cases) - set(rows.values_list("name", flat=True))
        if missing:
            raise CannotSchedule(_unknown_case(min(missing), chosen[0].benchmark, chosen))
    elif wish.limit is not None:
        rows = rows.filter(position__lt=wish.limit)
    return list(rows.values_list("pk", flat=True))


def _unknown_case(
    name: str, benchmark: Benchmark, chosen: Sequence[Category] | None = None
) -> str:
    if chosen and Case.objects.filter(category__benchmark=benchmark, name=name).exists():
        names = ", ".join(category.name for category in chosen)
        return f"Case “{name}” is not in the chosen categories: {names}."
    return f"{benchmark} has no case “{name}”: case ids look like simple_python_0."


def drive(run: Run, terms: Terms, say: Callable[[str], None]) -> None:
    """Work on every slice until the run has ended, is paused, or the terms say stop."""
    for slice_id in list(run.slices.order_by("number").values_list("pk", flat=True)):
        _drive_slice(run, slice_id, terms, say)
        run.refresh_from_db()
        if not _goes_on(run) or terms.is_stopping():
            return


def _drive_slice(run: Run, slice_id: int, terms: Terms, say: Callable[[str], None]) -> None:
    """A slice may need several turns: a busy endpoint asks for patience now and then."""
    while not terms.is_stopping():
        _wait_for(slice_id, terms, say)
        process.here().work(slice_id, terms)
        run.refresh_from_db()
        row = Slice.objects.get(pk=slice_id)
        if row.state == Slice.State.DONE or not _goes_on(run):
            return
        time.sleep(LOOK_EVERY)


def _goes_on(run: Run) -> bool:
    return run.state in (Run.State.QUEUED, Run.State.RUNNING)


def _wait_for(slice_id: int, terms: Terms, say: Callable[[str], None]) -> None:
    due = Slice.objects.values_list("not_before", flat=True).get(pk=slice_id)
    if due is None or due <= timezone.now():
        return
    seconds = (due - timezone.now()).total_seconds()
    say(f"The endpoint asks us to wait for {seconds:.0f} s.")
    while timezone.now() < due and not terms.is_stopping():
        time.sleep(LOOK_EVERY)


def suite_named(slug: str) -> Suite:
    """Raises CannotSchedule."""
    for suite in SUITES:
        if suite.slug == slug:
            return suite
    known = ", ".join(suite.slug for suite in SUITES)
    raise CannotSchedule(f"There is no benchmark “{slug}”: known are {known}.")
