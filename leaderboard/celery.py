"""The Celery application. leaderboard.apps imports it, so that tasks find it in every process."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("callboard")
app.config_from_object("django.conf:settings", namespace="CELERY")  # where the broker is


@app.on_configure.connect
def configure(sender: Celery, **_: object) -> None:
    """Everything that no installation needs to change."""
    from django.conf import settings

    sender.conf.update(
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever: a broker restarts, a worker waits
        broker_transport_options={
            "global_keyprefix": settings.KEY_PREFIX,
            # Far above the length of any task (5 minutes and one request), or it would run twice.
            "visibility_timeout": 60 * 60,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 25,
        },
        # A hint that cannot be sent is no loss: the sweep finds the work in the database.
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_max": 0.2},
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,  # log lines go through the blotting formatter
        timezone="UTC",
        beat_schedule=SCHEDULE,
    )


SWEEP = 15  # seconds


def _every(seconds: int, task: str) -> dict[str, object]:
    """A message nobody fetched in time is worth nothing: the next one does the same."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


SCHEDULE = {
    "sweep": _every(SWEEP, "evaluation.tasks.sweep"),
    "follow-runs": _every(SWEEP, "submissions.tasks.follow_runs"),
    "find-ranges": _every(60, "leaderboard.tasks.find_all_ranges"),
    "send-mail": _every(SWEEP, "submissions.tasks.send_mail"),
    "forget-keys": _every(60 * 60, "submissions.tasks.forget_keys"),
}

app.autodiscover_tasks()
