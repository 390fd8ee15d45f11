"""PostgreSQL and Valkey of the tests' own: one pair per session, shared by xdist's workers.

A developer's DATABASE_URL and REDIS_URL are ignored, and so is the data of `make run`.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import psutil

from leaderboard.embedded.errors import CannotStart
from leaderboard.embedded.servers import Servers

STARTED = "CALLBOARD_TEST_SERVERS"  # the servers' folder; xdist's workers inherit it
PREFIX = "callboard-tests-"


def start() -> None:
    """Start the servers and point the environment at them, once for a whole test session."""
    if STARTED in os.environ:
        return
    _clear_what_killed_sessions_left()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")).resolve()
    folder.chmod(0o711)
    servers = Servers(folder, given={}, throwaway=True)
    atexit.register(_stop, servers, folder, os.getpid())
    servers.start()
    os.environ.update(servers.environment())
    os.environ[STARTED] = str(folder)


def _stop(servers: Servers, folder: Path, started_by: int) -> None:
    if os.getpid() != started_by:  # a fork of the session ends, not the session
        return
    servers.stop()
    shutil.rmtree(folder, ignore_errors=True)
    if servers.home.moved:
        shutil.rmtree(servers.home.servers, ignore_errors=True)


def _clear_what_killed_sessions_left() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not pid.isdigit() or psutil.pid_exists(int(pid)) or not os.access(folder, os.W_OK):
            continue
        leftover = Servers(folder, given={}, throwaway=True)
        with contextlib.suppress(CannotStart):  # another session may be clearing it as well
            leftover.start()  # adopts what still runs, so that it can be stopped
            _stop(leftover, folder, os.getpid())
