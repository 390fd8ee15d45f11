"""Starting processes that outlive a Ctrl-C, knowing them again, ending them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from leaderboard.embedded.home import Home

PLAIN_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def start(
    command: Sequence[str | Path],
    log: Path,
    *,
    folder: Path,
    environment: Mapping[str, str] = PLAIN_ENVIRONMENT,
    account: Home | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, so that a terminal's Ctrl-C does not reach it.

    A server's environment is bare: a person's PGDATA or PGPORT would change what it does.
    """
    uid = account.uid if account else None
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 -- our own command lines
            [os.fspath(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
            user=uid,
            group=account.gid if account else None,
            extra_groups=None if uid is None else [],
        )


def alive(pid: int) -> psutil.Process | None:
    """The process, unless it is gone or a zombie that nobody has reaped yet."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None


def is_same(process: psutil.Process, started: float) -> bool:
    """Whether a process found by its number is the one recorded, not a later namesake."""
    try:
        return bool(abs(process.create_time() - started) < 1)
    except psutil.NoSuchProcess:
        return False


def was_told(process: psutil.Process, directory: Path) -> bool:
    """Whether this directory is one of the arguments the process was started with."""
    try:
        return os.fspath(directory) in process.cmdline()
    except psutil.Error:
        return False


def end(process: psutil.Process, how: signal.Signals, patience: float) -> None:
    """Ask a process to end; after `patience` seconds, make it."""
    try:
        process.send_signal(how)
        process.wait(patience)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(5)
    except psutil.NoSuchProcess:
        pass


def free_port(wanted: int | None = None) -> int:
    """A port of 127.0.0.1 that nothing listens on: the wanted one where possible."""
    for port in (wanted, 0) if wanted else (0,):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no free port on 127.0.0.1")


def last_words(log: Path, lines: int = 3) -> str:
    """The end of a log, for the one line that tells a person what went wrong."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4096))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return " / ".join(line.strip() for line in text.splitlines()[-lines:] if line.strip())
