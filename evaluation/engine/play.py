"""A conversation as a generator: the rules of asking, without any I/O.

A play yields `Ask` and is sent an `Answer`, or yields `Act` and is sent the tools' reply
texts; it returns the case's official result value. Whoever drives it decides how questions
reach a model and where calls are executed, so the same rules serve a worker, a command that
only prints requests, and a test with canned replies.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from evaluation.engine.types import JSON, Answer, Question


@dataclass(frozen=True, slots=True)
class Ask:
    """Put this question to the model; send back an `Answer`."""

    question: Question


@dataclass(frozen=True, slots=True)
class World:
    """A simulated world that only the sandbox child may build.

    `factory` is a dotted path `package.module:function`; `config` its plain JSON argument.
    """

    factory: str
    config: Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Act:
    """Execute these call texts in the case's world; send back one reply text for each."""

    calls: tuple[str, ...]


Step = Ask | Act
Reply = Answer | tuple[str, ...]
Play = Generator[Step, Reply, JSON]
