"""Plays cases with canned answers, without a model and without a world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.benchmarks.suite import Suite
from evaluation.engine.play import Act, Ask, Fetch, Fetched, Keep, Recall, Recalled, WebResponse
from evaluation.engine.types import Answer, CaseData, Question, Setup

DONE = "I am done."


def done(_: Question) -> Answer:
    """The answer with which the benchmark's requests were recorded."""
    return Answer(DONE, {"role": "assistant", "content": DONE})


def no_replies(calls: Sequence[str]) -> tuple[str, ...]:
    return tuple("" for _ in calls)


@dataclass
class Stage:
    """Drives plays; keeps the questions asked, the calls made and the snapshot."""

    answer: Callable[[Question], Answer] = done
    act: Callable[[Sequence[str]], tuple[str, ...]] = no_replies
    fetch: Callable[[Fetch], tuple[WebResponse, ...]] = lambda step: ()
    snapshot: Any = None
    questions: list[Question] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    kept: int = 0

    def play(self, suite: Suite, case: CaseData, setup: Setup) -> Any:
        """The official result value of a play driven to its end."""
        play = suite.play(case, setup)
        try:
            step = next(play)
            while True:
                step = play.send(self._carry_out(step))
        except StopIteration as end:
            return end.value

    def _carry_out(self, step: Any) -> Any:
        match step:
            case Ask():
                self.questions.append(step.question)
                return self.answer(step.question)
            case Act():
                self.calls += step.calls
                return self.act(step.calls)
            case Recall():
                return Recalled(self.snapshot)
            case Keep():
                self.kept += 1
                return ()
            case Fetch():
                return Fetched(self.fetch(step))
        raise AssertionError(f"a play yields {step!r}")


def requests(suite: Suite, case: CaseData, setup: Setup) -> Iterator[dict[str, Any]]:
    """What is sent about one case, each reply being `I am done.`, in the recorded shape."""
    stage = Stage()
    stage.play(suite, case, setup)
    for question in stage.questions:
        sent: dict[str, Any] = {
            "id": case.id,
            "turn": question.turn,
            "messages": list(question.messages),
        }
        if question.tools is not None:
            sent["tools"] = list(question.tools)
        yield sent
