"""JSON lines in and out, for commands that answer before anything else is set up."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol, cast

from evaluation.engine.types import JSON

MAX_LINE = 32 * 1024 * 1024  # bytes of one line that are read; what follows is skipped
_GZIP_MAGIC = b"\x1f\x8b"


class Output(Protocol):
    """Where a command writes: a text stream, or Django's wrapper around one."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class Unreadable(Exception):
    """A file cannot be read; the message names it and says why."""


class Malformed(ValueError):
    """A line is not what it should be; the message says why."""


def lines_of(path: str) -> Iterator[bytes]:
    """`numbered_lines`, without the numbers. Raises Unreadable."""
    return (line for _, line in numbered_lines(path))


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, gzipped or not, by number from 1; "-" is standard input.

    A line longer than MAX_LINE is cut there, so memory stays bounded; blank lines are left out.

    Raises:
        Unreadable: There is no such file, it may not be read, or its compression is broken.
    """
    number = 0
    try:
        with _opened(path) as file:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if not line.endswith(b"\n") and len(line) > MAX_LINE:
                    _skip_line(file)
                if line.strip():
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(f"{path} cannot be read: {reason}") from error


def _opened(path: str) -> IO[bytes]:
    if path == "-":
        return sys.stdin.buffer
    with Path(path).open("rb") as file:
        is_gzipped = file.read(2) == _GZIP_MAGIC
    return cast("IO[bytes]", gzip.open(path)) if is_gzipped else Path(path).open("rb")


def _skip_line(file: IO[bytes]) -> None:
    while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
        pass


def object_in(line: bytes) -> dict[str, Any]:
    """The JSON object of a line. Raises Malformed."""
    if len(line) > MAX_LINE:
        raise Malformed(f"the line is longer than {MAX_LINE} bytes")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed("the line is not JSON") from error
    if not isinstance(found, dict):
        raise Malformed("the line is not a JSON object")
    return found


def as_line(entry: JSON) -> str:
    """One line of ASCII JSON, with its end."""
    return json.dumps(entry) + "\n"
