"""One question to its answer: attempts within bounds, each stored before anything else."""

from __future__ import annotations

import json
import zlib
from collections.abc import Awaitable, Callable
from time import monotonic

from evaluation.client.endpoint import EndpointClient, Exchange
from evaluation.client.errors import Effect, Trouble
from evaluation.client.limits import MAX_ATTEMPTS, wait_before
from evaluation.client.target import Target
from evaluation.client.wire import Completion, build_request, request_sha256
from evaluation.engine.text import storable
from evaluation.engine.types import Question
from evaluation.models import Reply
from evaluation.runner.course import Course
from evaluation.runner.reading import CaseWork, RunWork

LONGEST_GIVEN = 20_000  # characters of one tool's answer that are kept beside a question

Store = Callable[[Reply], Awaitable[None]]


class Unanswered(Exception):
    """Endpoint trouble: the case is neither right nor wrong."""


class NoCompletion(Exception):
    """The endpoint's last word on the case is no completion, and it is the model's fault."""

    def __init__(self, kind: str, explanation: str) -> None:
        super().__init__(explanation)
        self.kind = kind
        self.explanation = explanation


class OutOfStep(Exception):
    """A stored reply answers another question than the one now asked."""


class Asker:
    """Puts questions to one endpoint for one run; answers already stored are not asked again."""

    def __init__(
        self, client: EndpointClient, target: Target, course: Course, work: RunWork
    ) -> None:
        self._client = client
        self._target = target
        self._course = course
        self._run_id = work.run_id
        self._database_is_ahead = work.database_is_ahead
        self.has_accepted_reply = work.has_accepted_reply
        self.settled = 0  # questions this turn has put to the endpoint and had settled by it
        self.most_attempts = MAX_ATTEMPTS
        self.store: Store  # set by whoever holds the lease

    async def answer(self, work: CaseWork, question: Question) -> Completion:
        """The completion that answers a question.

        Raises:
            CutOff: The asking ended first.
            Unanswered: The bounds were reached, or the endpoint rejects the question.
            NoCompletion: The question ends the case, wrongly.
            OutOfStep: The stored reply belongs to another request.
        """
        reply = work.accepted.get((question.turn, question.step))
        if reply is None:
            return await self._ask_within_bounds(work, question)
        if reply.request_sha256 != request_sha256(build_request(question, self._target)):
            raise OutOfStep
        return self.recall(reply, question)

    def recall(self, reply: Reply, question: Question) -> Completion:
        """What a stored reply says. Raises NoCompletion."""
        if reply.trouble:
            raise NoCompletion(reply.trouble, reply.explanation)
        return self._client.read(zlib.decompress(bytes(reply.body)), question)

    async def _ask_within_bounds(self, work: CaseWork, question: Question) -> Completion:
        place = (question.turn, question.step)
        while True:
            exchange = await self._attempt(work, question)
            if exchange.completion is not None:
                return exchange.completion
            trouble = exchange.trouble
            assert trouble is not None, "an exchange has a completion or trouble"
            self._raise_if_final(trouble, work.tries[place])
            await self._course.sleep(wait_before(work.tries[place] + 1, trouble.retry_after))

    def _raise_if_final(self, trouble: Trouble, tries: int) -> None:
        if _is_last_word(trouble, tries, self.most_attempts):
            raise NoCompletion(trouble.kind, trouble.sentence)
        is_spent = trouble.effect is Effect.RETRY and tries >= self.most_attempts
        if (is_spent or trouble.effect is Effect.UNSCORED) and not self._course.ended.is_set():
            raise Unanswered(trouble.sentence)

    async def _attempt(self, work: CaseWork, question: Question) -> Exchange:
        """Ask once and store what came, whatever it is."""
        place = (question.turn, question.step)
        async with self._course.slot():
            sent_at = monotonic()
            exchange = await self._client.ask(
                question, has_accepted_reply=lambda: self.has_accepted_reply
            )
        work.tries[place] += 1
        work.sent += 1
        work.last_attempt[place] = work.last_attempt.get(place, 0) + 1
        is_last_word = exchange.trouble is None or _is_last_word(
            exchange.trouble, work.tries[place], self.most_attempts
        )
        self._course.note(exchange.trouble, sent_at)
        self.has_accepted_reply = self.has_accepted_reply or is_last_word
        self.settled += is_last_word
        reply = as_row(exchange, self._run_id, work.pk, question, work.last_attempt[place])
        reply.sent_at += self._database_is_ahead
        reply.accepted = is_last_word
        if is_last_word:
            work.accepted[place] = reply
        await self.store(reply)
        return exchange


def _is_last_word(trouble: Trouble, tries: int, most: int) -> bool:
    """Whether this trouble settles the question, as a wrong answer does."""
    spent = trouble.effect is Effect.RETRY_THEN_WRONG and tries >= most
    return trouble.effect is Effect.WRONG or spent


def given(question: Question) -> bytes:
    """What tools answered since the model last spoke, as stored; empty where none was called.

    The world that answered is gone afterwards: this is all that is left to show of it.
    """
    if not question.step:
        return b""
    spoke = max(
        (at for at, said in enumerate(question.messages) if said.get("role") == "assistant"),
        default=len(question.messages),
    )
    answers = [
        {"role": said.get("role", ""), "content": str(said.get("content") or "")[:LONGEST_GIVEN]}
        for said in question.messages[spoke + 1 :]
    ]
    return zlib.compress(json.dumps(answers).encode()) if answers else b""


def as_row(
    exchange: Exchange, run_id: int, case_id: int, question: Question, attempt: int
) -> Reply:
    completion, trouble = exchange.completion, exchange.trouble
    return Reply(
        run_id=run_id,
        case_id=case_id,
        turn=question.turn,
        step=question.step,
        attempt=attempt,
        request_sha256=exchange.request_sha256,
        status=exchange.status,
        body=zlib.compress(exchange.body),
        given=given(question),
        redacted=exchange.redacted,
        trouble=trouble.kind if trouble else "",
        explanation=storable(trouble.sentence) if trouble else "",
        deviations=list(completion.deviations) if completion else [],
        finish_reason=storable(completion.finish_reason)[:40] if completion else "",
        latency=exchange.latency,
        tokens_in=completion.tokens_in if completion else None,
        tokens_out=completion.tokens_out if completion else None,
        sent_at=exchange.sent_at,
    )
