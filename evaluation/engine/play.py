"""A conversation as a generator: the rules of asking, without any I/O.

A play yields steps and is sent what they ask for; it returns the case's official result value.
Whoever drives it decides how questions reach a model, where calls are executed and who fetches
a page, so the same rules serve a worker, a command that only prints requests, and a test with
canned replies.

| yields   | is sent                                                                        |
|----------|--------------------------------------------------------------------------------|
| `Ask`    | an `Answer`                                                                    |
| `Act`    | a tuple with one reply text for each call                                      |
| `Recall` | `Recalled`: what the case before it in its chain kept, None for the first case |
| `Keep`   | an empty tuple, once the world's snapshot is safely stored                     |
| `Fetch`  | `Fetched`: what came back for each request                                     |
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from evaluation.engine.types import JSON, Answer, Question


@dataclass(frozen=True, slots=True)
class Ask:
    """Put this question to the model; send back an `Answer`."""

    question: Question


@dataclass(frozen=True, slots=True)
class World:
    """A simulated world that only the sandbox child may build.

    `factory` is a dotted path `package.module:function` of a function that takes the plain JSON
    `config`, the snapshot `start` (None: from the beginning) and the fixed time of the run, and
    returns an `evaluation.engine.worlds.LiveWorld`.
    """

    factory: str
    config: Mapping[str, JSON]
    start: JSON = None


@dataclass(frozen=True, slots=True)
class Act:
    """Execute these call texts in the case's world; send back one reply text for each."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recall:
    """Ask for the snapshot this case starts from; its world is to be opened with the same one."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The snapshot the previous case of the chain kept, None when there is none."""

    snapshot: JSON


@dataclass(frozen=True, slots=True)
class Keep:
    """Store the world's snapshot under this case, for the cases that come after it."""


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A page to get (http or https, by GET, through the guarded client).

    `parameters` are added to the query. `with_search_key` marks a request to the search
    service, to which the operator's key is added by the driver: a play never sees it. Page and
    parameters, without the key, are what a recording is found by.
    """

    url: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    with_search_key: bool = False

    @property
    def key(self) -> str:
        """What a recorded response is found by: sha256 (hex) of address and parameters."""
        written = json.dumps([self.url, sorted(self.parameters.items())])
        return hashlib.sha256(written.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class WebResponse:
    """What came back: a status and text, or in `trouble` why nothing did (status 0)."""

    status: int
    text: str = ""
    content_type: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Fetch:
    """Get these pages, in order."""

    requests: tuple[WebRequest, ...]


@dataclass(frozen=True, slots=True)
class Fetched:
    """One response for each request of a `Fetch`."""

    responses: tuple[WebResponse, ...]


Step = Ask | Act | Recall | Keep | Fetch
Reply = Answer | tuple[str, ...] | Recalled | Fetched
Play = Generator[Step, Reply, JSON]
