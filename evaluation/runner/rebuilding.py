"""The official result value of a case, from what is stored of it: nobody is asked anything."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from evaluation.benchmarks import suite as find_suite
from evaluation.benchmarks.suite import Suite
from evaluation.client import wire
from evaluation.client.errors import NotACompletion
from evaluation.client.target import Target
from evaluation.engine.play import (
    Act,
    Ask,
    Fetch,
    Fetched,
    Recall,
    Recalled,
    Step,
    WebResponse,
)
from evaluation.engine.play import Reply as Sent
from evaluation.engine.types import JSON, Answer, CaseData, Mode, Setup
from evaluation.models import Evidence, Reply, Run
from evaluation.runner.asking import NoCompletion

UPLOADED = (Evidence.UPLOADED, Evidence.SPOT_CHECKED)  # outputs brought by others
NOT_FETCHED = WebResponse(0, trouble="not fetched")

Place = tuple[int, int]  # turn, step


class Unfinished(Exception):
    """The replies stored do not reach the end of the case."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An accepted reply, with what is needed of it."""

    body: bytes
    trouble: str = ""
    explanation: str = ""
    finish_reason: str = ""
    latency: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    figures: str = ""


@dataclass(slots=True)
class StoredCase:
    """The accepted replies of one case in their order."""

    case_id: int
    replies: dict[Place, Stored] = field(default_factory=dict)
    sent: int = 0  # requests

    @property
    def finish_reason(self) -> str:
        return next(reversed(self.replies.values())).finish_reason if self.replies else ""


SAID = ("body", "trouble", "explanation", "finish_reason")
MEASURED = ("latency", "tokens_in", "tokens_out", "figures")


class Rebuilder:
    """Reads the replies of one run as the client read them when they came."""

    def __init__(self, run: Run, profile: str = "") -> None:
        """`run` comes with its entry. Without a profile, the run's own."""
        values = json.loads(run.configuration)
        self._run_id = run.pk
        self._reasoning_end: str = values.get("reasoning_end") or ""
        self._token_limit = Target("", "", parameters=values.get("parameters") or {}).token_limit
        self.is_upload = run.entry.evidence in UPLOADED
        self.suite: Suite = find_suite(values["benchmark"])
        self.setup = setup_of(values)
        if profile:
            self.setup = replace(self.setup, profile=profile)

    def stored(self, cases: Collection[int], *, with_figures: bool = True) -> Iterator[StoredCase]:
        """Every case of these with an accepted reply, in order of their primary keys.

        Without figures, what judging does not need of a reply is not read.
        """
        fields = (*SAID, *MEASURED) if with_figures else SAID
        rows = (
            Reply.objects.filter(run=self._run_id, case__in=cases)
            .order_by("case_id", "turn", "step", "attempt")
            .values_list("case_id", "accepted", "turn", "step", *fields)
        )
        for case_id, group in groupby(rows, key=lambda row: row[0]):
            found = StoredCase(case_id)
            for _, accepted, turn, step, *rest in group:
                found.sent += 0 if self.is_upload else 1
                if accepted:
                    found.replies[turn, step] = Stored(bytes(rest[0]), *rest[1:])
            if found.replies:
                yield found

    def result(self, stored: StoredCase, case: CaseData) -> JSON:
        """The official result value. Raises NoCompletion, Unfinished."""
        for reply in stored.replies.values():
            if reply.trouble:
                raise NoCompletion(reply.trouble, reply.explanation)
        if self.is_upload:
            return json.loads(zlib.decompress(stored.replies[0, 0].body))
        answers = {place: self._answer(reply) for place, reply in stored.replies.items()}
        compose = getattr(self.suite, "compose", None)
        if compose is not None:
            return compose(case, {place: answer.result for place, answer in answers.items()})
        return replayed(self.suite, case, self.setup, answers)

    def _answer(self, reply: Stored) -> Answer:
        try:
            body = zlib.decompress(reply.body)
            mode = self.setup.mode
            return wire.read(body, mode, self._reasoning_end, self._token_limit).answer
        except (NotACompletion, zlib.error) as error:
            raise Unfinished(str(error)) from error


def replayed(suite: Suite, case: CaseData, setup: Setup, answers: Mapping[Place, Answer]) -> JSON:
    """The result of a case played with the answers it got.

    Tools' replies decide what a model is asked next, never what it said: they are left empty.
    Raises Unfinished.
    """
    play = suite.play(case, setup)
    try:
        step = next(play)
        while True:
            step = play.send(_sent(step, answers))
    except StopIteration as end:
        return end.value
    finally:
        play.close()


def _sent(step: Step, answers: Mapping[Place, Answer]) -> Sent:
    if isinstance(step, Ask):
        place = step.question.turn, step.question.step
        if place not in answers:
            raise Unfinished(f"There is no reply to turn {place[0]}, step {place[1]}.")
        return answers[place]
    if isinstance(step, Act):
        return tuple("" for _ in step.calls)
    if isinstance(step, Recall):
        return Recalled(None)
    if isinstance(step, Fetch):
        return Fetched(tuple(NOT_FETCHED for _ in step.requests))
    return ()


def setup_of(values: Mapping[str, Any]) -> Setup:
    """How a run asked, from its frozen configuration."""
    return Setup(
        mode=Mode(values["mode"]),
        underscore=values.get("underscore", False),
        profile=values.get("profile", "default"),
        options=values.get("options", {}),
    )
