"""Making and driving runs without a broker: what a worker does, one slice after another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import connection

from evaluation.engine.types import JSON
from evaluation.models import Benchmark, Run, Slice, Verdict
from evaluation.runner import queueing
from evaluation.runner.process import Terms, WorkerProcess
from evaluation.services import scheduling
from tests import make
from tests.fakes import FakeEndpoint, Request, Scripted, completion

FEW = {"simple_python": 3, "irrelevance": 2}


def scheduled(
    base_url: str,
    categories: Mapping[str, int] = FEW,
    *,
    cases: Sequence[int] | None = None,
    **endpoint: Any,
) -> Run:
    """A queued run on the first real cases of some categories."""
    benchmark = make.real_benchmark(categories)
    settings: dict[str, Any] = {"in_flight": 4, **endpoint}
    return scheduling.schedule(
        make.endpoint(base_url=base_url, **settings),
        benchmark=benchmark,
        categories=list(categories),
        cases=cases,
    )


def schedule_on(
    benchmark: Benchmark,
    *,
    base_url: str = "http://127.0.0.1:9/v1",
    share_key: str = "",
    **endpoint: Any,
) -> Run:
    """Another run on the same benchmark, by another endpoint."""
    return scheduling.schedule(
        make.endpoint(base_url=base_url, **endpoint), benchmark=benchmark, share_key=share_key
    )


def terms(*endpoints: FakeEndpoint, **fields: Any) -> Terms:
    return Terms(also_allowed=frozenset(endpoint.host for endpoint in endpoints), **fields)


def work_through(run: Run, worker: WorkerProcess, endpoint: FakeEndpoint) -> Run:
    """Follow hints until none is given; the run as it is then.

    The one sent when the run was scheduled is lost: no worker listens to the tests' broker.
    """
    Slice.objects.filter(run=run).update(enqueued_at=None)
    while hints := queueing.claim_hints():
        for hint in hints:
            worker.work(hint, terms(endpoint))
    run.refresh_from_db()
    return run


def elsewhere(act: Callable[[Run], object]) -> None:
    """What another process does to the only run, while it is being worked on."""

    def there() -> None:
        try:
            act(Run.objects.get())
        finally:
            connection.close()

    thread = threading.Thread(target=there)
    thread.start()
    thread.join()


def outcomes(run: Run) -> dict[str, str]:
    """Case name → outcome, of every case with a verdict."""
    verdicts = Verdict.objects.filter(scoring__run=run)
    return dict(verdicts.values_list("case__name", "outcome"))


def slices(run: Run) -> list[Slice]:
    return list(run.slices.order_by("number"))


def calls_first_tool(request: Request) -> Scripted:
    """A model that calls the first tool on offer without arguments, whatever is asked."""
    tools: JSON = request.json.get("tools") or []
    if not tools:
        return completion("I am done.")
    return completion(calls={tools[0]["function"]["name"]: "{}"})
