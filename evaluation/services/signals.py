"""Signs that an upload's figures were made up. For moderators: hints, and no proofs.

Each looks at no more than a sample, so that a page can wait for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, F, Max, Min, Q, QuerySet

from evaluation.engine.types import JSON, CaseData
from evaluation.engine.verbatim import is_verbatim
from evaluation.models import Case, Reply, Run
from evaluation.runner.asking import NoCompletion
from evaluation.runner.rebuilding import Rebuilder, StoredCase, Unfinished

SAMPLE = 600  # cases looked at
OTHERS = 100  # runs that answers are compared with, the newest first
GLANCE = 24  # unusual answers by which it is decided which of them are worth a closer look
ENOUGH = 20  # answers below which nothing is said
COPIED_GOLD = 0.95  # share of answers that are the accepted ones to the letter
COPIED_RUN = 0.8  # share of unusual answers that are another run's to the letter
FASTEST = 2000  # tokens a second beyond which no endpoint writes
ODD_SHARE = 0.05

Answers = dict[int, JSON]


@dataclass(frozen=True, slots=True)
class Signal:
    sentence: str
    is_striking: bool


def signals(run: Run) -> list[Signal]:
    """All that can be said of a run; it comes with its entry and card."""
    cases = _sample(run)
    answers = _answers(run, cases)
    found = [*_gold(answers, cases), *_others(run, answers, cases)]
    if run.endpoint_id is None:
        found += _claims(run)
    return sorted(found, key=lambda one: not one.is_striking)


def _sample(run: Run) -> dict[int, CaseData]:
    """Cases spread evenly over everything the run holds."""
    held = Case.objects.filter(category__runs=run, is_prerequisite=False)
    keys = list(held.order_by("category__position", "position").values_list("pk", flat=True))
    chosen = keys[:: max(1, len(keys) // SAMPLE)][:SAMPLE]
    rows = Case.objects.filter(pk__in=chosen).select_related("category")
    return {
        row.pk: CaseData(
            row.name,
            row.category.name,
            json.loads(row.question),
            json.loads(row.answer) if row.answer else None,
        )
        for row in rows
    }


def _answers(run: Run, cases: dict[int, CaseData]) -> Answers:
    rebuilder = Rebuilder(run)
    results = (
        (stored.case_id, _result(rebuilder, stored, cases[stored.case_id]))
        for stored in rebuilder.stored(list(cases))
    )
    return {pk: result for pk, result in results if result not in (None, "", [])}


def _result(rebuilder: Rebuilder, stored: StoredCase, case: CaseData) -> JSON:
    """None where there is no answer that could be compared."""
    try:
        return rebuilder.result(stored, case)
    except (NoCompletion, Unfinished, KeyError, TypeError, ValueError):
        return None


def _gold(answers: Answers, cases: dict[int, CaseData]) -> Iterator[Signal]:
    compared = [is_verbatim(result, cases[pk].answer) for pk, result in answers.items()]
    same, n = compared.count(True), len(compared) - compared.count(None)
    if n >= ENOUGH:
        yield Signal(
            f"{same} of {n} answers looked at ({same / n:.0%}) are the accepted ones to the "
            "letter, each argument in its first spelling.",
            same / n >= COPIED_GOLD,
        )


def _others(run: Run, answers: Answers, cases: dict[int, CaseData]) -> Iterator[Signal]:
    """Agreement where answers are unusual: on the accepted ones all good models agree."""
    own = {pk: text for pk, text in answers.items() if not is_verbatim(text, cases[pk].answer)}
    if len(own) < ENOUGH:
        return
    chosen = {pk: cases[pk] for pk in own}
    few = dict(list(chosen.items())[:: max(1, len(chosen) // GLANCE)][:GLANCE])
    for other in _comparable(run):
        if not _look_alike(own, _answers(other, few)):
            continue
        theirs = _answers(other, chosen)
        shared = own.keys() & theirs.keys()
        same = sum(own[pk] == theirs[pk] for pk in shared)
        if len(shared) >= ENOUGH and same / len(shared) >= COPIED_RUN:
            yield Signal(
                f"{same} of {len(shared)} answers that are not the accepted ones are those of "
                f"run {other.pk} ({other.entry.card.name}) to the letter.",
                True,
            )


def _look_alike(own: Answers, theirs: Answers) -> bool:
    """Whether a few answers leave it possible that most are the same."""
    shared = own.keys() & theirs.keys()
    same = [pk for pk in shared if own[pk] == theirs[pk]]
    return len(same) * 2 >= max(1, len(shared))


def _comparable(run: Run) -> QuerySet[Run]:
    """Other models' runs, asked or uploaded, with questions put in the same way."""
    same = Run.objects.filter(entry__benchmark=run.entry.benchmark_id, entry__mode=run.entry.mode)
    ended = same.filter(state__in=(Run.State.FINISHED, Run.State.INCOMPLETE))
    others = ended.exclude(entry__card=run.entry.card_id).select_related("entry__card")
    return others.order_by("-published_at", "-pk")[:OTHERS]


def _claims(run: Run) -> Iterator[Signal]:
    """What an upload says of its own times and tokens."""
    said = Reply.objects.filter(run=run, accepted=True)
    timed, counted = said.filter(latency__isnull=False), said.filter(tokens_out__isnull=False)
    n = timed.count()
    impossible = timed.filter(Q(latency__lte=0) | Q(tokens_out__gt=F("latency") * FASTEST)).count()
    if n >= ENOUGH and impossible / n > ODD_SHARE:
        yield Signal(
            f"{impossible} of {n} answers came in no time, or faster than {FASTEST} tokens a "
            "second, as the files say.",
            True,
        )
    for rows, field, what in (
        (timed, "latency", "latency"),
        (counted, "tokens_out", "number of tokens"),
    ):
        spread = rows.aggregate(least=Min(field), most=Max(field), n=Count("pk"))
        if spread["n"] >= ENOUGH and spread["least"] == spread["most"]:
            yield Signal(
                f"All {spread['n']} answers have the same {what}: {spread['least']:g}.", True
            )
    empty = counted.filter(tokens_out=0).count()
    if empty > ODD_SHARE * max(counted.count(), ENOUGH):
        yield Signal(f"{empty} answers were written with no token at all, as the files say.", True)
