"""Bringing in results that somebody else produced: stored whole or not at all, then judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluation import tasks
from evaluation.benchmarks import suite as find_suite
from evaluation.benchmarks.bfcl_v4.manifest import Manifest
from evaluation.benchmarks.bfcl_v4.result_files import Results
from evaluation.benchmarks.bfcl_v4.result_lines import Result
from evaluation.engine.text import storable
from evaluation.models import (
    Benchmark,
    Case,
    Category,
    CategoryScore,
    Entry,
    Evidence,
    Mode,
    ModelCard,
    Reply,
    Run,
    RunEvent,
    Scoring,
    Verdict,
)
from evaluation.runner import configuration, scores, stretches
from evaluation.services.scheduling import answers_version

BATCH = 2000
NOTHING_LEFT_OUT = Manifest()
LEFT_OUT = "Left out of the upload, as its own manifest says: it was unscored there too."
NO_VERDICT_DUE = "The upload holds an error text in place of an answer: {}"


class CannotStore(Exception):
    """The results do not fit this board; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """How results were produced, in the words of who brings them."""

    mode: str
    underscore: bool
    name: str = ""  # of the file or folder they came in
    price_in: str = ""  # US dollars per million tokens, as given
    price_out: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def store_results(
    card: ModelCard,
    benchmark: Benchmark,
    source: Source,
    results: Results,
    manifest: Manifest = NOTHING_LEFT_OUT,
    owner: User | None = None,
) -> Run:
    """Store an upload as a run of its own, private until published; nothing is judged yet.

    Raises:
        CannotStore: A case or category is not on this board, or is not asked in this mode.
    """
    chosen = _categories(benchmark, source.mode, results)
    cases = _cases(chosen, results)
    entry, _ = Entry.objects.get_or_create(
        card=card, benchmark=benchmark, mode=source.mode, evidence=Evidence.UPLOADED
    )
    text, digest = configuration.freeze(_configuration(benchmark, chosen, source))
    run = Run.objects.create(
        entry=entry,
        endpoint=None,
        owner=owner,
        configuration=text,
        configuration_sha256=digest,
        share_key=f"user:{owner.pk}" if owner else "",
        n=0,  # known when everything is stored
    )
    run.categories.set(chosen)
    RunEvent.objects.create(run=run, to_state=run.state, reason="Results uploaded.")
    _store(run, chosen, cases, results, manifest)
    return run


def judge_soon(run: Run) -> None:
    """Have the workers judge a stored upload once the transaction at hand is committed."""
    transaction.on_commit(tasks.hint_judging)


def _categories(benchmark: Benchmark, mode: str, results: Results) -> list[Category]:
    known = {row.name: row for row in benchmark.categories.order_by("position")}
    for name in results.by_category:
        if name not in known:
            raise CannotStore(f"{benchmark} has no category “{name}”.")
        if mode not in known[name].modes:
            raise CannotStore(
                f"{name} is asked in {' and '.join(known[name].modes)} mode only, "
                f"and these results are said to be of {Mode(mode).label} mode."
            )
    return [row for name, row in known.items() if name in results.by_category]


def _cases(chosen: Iterable[Category], results: Results) -> dict[str, int]:
    """Primary keys by name of every case that the results speak of."""
    rows = Case.objects.filter(category__in=list(chosen), is_prerequisite=False)
    known = dict(rows.values_list("name", "pk"))
    wanted = [name for found in results.by_category.values() for name in found]
    missing = [name for name in wanted if name not in known]
    if missing:
        raise CannotStore(
            f"{len(missing)} cases are not loaded here, the first is {missing[0]}. "
            "Load the benchmark again: manage.py load_benchmark."
        )
    return {name: known[name] for name in wanted}


def _configuration(
    benchmark: Benchmark, chosen: Iterable[Category], source: Source
) -> dict[str, Any]:
    return {
        "benchmark": benchmark.suite,
        "benchmark_version": benchmark.version,
        "benchmark_digest": benchmark.digest,
        "scorer_version": find_suite(benchmark.suite).scorer_version,
        "categories": [category.name for category in chosen],
        "mode": source.mode,
        "underscore": source.underscore,
        "profile": "default",
        "options": {},
        "uploaded": source.name,
        "price_in": source.price_in or None,
        "price_out": source.price_out or None,
    }


def _store(
    run: Run,
    chosen: Iterable[Category],
    cases: Mapping[str, int],
    results: Results,
    manifest: Manifest,
) -> None:
    scoring = Scoring.objects.create(
        run=run,
        scorer_version=find_suite(run.entry.benchmark.suite).scorer_version,
        answers_version=answers_version(run.entry.benchmark),
        due=0,
    )
    excluded = stretches.excluded([row.pk for row in chosen], scoring)
    found = [each for group in results.by_category.values() for each in group.values()]
    Reply.objects.bulk_create(_replies(run, found, cases, manifest), batch_size=BATCH)
    Verdict.objects.bulk_create(
        [row for row in _unscored(scoring, found, cases, manifest) if row.case_id not in excluded],
        batch_size=BATCH,
    )
    sizes = _sizes(chosen, excluded)
    CategoryScore.objects.bulk_create(
        CategoryScore(
            scoring=scoring, category=row, n=sizes[row.pk], correct=0, wrong=0, unscored=0
        )
        for row in chosen
    )
    n = sum(sizes.values())
    not_run = Case.objects.filter(category__in=list(chosen), name__in=manifest.not_run)
    scoring.due = n - not_run.exclude(pk__in={*excluded, *cases.values()}).count()
    scoring.save(update_fields=["due"])
    Run.objects.filter(pk=run.pk).update(n=n)
    scores.refresh_scores(scoring.pk)
    run.refresh_from_db()


def _sizes(chosen: Iterable[Category], excluded: set[int]) -> dict[int, int]:
    out = Counter(Case.objects.filter(pk__in=excluded).values_list("category_id", flat=True))
    return {row.pk: row.n - out[row.pk] for row in chosen}


def _replies(
    run: Run, found: Iterable[Result], cases: Mapping[str, int], manifest: Manifest
) -> Iterator[Reply]:
    now = timezone.now()
    for each in found:
        kind = manifest.without_completion.get(each.id, "") if each.is_error else ""
        yield Reply(
            run=run,
            case_id=cases[each.id],
            request_sha256="",
            body=each.body,
            accepted=bool(kind) or not each.is_error,
            trouble=kind or ("upload" if each.is_error else ""),
            explanation=storable(_without_prefix(each.error)),
            latency=each.latency,
            tokens_in=each.tokens_in,
            tokens_out=each.tokens_out,
            figures=each.figures,
            sent_at=now,
        )


def _without_prefix(error: str) -> str:
    return error.partition(":")[2].strip()


def _unscored(
    scoring: Scoring, found: Iterable[Result], cases: Mapping[str, int], manifest: Manifest
) -> Iterator[Verdict]:
    """Error texts, and what the upload's manifest left out because it was unscored."""
    outcome = Verdict.Outcome.UNSCORED
    for each in found:
        if each.is_error and each.id not in manifest.without_completion:
            message = storable(NO_VERDICT_DUE.format(each.error))
            yield Verdict(
                scoring=scoring, case_id=cases[each.id], outcome=outcome, message=message
            )
    left_out = Case.objects.filter(
        category__runs=scoring.run, is_prerequisite=False, name__in=manifest.unscored
    ).exclude(name__in=list(cases))
    for pk in left_out.values_list("pk", flat=True):
        yield Verdict(scoring=scoring, case_id=pk, outcome=outcome, message=LEFT_OUT)
