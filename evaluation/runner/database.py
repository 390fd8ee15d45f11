"""The one thread of a worker process that talks to PostgreSQL.

The event loop never waits for a query: it hands over calls, and rows to be stored. Rows that
arrive within a few hundredths of a second share one transaction, which first proves that the
slice is still ours. A lost connection is repaired and the work repeated; everything handed over
here may be done twice.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection

from evaluation.models import Reply, Verdict
from evaluation.runner import storing
from evaluation.runner.leases import STALE_AFTER, Lease

GATHER = 0.03  # seconds in which rows gather for one transaction
MOST_ROWS = 500  # of one transaction
PAUSE = 0.5  # seconds between attempts to reach the database again

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    """A call to make, or a row to store under a lease."""

    future: asyncio.Future[Any]
    call: Callable[[], Any] | None = None
    lease: Lease | None = None
    row: Reply | Verdict | None = None


class Database:
    """Runs calls and stores rows in a thread of its own, in the order they were handed over."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="database", daemon=True)
        self._thread.start()

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Await a function that uses the ORM; it must be harmless to call twice."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(future, call=lambda: call(*args, **kwargs)))
        return await future

    async def store(self, lease: Lease, row: Reply | Verdict) -> str:
        """Await a row's commit; gives the run's state. Raises LeaseLost."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(future, lease=lease, row=row))
        return await future

    def close(self) -> None:
        """Do what was handed over, then end the thread and its connection."""
        self._jobs.put(None)
        self._thread.join(timeout=10)

    def _serve(self) -> None:
        waiting: _Job | None = None
        try:
            while (job := waiting or self._jobs.get()) is not None:
                waiting = None
                if job.call is not None:
                    self._settle([job], job.call)
                    continue
                rows, waiting, is_last = self._gather(job)
                self._settle(rows, partial(_store, rows))
                if is_last:
                    return
        finally:
            connection.close()

    def _gather(self, first: _Job) -> tuple[list[_Job], _Job | None, bool]:
        """Rows of the same lease that come soon after the first; then what ended the gathering."""
        rows, until = [first], monotonic() + GATHER
        while len(rows) < MOST_ROWS:
            try:
                job = self._jobs.get(timeout=max(0.0, until - monotonic()))
            except queue.Empty:
                break
            if job is None:
                return rows, None, True
            if job.call is not None or job.lease is not first.lease:
                return rows, job, False
            rows.append(job)
        return rows, None, False

    def _settle(self, jobs: Sequence[_Job], call: Callable[[], Any]) -> None:
        """Do the work and wake every waiter in one go."""
        result: Any = None
        error: BaseException | None = None
        try:
            result = _persist(call, jobs[0].lease)
        except BaseException as raised:
            error = raised
        loop = jobs[0].future.get_loop()
        try:
            loop.call_soon_threadsafe(_wake, [job.future for job in jobs], result, error)
        except RuntimeError:  # the loop has ended: nobody waits any more
            log.debug("a result came after its loop had ended")


def _persist(call: Callable[[], T], lease: Lease | None) -> T:
    """Call, and call again while the database cannot be reached."""
    since = lease.confirmed_at if lease else monotonic()
    while True:
        try:
            return call()
        except (OperationalError, InterfaceError) as error:
            connection.close()
            if monotonic() - since > STALE_AFTER:
                raise
            log.warning("The database cannot be reached, trying again: %s", error)
            sleep(PAUSE)


def _store(jobs: Sequence[_Job]) -> str:
    lease = jobs[0].lease
    assert lease is not None
    return storing.store(lease, [job.row for job in jobs if job.row is not None])


def _wake(
    futures: Sequence[asyncio.Future[Any]], result: object, error: BaseException | None
) -> None:
    for future in futures:
        if future.done():
            continue
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)
