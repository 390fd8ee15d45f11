"""What a worker process keeps: an event loop, HTTP sessions, the database thread, the sandbox.

Made lazily, so that everything is born after the fork that made the process.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

import aiohttp
from django.conf import settings
from django.db import InterfaceError, OperationalError
from yarl import URL

from evaluation.client.endpoint import EndpointClient
from evaluation.client.errors import AddressRefused
from evaluation.client.guard import Guard, make_session
from evaluation.client.web import WebReader
from evaluation.models import Run, Verdict
from evaluation.models.endpoints import origin_of
from evaluation.runner import configuration, leases, reading, shutdown, storing, transitions
from evaluation.runner.asking import Asker
from evaluation.runner.course import Course, Ending
from evaluation.runner.database import Database
from evaluation.runner.leases import Lease
from evaluation.runner.reading import CaseWork, RunWork, Unit
from evaluation.runner.settling import GOES_ON_FOR, LONGEST_TURN, Surroundings, Turn, our_fault
from evaluation.runner.shift import Shift
from evaluation.runner.storing import RunOver
from evaluation.sandbox.pool import SandboxPool
from evaluation.secrets import CannotOpen, open_sealed

log = logging.getLogger(__name__)


def _nothing(work: CaseWork, verdict: Verdict) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a slice is worked on. A command that drives its own run brings its own."""

    is_local: bool = False
    key: str | None = None  # in place of the endpoint's sealed one; never stored
    also_allowed: frozenset[str] = frozenset()  # hosts beside the operator's list
    on_verdict: Callable[[CaseWork, Verdict], None] = _nothing
    is_stopping: Callable[[], bool] = shutdown.is_wanted
    longest_turn: float = LONGEST_TURN  # seconds
    goes_on_for: float = GOES_ON_FOR  # seconds


class WorkerProcess:
    """Works on one slice at a time; call from the process's main thread."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._runner = asyncio.Runner()
        self._database = Database()
        self._sessions: dict[frozenset[str], aiohttp.ClientSession] = {}
        self._pool: SandboxPool | None = None

    @property
    def is_mine(self) -> bool:
        """False in a fork, where threads and loop of the parent do not exist."""
        return self._pid == os.getpid()

    def work(self, slice_id: int, terms: Terms = Terms()) -> Ending | None:
        """Take the slice if it is free and do what can be done of it.

        Every way out leaves the run in a state people can read; nothing is raised for trouble
        of the endpoint, of the database, or of our own making.
        """
        try:
            return self._runner.run(self._work(slice_id, terms))
        except (OperationalError, InterfaceError):
            log.exception("Slice %s: the database cannot be reached; its lease runs out", slice_id)
            return None

    async def _work(self, slice_id: int, terms: Terms) -> Ending | None:
        take = leases.take
        lease = await self._database.run(take, slice_id, uuid4(), local=terms.is_local)
        if lease is None:
            return None
        try:
            shift, units = await self._prepare(lease, terms)
        except (CannotOpen, AddressRefused) as problem:
            await self._fail(lease, str(problem))
            return None
        except (leases.LeaseLost, RunOver):
            return None
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            log.exception("Run %s, slice %s cannot be begun", lease.run_id, slice_id)
            await self._fail(lease, our_fault("(none yet)", error), is_our_fault=True)
            return None
        return await shift.run(units)

    async def _prepare(self, lease: Lease, terms: Terms) -> tuple[Shift, list[Unit]]:
        work = await self._database.run(reading.read, lease.run_id)
        units = await self._database.run(reading.units_of, lease.slice_id)
        how = configuration.read(work.configuration)
        session = self._session(settings.CALLBOARD_ALLOW | terms.also_allowed)
        client = EndpointClient(session, how.target, _key(work, terms, how.target.base_url))
        course = Course(lease.slots, work.failures_in_row)
        around = Surroundings(
            database=self._database,
            sandbox=self._sandbox,
            web=self._web,
            is_stopping=terms.is_stopping,
            on_verdict=terms.on_verdict,
            longest_turn=terms.longest_turn,
            goes_on_for=terms.goes_on_for,
        )
        asker = Asker(client, how.target, course, work)
        return Shift(Turn(around, lease, work, how, course, asker)), units

    async def _fail(self, lease: Lease, reason: str, *, is_our_fault: bool = False) -> None:
        run = await self._database.run(Run.objects.get, pk=lease.run_id)
        await self._database.run(partial(transitions.fail, run, reason, is_our_fault=is_our_fault))
        await self._database.run(storing.release, lease)

    def _session(self, allowed: frozenset[str]) -> aiohttp.ClientSession:
        if allowed not in self._sessions:
            self._sessions[allowed] = make_session(Guard.listing(allowed))
        return self._sessions[allowed]

    def _web(self) -> WebReader:
        url = settings.CALLBOARD_SERPAPI_URL
        inner = frozenset({URL(url).authority}) if url else frozenset[str]()
        return WebReader(self._session(inner), settings.CALLBOARD_SERPAPI_KEY, url)

    def _sandbox(self) -> SandboxPool:
        if self._pool is None:
            self._pool = SandboxPool()
        return self._pool

    def close(self) -> None:
        """End sandbox children, connections and the database thread."""
        self._runner.run(self._close())
        self._runner.close()
        self._database.close()

    async def _close(self) -> None:
        for session in self._sessions.values():
            await session.close()
        if self._pool is not None:
            await self._pool.close()


def _key(work: RunWork, terms: Terms, base_url: str) -> str:
    """Raises CannotOpen."""
    if terms.key is not None:
        return terms.key
    return open_sealed(work.sealed_key, origin_of(base_url)) if work.sealed_key else ""


_process: WorkerProcess | None = None


def here() -> WorkerProcess:
    """This process's own; a fork gets a new one."""
    global _process  # noqa: PLW0603  one per process is the point
    if _process is None or not _process.is_mine:
        _process = WorkerProcess()
    return _process


def leave() -> None:
    """Close this process's own, if it has one."""
    global _process  # noqa: PLW0603
    if _process is not None and _process.is_mine:
        _process.close()
    _process = None
