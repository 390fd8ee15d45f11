"""The walls of the sandbox child, raised from inside before it reads a single message.

Each wall is independent of the others: limits of the kernel on resources, a network namespace
of its own without any interface, a system-call filter against sockets and new programs, and
an audit hook in Python itself that refuses files outside the libraries, sockets and programs.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import sysconfig
from pathlib import Path

MEMORY = 1024 * 1024 * 1024  # bytes of address space
CPU_PER_CALL = 3  # seconds of processor time one call may take
OPEN_FILES = 64

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000


def limit_resources(memory: int = MEMORY) -> None:
    """Kernel limits on memory, files written and files open. Nothing can raise them again."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def allow_processor_time(seconds: int = CPU_PER_CALL) -> None:
    """From now on the kernel kills this process once it has used that much more of a processor."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def leave_network() -> bool:
    """Enter a network namespace without interfaces; False where the system forbids it."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return any(libc.unshare(flags) == 0 for flags in (CLONE_NEWUSER | CLONE_NEWNET, CLONE_NEWNET))


# What the interpreter may not do from now on: audit events by the first part of their names.
_NETWORKING = ("ftplib", "http", "imaplib", "nntplib", "poplib", "smtplib", "socket", "telnetlib")
_OUTSIDE = ("ctypes", "fcntl", "mmap", "pty", "shutil", "subprocess", "syslog", "webbrowser")
_FORBIDDEN = frozenset((*_NETWORKING, *_OUTSIDE, "urllib"))
_ALLOWED_OF_OS = frozenset(("listdir", "putenv", "scandir", "unsetenv"))  # what imports take
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC


def readable_places() -> tuple[str, ...]:
    """Folders whose files a child may read: the interpreter, its libraries, our own package."""
    paths = sysconfig.get_paths()
    places = {sys.prefix, sys.base_prefix, paths["stdlib"], paths["purelib"], paths["platlib"]}
    places.add(str(Path(__file__).resolve().parent.parent))
    real = {os.path.realpath(place) for place in places}
    return tuple(sorted(os.path.join(place, "") for place in places | real))


def _is_forbidden(event: str) -> bool:
    family, _, name = event.partition(".")
    if family == "os":
        return name not in _ALLOWED_OF_OS
    return family in _FORBIDDEN


def watch_interpreter() -> None:
    """Install the audit hook. It cannot be taken out again while the process lives."""
    places = readable_places()
    forbidden: dict[str, bool] = {}

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            _refuse_file(arguments, places)
            return
        verdict = forbidden.get(event)
        if verdict is None:
            verdict = forbidden[event] = _is_forbidden(event)
        if verdict:
            raise PermissionError(f"the sandbox does not allow {event}")

    sys.addaudithook(refuse)


def _refuse_file(arguments: tuple[object, ...], places: tuple[str, ...]) -> None:
    path, mode, flags = arguments
    writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
    if writes or (isinstance(flags, int) and flags & _WRITING):
        raise PermissionError("the sandbox does not allow writing files")
    if isinstance(path, int):
        return
    name = os.path.abspath(os.fsdecode(path))  # type: ignore[arg-type]
    if not name.startswith(places):
        raise PermissionError("the sandbox does not allow reading this file")
