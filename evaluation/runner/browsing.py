"""The web for one run: from records where they may be used, else fetched and recorded."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from evaluation.client.web import WebReader
from evaluation.engine.play import Fetch, Fetched, WebRequest, WebResponse
from evaluation.engine.text import storable
from evaluation.models import Run, WebRecord
from evaluation.runner.database import Database

REPLAY = "replay"  # the mode in which every run sees the web that was recorded first


@dataclass(frozen=True, slots=True)
class Browser:
    """Answers `Fetch` for one run.

    In replay mode whatever is recorded for the benchmark's version is used; in live mode only
    what was recorded since the run began, so that a resumed case sees its own web again.
    """

    database: Database
    reader: Callable[[], WebReader]
    run_id: int
    since: datetime
    is_replay: bool

    async def fetch(self, step: Fetch) -> Fetched:
        """One response for each request. Raises SearchUnavailable."""
        return Fetched(tuple([await self._one(request) for request in step.requests]))

    async def _one(self, request: WebRequest) -> WebResponse:
        since = None if self.is_replay else self.since
        recorded = await self.database.run(find, self.run_id, request.key, since)
        if recorded is not None:
            return recorded
        response = await self.reader().get(request)
        return await self.database.run(
            record, self.run_id, request, response, keep_first=self.is_replay
        )


def find(run_id: int, key: str, since: datetime | None) -> WebResponse | None:
    """The recorded response to a request, if there is one, and one young enough."""
    records = WebRecord.objects.filter(benchmark__entries__runs=run_id, key=key)
    if since is not None:
        records = records.filter(fetched_at__gte=since)
    row = records.first()
    return None if row is None else _response(row)


def record(
    run_id: int, request: WebRequest, response: WebResponse, *, keep_first: bool
) -> WebResponse:
    """Keep a response for the benchmark's version of this run; gives what is kept now.

    With `keep_first` a response that another run recorded meanwhile stays.
    """
    run = Run.objects.select_related("entry").get(pk=run_id)
    keep = WebRecord.objects.get_or_create if keep_first else WebRecord.objects.update_or_create
    row, _ = keep(
        benchmark_id=run.entry.benchmark_id,
        key=request.key,
        defaults={
            "url": storable(request.url),
            "status": response.status,
            "content_type": storable(response.content_type)[:100],
            "trouble": storable(response.trouble),
            "body": zlib.compress(response.text.encode("utf-8", "surrogatepass")),
            "fetched_at": timezone.now(),
        },
    )
    return _response(row)


def _response(row: WebRecord) -> WebResponse:
    text = zlib.decompress(bytes(row.body)).decode("utf-8", "surrogatepass")
    return WebResponse(row.status, text, row.content_type, row.trouble)
