"""Reading what people upload, and where: an operator's files here, strangers' in the sandbox.

Whatever an upload unpacks to, the web process sees the bytes that were sent, and what came of them
within limits. The reading is done by a process of its own (submissions.reader).
"""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from io import UnsupportedOperation
from pathlib import Path
from typing import IO, Any, BinaryIO

from evaluation.benchmarks.bfcl_v4.manifest import NAME, Manifest, read_manifest
from evaluation.benchmarks.bfcl_v4.result_files import (
    Problem,
    Results,
    ResultsRefused,
    read_results,
)
from evaluation.sandbox.process import ENVIRONMENT, ROOT
from submissions import parcels
from submissions.archives import (
    LOCAL,
    MB,
    UNREADABLE,
    WEB,
    Limits,
    TooLarge,
    files_of,
    last,
    refused,
)
from submissions.refusals import Refused

__all__ = [
    "LOCAL",
    "MB",
    "WEB",
    "Busy",
    "Limits",
    "TooLarge",
    "Uploaded",
    "read_here",
    "read_upload",
]

log = logging.getLogger(__name__)

MOST_BYTES = 192 * MB  # of what the reader tells; it compresses results again
WALL = 45.0  # seconds for one upload; its processor time is limited by the kernel
PATIENCE = 2.0  # seconds to wait for the upload before
COMMAND = (
    "import sys; sys.path[:0] = [sys.argv[1]]; "
    "from submissions.reader import main; main(sys.argv[2])"
)
TAKES_TOO_LONG = (
    "It takes longer to read, or more memory, than results of its size do. Upload less at a time."
)
# One at a time in each web process: whatever people upload, other threads answer readers.
_turn = threading.BoundedSemaphore(1)


class Busy(Refused):
    """Too much is being read already; nothing is wrong with this upload."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """Results by category, and what the upload's own manifest says is missing."""

    results: Results
    manifest: Manifest


def read_upload(source: Path | BinaryIO, name: str, limits: Limits = WEB) -> Uploaded:
    """Read an upload whole: a path here, what was sent to the site in the sandbox.

    Args:
        source: A folder, a file, or a stream that can be sought.
        name: What it was called; decides how a loose file is read.

    Raises:
        ResultsRefused: With every problem by file and line.
        TooLarge: A limit is passed.
        Busy: Another upload is being read.
    """
    if isinstance(source, Path):
        return read_here(source, name, limits)
    with _as_file(source) as file, _in_turn():
        return _read_apart(file, name, limits)


def read_here(source: Path | BinaryIO, name: str, limits: Limits = WEB) -> Uploaded:
    """Read an upload in this very process. Raises as `read_upload`."""
    try:
        with closing(files_of(source, name, limits)) as files:
            manifests = [read_manifest(file) for file in files if last(file.name) == NAME]
        manifest = manifests[0] if manifests else Manifest()
        with closing(files_of(source, name, limits)) as files:
            return Uploaded(read_results(files, manifest.omitted), manifest)
    except UNREADABLE as error:
        raise refused(name, f"it cannot be read: {error}") from error


@contextmanager
def _as_file(stream: BinaryIO) -> Iterator[IO[bytes]]:
    """The stream as a file of the system, which another process can be given."""
    stream.seek(0)
    try:
        stream.fileno()
    except (UnsupportedOperation, AttributeError):  # a small upload, held in memory
        with tempfile.TemporaryFile() as file:
            shutil.copyfileobj(stream, file)
            file.seek(0)
            yield file
    else:
        yield stream


@contextmanager
def _in_turn() -> Iterator[None]:
    if not _turn.acquire(timeout=PATIENCE):
        raise Busy("Other uploads are being read at this moment. Send it again in a minute.")
    try:
        yield
    finally:
        _turn.release()


def _read_apart(file: IO[bytes], name: str, limits: Limits) -> Uploaded:
    order = json.dumps({"name": name, "limits": asdict(limits)})
    with subprocess.Popen(  # noqa: S603 -- our own program; the name is one of its arguments
        [sys.executable, "-P", "-s", "-B", "-c", COMMAND, str(ROOT), order],
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
    ) as reader:
        clock = threading.Timer(WALL, reader.kill)
        clock.start()
        try:
            return _unpacked(_told(reader))
        finally:
            clock.cancel()
            reader.kill()


def _told(reader: subprocess.Popen[bytes]) -> Iterator[Any]:
    """Every parcel that the reader sends, as it comes. Raises TooLarge if they do not end well."""
    assert reader.stdout
    left = MOST_BYTES
    while line := reader.stdout.readline(parcels.MOST_IN_ONE):
        left -= len(line)
        if line.rstrip() == parcels.END:
            return
        if left < 0 or not line.endswith(b"\n"):
            raise TooLarge(TAKES_TOO_LONG)
        yield json.loads(line)
    log.warning("The reader of an upload ended by itself: %s", reader.wait())
    raise TooLarge(TAKES_TOO_LONG)


def _unpacked(told: Iterator[Any]) -> Uploaded:
    """What the reader found; its refusals are raised here as they were there."""
    first = next(told)
    if first["kind"] == parcels.TOO_LARGE:
        raise TooLarge(first["why"])
    if first["kind"] == parcels.REFUSED:
        problems = [Problem(*each) for each in first["problems"]]
        raise ResultsRefused(problems, first["more"], is_too_large=first["is_too_large"])
    return Uploaded(parcels.results_of(first, told), parcels.manifest_of(first))
