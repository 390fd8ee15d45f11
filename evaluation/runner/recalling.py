"""A case's result from its stored replies alone: nobody is asked, nothing is executed."""

from __future__ import annotations

import zlib

from evaluation.benchmarks.suite import Suite
from evaluation.client.wire import read
from evaluation.engine.play import (
    Act,
    Ask,
    Fetch,
    Fetched,
    Recall,
    Recalled,
    Reply,
    Step,
    WebResponse,
)
from evaluation.engine.types import JSON
from evaluation.models import Reply as StoredReply
from evaluation.runner.asking import NoCompletion
from evaluation.runner.configuration import Configuration
from evaluation.runner.reading import CaseWork

NOT_FETCHED = WebResponse(0, trouble="not fetched")


class NothingStored(Exception):
    """A question of the case has no accepted reply."""


def result(suite: Suite, work: CaseWork, how: Configuration) -> tuple[JSON, str]:
    """The official result value, and the last reply's finish reason.

    Tools' replies decide what was asked next, never what the model said: they are left empty.

    Raises NothingStored, NoCompletion.
    """
    play = suite.play(work.data, how.setup)
    reason = ""
    try:
        step = next(play)
        while True:
            if isinstance(step, Ask):
                reply = work.accepted.get((step.question.turn, step.question.step))
                answer, reason = _answer(reply, how)
                step = play.send(answer)
            else:
                step = play.send(_nothing(step))
    except StopIteration as end:
        return end.value, reason
    finally:
        play.close()


def _answer(reply: StoredReply | None, how: Configuration) -> tuple[Reply, str]:
    if reply is None:
        raise NothingStored
    if reply.trouble:
        raise NoCompletion(reply.trouble, reply.explanation)
    target = how.target
    body = zlib.decompress(bytes(reply.body))
    completion = read(body, how.setup.mode, target.reasoning_end, target.token_limit)
    return completion.answer, completion.finish_reason


def _nothing(step: Step) -> Reply:
    if isinstance(step, Act):
        return tuple("" for _ in step.calls)
    if isinstance(step, Recall):
        return Recalled(None)
    if isinstance(step, Fetch):
        return Fetched(tuple(NOT_FETCHED for _ in step.requests))
    return ()
