"""What was asked and answered in one case, put together again from the rows a run left.

Nothing is asked and nothing judged here. Whatever a model or an endpoint sent is text, and what
cannot be read any more is shown as it was stored: reading a transcript never raises.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.benchmarks import suite
from evaluation.benchmarks.suite import CaseView
from evaluation.client import wire
from evaluation.client.errors import NotACompletion
from evaluation.engine.play import Ask
from evaluation.engine.types import JSON, CaseData, Mode, Setup
from evaluation.models import Case, Erratum, Reply, Run, Scoring
from evaluation.runner.rebuilding import UPLOADED

MAX_SHOWN = 20_000  # characters of one reply on a page; the whole of it is a file to download
MAX_READ = 4 * MAX_SHOWN  # bytes decompressed for showing: no character takes more than four

Place = tuple[int, int]  # turn, step


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and what came back. `text` is the raw body, cut at MAX_SHOWN characters."""

    reply: Reply
    text: str
    is_cut: bool
    said: str = ""  # the answer's own text, "" when there is none or it cannot be read
    reasoning: str = ""
    calls: tuple[str, ...] = ()  # what it called in this step, as `name(arguments as sent)`
    given: tuple[str, ...] = ()  # what tools had answered to the step before it


@dataclass(frozen=True, slots=True)
class Transcript:
    """A case and, where a run is given, everything that run did about it."""

    view: CaseView
    attempts: tuple[Attempt, ...] = ()
    has_answer: bool = False
    result: JSON = None  # the official result value, as the judge saw it
    underscore: bool = False  # dots in function names travelled as underscores


def of_case(case: Case) -> Transcript:
    """The case alone: its question, what is on offer, what is accepted."""
    data = case_data(case, answers_version=None)
    setup = Setup(mode=Mode.FC)
    return Transcript(suite(case.category.benchmark.suite).view(data, None, setup))


def of_run(case: Case, run: Run, scoring: Scoring) -> Transcript:
    """The case as this run was asked it, and as this scoring judged it."""
    configuration = json.loads(run.configuration)
    setup = setup_of(configuration)
    data = case_data(case, scoring.answers_version)
    replies = list(run.replies.filter(case=case).order_by("turn", "step", "attempt"))
    if run.entry.evidence in UPLOADED:
        return _of_upload(case, data, setup, replies)
    answers = _answers(replies, setup.mode, configuration.get("reasoning_end") or "")
    result = _result(case, data, setup, answers)
    view = suite(case.category.benchmark.suite).view(data, result, setup)
    attempts = tuple(_attempt(reply, answers) for reply in replies)
    return Transcript(view, attempts, bool(answers), result, setup.underscore)


def setup_of(configuration: JSON) -> Setup:
    """How a run asked, from its frozen configuration."""
    return Setup(
        mode=Mode(configuration["mode"]),
        underscore=configuration.get("underscore", False),
        profile=configuration.get("profile", "default"),
        options=configuration.get("options", {}),
    )


def _of_upload(case: Case, data: CaseData, setup: Setup, replies: Sequence[Reply]) -> Transcript:
    """The case with the result value that was uploaded for it, which is all there is."""
    result: JSON = None
    try:
        result = json.loads(whole_body(replies[0])) if replies else None
    except (ValueError, RecursionError, zlib.error):
        result = None
    view = suite(case.category.benchmark.suite).view(data, result, setup)
    attempts = tuple(Attempt(reply, *_shown_body(reply)) for reply in replies)
    return Transcript(view, attempts, bool(replies), result, setup.underscore)


def whole_body(reply: Reply) -> bytes:
    """A reply's body exactly as stored; the client bounded its size when it came in."""
    return zlib.decompress(bytes(reply.body)) if reply.body else b""


def case_data(case: Case, answers_version: int | None) -> CaseData:
    """A case with its accepted answer of that version; None: the newest."""
    errata = Erratum.objects.filter(case=case, is_excluded=False).order_by("-answers_version")
    if answers_version is not None:
        errata = errata.filter(answers_version__lte=answers_version)
    erratum = errata.first()
    answer = erratum.answer if erratum else case.answer
    return CaseData(
        id=case.name,
        category=case.category.name,
        question=json.loads(case.question),
        answer=json.loads(answer) if answer else None,
    )


def _answers(
    replies: Sequence[Reply], mode: Mode, reasoning_end: str
) -> dict[Place, wire.Completion]:
    """The accepted replies as the client reads them, by turn and step."""
    read = {}
    for reply in replies:
        if reply.accepted:
            try:
                place = reply.turn, reply.step
                read[place] = wire.read(whole_body(reply), mode, reasoning_end)
            except (NotACompletion, zlib.error):
                continue
    return read


def _result(
    case: Case, data: CaseData, setup: Setup, answers: dict[Place, wire.Completion]
) -> JSON:
    """The official result value, by playing the case again with the answers it got.

    A conversation whose calls act in a world cannot be played without that world: its answers
    are then given turn by turn and step by step, which is the official shape of such a result.
    """
    if not answers:
        return None
    play = suite(case.category.benchmark.suite).play(data, setup)
    try:
        step = next(play)
        while isinstance(step, Ask):
            place = step.question.turn, step.question.step
            if place not in answers:
                break
            step = play.send(answers[place].answer)
    except StopIteration as end:
        return end.value
    finally:
        play.close()
    turns = max(turn for turn, _ in answers) + 1
    return [
        [answers[place].answer.result for place in sorted(answers) if place[0] == turn]
        for turn in range(turns)
    ]


def _attempt(reply: Reply, answers: dict[Place, wire.Completion]) -> Attempt:
    text, is_cut = _shown_body(reply)
    completion = answers.get((reply.turn, reply.step)) if reply.accepted else None
    if completion is None:
        return Attempt(reply, text, is_cut)
    content = completion.answer.message.get("content")
    said = content if isinstance(content, str) else ""
    return Attempt(
        reply,
        text,
        is_cut,
        said[:MAX_SHOWN],
        completion.reasoning[:MAX_SHOWN],
        _calls_as_sent(completion.answer.result),
        _given(reply),
    )


def _given(reply: Reply) -> tuple[str, ...]:
    if not reply.given:
        return ()
    try:
        answers = json.loads(zlib.decompress(bytes(reply.given)))
    except (ValueError, zlib.error):
        return ()
    return tuple(str(answer["content"])[:MAX_SHOWN] for answer in answers)


def _calls_as_sent(result: JSON) -> tuple[str, ...]:
    """The calls of one step in FC mode; in prompt mode they stand in the text."""
    calls = result if isinstance(result, list) else []
    return tuple(
        f"{name}({arguments})"[:MAX_SHOWN]
        for call in calls
        if isinstance(call, dict)  # an endpoint may send a list as its text
        for name, arguments in call.items()
    )


def _shown_body(reply: Reply) -> tuple[str, bool]:
    """The start of a body as text; bytes that are no UTF-8 stand as replacement characters."""
    if not reply.body:
        return "", False
    unpacker = zlib.decompressobj()
    try:
        start = unpacker.decompress(bytes(reply.body), MAX_READ)
    except zlib.error:
        return "", False
    text = start.decode("utf-8", "replace")
    return text[:MAX_SHOWN], len(text) > MAX_SHOWN or bool(unpacker.unconsumed_tail)
