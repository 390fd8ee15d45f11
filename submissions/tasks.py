"""Periodic work of this app. Safe to deliver twice."""

from __future__ import annotations

from celery import shared_task

from submissions import mailing, services


@shared_task(ignore_result=True)
def follow_runs() -> None:
    """Carry out what follows from the runs' events since the last time."""
    services.follow_runs()


@shared_task(ignore_result=True)
def forget_keys() -> None:
    """Delete the keys whose time is over: no event happens on the fourteenth day."""
    services.forget_keys()


@shared_task(ignore_result=True)
def send_mail() -> None:
    """Send what became due since the last time, each at most once."""
    mailing.send_due()
