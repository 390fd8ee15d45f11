"""A world that tries what a sandbox child must not be able to do, and says how that went.

The doctor and the tests open it like any other world: walls are tried, not trusted.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from evaluation.engine.types import JSON

POSSIBLE, REFUSED = "possible", "refused"


def _connect() -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=1).close()


def _open_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def _start_program() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


def _write_file() -> None:
    Path("/tmp/callboard-probe").write_text("x", encoding="ascii")  # noqa: S108 - must fail


def _read_elsewhere() -> None:
    Path("/etc/hostname").read_bytes()


def _read_parent() -> None:
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


def _take_memory() -> None:
    bytearray(4 * 1024 * 1024 * 1024)


ATTEMPTS: Mapping[str, Callable[[], None]] = {
    "connect": _connect,
    "open a socket": _open_socket,
    "start a program": _start_program,
    "write a file": _write_file,
    "read a file elsewhere": _read_elsewhere,
    "read the worker's environment": _read_parent,
    "take 4 GB of memory": _take_memory,
}


class Probe:
    """A `LiveWorld` whose calls are the names of `ATTEMPTS`, and `environment`, `modules`."""

    def act(self, call: str) -> str:
        if call == "environment":
            return " ".join(sorted(os.environ))
        if call == "modules":
            return " ".join(sorted({name.partition(".")[0] for name in sys.modules}))
        try:
            ATTEMPTS[call]()
        except (OSError, MemoryError):
            return REFUSED
        return POSSIBLE

    def snapshot(self) -> JSON:
        return None


def build(config: Mapping[str, JSON], start: JSON, clock: datetime) -> Probe:
    """The probing world; it needs nothing."""
    return Probe()
