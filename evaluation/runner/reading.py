"""What a worker needs to know of a slice before it asks: cases left, and what they have."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models.expressions import RawSQL

from evaluation.engine.types import JSON, CaseData
from evaluation.models import Case, Reply, Run, Scoring, Slice, Verdict, WorldSnapshot
from evaluation.runner.stretches import in_force

Place = tuple[int, int]  # turn, step


@dataclass(slots=True)
class CaseWork:
    """One case to settle, with what earlier workers have left of it."""

    pk: int
    data: CaseData
    is_prerequisite: bool = False
    chain: str = ""
    accepted: dict[Place, Reply] = field(default_factory=dict)
    last_attempt: dict[Place, int] = field(default_factory=dict)
    tries: Counter[Place] = field(default_factory=Counter)  # that count against the bound
    sent: int = 0  # requests sent for this case in all
    excluded: str = ""  # why an erratum takes it out of n; "" if none does


@dataclass(slots=True)
class Unit:
    """Cases that one walker settles: one alone, or a chain with what prepares it."""

    prerequisites: list[CaseWork] = field(default_factory=list)  # in this order
    cases: list[CaseWork] = field(default_factory=list)
    worlds: dict[int, JSON] = field(default_factory=dict)  # kept, by the prerequisite's key

    def next_up(self) -> tuple[CaseWork, JSON]:
        """The first case left to play, and the snapshot it starts from."""
        start: JSON = None
        for work in self.prerequisites:
            if work.pk not in self.worlds:
                return work, start
            start = self.worlds[work.pk]
        return self.cases[0], start

    def forget_tries(self) -> None:
        """Attempts before a pause do not count against a question's five."""
        for work in (*self.prerequisites, *self.cases):
            work.tries.clear()


@dataclass(frozen=True, slots=True)
class RunWork:
    """What is the same for every slice of a run."""

    run_id: int
    scoring_id: int
    configuration: str
    sealed_key: bytes | None
    started_at: datetime | None
    failures_in_row: int
    has_accepted_reply: bool
    database_is_ahead: timedelta  # by what its clock differs from this machine's


def read(run_id: int) -> RunWork:
    run = Run.objects.select_related("endpoint").get(pk=run_id)
    sealed = run.endpoint.sealed_key if run.endpoint else None
    return RunWork(
        run_id=run.pk,
        scoring_id=Scoring.objects.values_list("pk", flat=True).get(run=run, is_current=True),
        configuration=run.configuration,
        sealed_key=bytes(sealed) if sealed else None,
        started_at=run.started_at,
        failures_in_row=run.failures_in_row,
        has_accepted_reply=run.accepted_replies > 0,
        database_is_ahead=_database_is_ahead(),
    )


def _database_is_ahead() -> timedelta:
    """Replies are dated by one clock, whichever worker asked: what is compared with them is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        there: datetime = cursor.fetchone()[0]
    return there - datetime.now(UTC)


def units_of(slice_id: int) -> list[Unit]:
    """The cases of a slice that have no verdict yet, in the slice's order."""
    row = Slice.objects.select_related("run").get(pk=slice_id)
    run, wanted = row.run, row.cases
    scoring = Scoring.objects.get(run=run, is_current=True)
    judged = Verdict.objects.filter(scoring=scoring, case__in=_among(wanted))
    settled = set(judged.values_list("case_id", flat=True))
    kept = WorldSnapshot.objects.filter(run=run, case__in=_among(wanted))
    worlds = dict(kept.values_list("case_id", "body"))
    left = [pk for pk in wanted if pk not in settled]
    cases = cases_of(run, left, scoring)
    return _units([cases[pk] for pk in left], worlds)


def _among(pks: Iterable[int]) -> RawSQL:
    """Thousands of keys as one parameter: a parameter for each costs more than the query."""
    return RawSQL("SELECT unnest(%s::bigint[])", (list(pks),))


def cases_of(run: Run, pks: list[int], scoring: Scoring) -> dict[int, CaseWork]:
    """Cases by primary key, with the replies stored for them in this run."""
    cases = _cases(pks, scoring)
    _recall(run, cases)
    return cases


def _cases(pks: list[int], scoring: Scoring) -> dict[int, CaseWork]:
    rows = Case.objects.filter(pk__in=_among(pks)).values_list(
        "pk", "name", "category__name", "question", "answer", "is_prerequisite", "chain"
    )
    errata = in_force(scoring.answers_version, scoring.profile).filter(case__in=_among(pks))
    kept = errata.filter(is_excluded=False)
    corrected = dict(kept.values_list("case_id", "answer"))
    excluded = dict(errata.filter(is_excluded=True).values_list("case_id", "reason"))
    return {
        pk: CaseWork(
            pk,
            case_data(name, category, question, corrected.get(pk, answer)),
            is_prerequisite,
            chain,
            excluded=excluded.get(pk, ""),
        )
        for pk, name, category, question, answer, is_prerequisite, chain in rows.iterator()
    }


def _units(cases: list[CaseWork], worlds: Mapping[int, bytes | memoryview]) -> list[Unit]:
    """Cases in their order, those of one chain together; chains with nothing left are out."""
    units: list[Unit] = []
    chains: dict[tuple[str, str], Unit] = {}
    for work in cases:
        if not work.chain:
            units.append(Unit(cases=[work]))
            continue
        key = work.data.category, work.chain
        if key not in chains:
            chains[key] = Unit()
            units.append(chains[key])
        (chains[key].prerequisites if work.is_prerequisite else chains[key].cases).append(work)
    for unit in chains.values():
        unit.worlds = {
            work.pk: json.loads(zlib.decompress(bytes(worlds[work.pk])))
            for work in unit.prerequisites
            if work.pk in worlds
        }
    return [unit for unit in units if unit.cases]


def case_data(name: str, category: str, question: str, answer: str) -> CaseData:
    """A case as its suite knows it, from the JSON texts of its row."""
    return CaseData(name, category, json.loads(question), json.loads(answer) if answer else None)


def _recall(run: Run, cases: dict[int, CaseWork]) -> None:
    """Attach the replies that earlier workers stored for these cases."""
    replies = Reply.objects.filter(run=run, case__in=_among(cases)).order_by("attempt")
    for reply in replies.defer("explanation", "given"):
        work, place = cases[reply.case_id], (reply.turn, reply.step)
        work.sent += 1
        work.last_attempt[place] = reply.attempt
        if reply.accepted:
            work.accepted[place] = reply
        elif reply.trouble and reply.sent_at >= run.asking_since:
            work.tries[place] += 1
