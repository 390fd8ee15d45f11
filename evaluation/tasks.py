"""Celery's door to the runner: ids in, nothing out, everything safe to deliver twice."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from celery.signals import (
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)
from django.db import DatabaseError
from django.db.models import Q

from evaluation.models import Slice
from evaluation.runner import process, queueing, rejudging, shutdown
from evaluation.runner.settling import our_fault

log = logging.getLogger(__name__)


@shared_task
def work_slice(slice_id: int) -> None:
    """Work on one slice if it is free, then send hints for what can follow."""
    process.here().work(slice_id)
    try:
        run_id = Slice.objects.filter(pk=slice_id).values_list("run_id", flat=True).first()
        if run_id is not None:
            send_hints(queueing.around(run_id))
    except DatabaseError as error:
        log.warning("Slice %s: no hint for what follows, the sweep will: %s", slice_id, error)


@shared_task
def sweep() -> None:
    """Every 15 seconds: repair what was lost, and set waiting runs going."""
    _send(queueing.sweep())
    hint_judging()


@shared_task
def judge_chunk(scoring_id: int, category_id: int, number: int) -> None:
    """Judge a stretch of stored replies, unless that has been done."""
    try:
        rejudging.here().judge(rejudging.Chunk(category_id, number, scoring_id))
        rejudging.close_if_whole(scoring_id)
    except DatabaseError:
        log.exception("Scoring %s: a chunk was not stored; the sweep sends it again", scoring_id)
    except Exception as error:
        log.exception("Scoring %s cannot be judged", scoring_id)
        rejudging.give_up(scoring_id, our_fault(f"of category {category_id}", error))


def hint_judging() -> None:
    """Send hints for every chunk of scorings in which nothing moves."""
    for chunk in rejudging.claim_chunks():
        try:
            judge_chunk.delay(chunk.scoring_id, chunk.category_id, chunk.number)
        except judge_chunk.OperationalError as error:
            log.warning("Scoring %s: the broker took no hint: %s", chunk.scoring_id, error)
            return


def hint_run(run_id: int) -> None:
    """Set a run going; call it when the transaction that changed it is committed."""
    try:
        send_hints(Q(pk=run_id))
    except DatabaseError:
        log.exception("Run %s: no hint was sent; the sweep will find it", run_id)


def send_hints(scope: Q | None = None) -> None:
    _send(queueing.claim_hints(scope))


def _send(slice_ids: Iterable[int]) -> None:
    """A broker that is down costs nothing but time: the sweep sends again what got lost."""
    for slice_id in slice_ids:
        try:
            work_slice.delay(slice_id)
        except work_slice.OperationalError as error:
            log.warning("Slice %s: the broker took no hint: %s", slice_id, error)


@worker_init.connect
def _before_forks(**_: object) -> None:
    shutdown.prepare()


@worker_process_init.connect
def _after_fork(**_: object) -> None:
    shutdown.watch()


@worker_shutting_down.connect
def _tell_children(**_: object) -> None:
    shutdown.announce()


@worker_process_shutdown.connect
def _leave(**_: object) -> None:
    process.leave()
    rejudging.leave()
