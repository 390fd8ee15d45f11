"""How gunicorn serves the site: `gunicorn -c python:leaderboard.gunicorn leaderboard.wsgi`."""

import os

bind = os.environ.get("CALLBOARD_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("CALLBOARD_WEB_WORKERS") or 2)
threads = 4  # a slow reader holds a thread, not a process
worker_class = "leaderboard.patient_worker.PatientWorker"  # slow senders hold no thread
timeout = 30
graceful_timeout = 8
keepalive = 5
control_socket_disable = True  # nobody uses it, and all sites of one user would share its path
max_requests = 20_000
max_requests_jitter = 2_000
# The heartbeat file: memory where there is some, so that a full disk does not stop the site.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
limit_request_line = 8190
