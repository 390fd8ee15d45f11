"""The files of an upload: loose, in a folder, a zip or a tar, and nothing else.

Nothing is ever unpacked to disk. Files are streamed, and every byte that comes out of a compressed
one counts against one budget, so a small file that swells is refused as soon as it does.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from evaluation.benchmarks.bfcl_v4.result_files import File, Problem, ResultsRefused

MB = 1024 * 1024
MAX_NAME = 300  # characters of a path within an archive
MAX_DIRECTORY = 2 * MB  # bytes of a zip's list of files
MAX_TAR_HEADER = 64 * 1024  # bytes of a tar's own notes on a file
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
UNREADABLE = (
    *(OSError, EOFError, ValueError, struct.error, zlib.error),
    *(zipfile.BadZipFile, tarfile.TarError),
)


class TooLarge(Exception):
    """A limit is passed; the message names it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read. `ratio`: bytes that may come out of one compressed byte."""

    size: int = 64 * MB
    expanded: int = 1024 * MB
    ratio: int = 200
    always: int = 16 * MB  # expanded, whatever the ratio
    files: int = 500


WEB = Limits()
LOCAL = Limits(size=2048 * MB, expanded=8192 * MB, files=2000)


class Budget:
    """Bytes that may still come out of compressed files."""

    def __init__(self, limits: Limits, compressed: int) -> None:
        self._limits = limits
        self._most = min(limits.expanded, max(limits.always, limits.ratio * compressed))
        self._used = 0
        self._names: set[str] = set()

    def spend(self, count: int) -> None:
        self._used += count
        if self._used > self._most:
            raise TooLarge(
                f"It unpacks to more than {self._most // MB:,} MB, which is more than result "
                "files of its size do. Leave out logs, or upload less at a time."
            )

    def file(self, name: str) -> None:
        """One more file, of a name that no other has, whatever system it was packed on."""
        if len(self._names) >= self._limits.files:
            raise TooLarge(f"It holds more than {self._limits.files} files.")
        alike = unicodedata.normalize("NFKC", name).casefold()
        if alike in self._names:
            raise refused(name, "it is there twice; which one counts cannot be told.")
        self._names.add(alike)


class Counted(io.RawIOBase):
    """A stream whose every byte is paid for. What breaks in it is an OSError."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        room = cast(memoryview, buffer)
        try:
            found = self._stream.read(len(room))
        except (zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError) as error:
            raise OSError(f"its compression is broken ({error})") from error
        self._budget.spend(len(found))
        room[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._stream.close()
        super().close()


def refused(name: str, reason: str) -> ResultsRefused:
    return ResultsRefused([Problem(_printable(name), 0, reason)])


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in name[:MAX_NAME])


def last(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def files_of(source: Path | BinaryIO, name: str, limits: Limits) -> Generator[File, None, None]:
    """Every file of an upload, to be read before the next one is asked for."""
    if isinstance(source, Path):
        if source.is_dir():
            yield from _of_folder(source, limits)
            return
        with source.open("rb") as stream:
            yield from _of_stream(stream, name, limits)
        return
    source.seek(0)
    yield from _of_stream(source, name, limits)


def _of_stream(stream: BinaryIO, name: str, limits: Limits) -> Iterator[File]:
    size = stream.seek(0, os.SEEK_END)
    if size > limits.size:
        raise TooLarge(f"It has {size // MB:,} MB; at most {limits.size // MB:,} MB are read.")
    budget = Budget(limits, size)
    stream.seek(0)
    start = stream.read(4)
    stream.seek(0)
    if start == ZIP:
        yield from _of_zip(stream, name, budget, limits)
    elif start.startswith(GZIP) and name.endswith((".tar.gz", ".tgz")):
        within = Budget(limits, size)
        yield from _of_tar(cast(IO[bytes], gzip.GzipFile(fileobj=stream)), budget, within)
    elif name.endswith(".tar"):
        yield from _of_tar(stream, budget, Budget(limits, size))
    else:
        yield File(_printable(last(name)), lambda: _opened(_unclosed(stream), name, budget))


def _of_folder(folder: Path, limits: Limits) -> Iterator[File]:
    """Files below a folder; links are refused, whatever they lead to."""
    paths = sorted(folder.rglob("*"))
    for path in paths:
        if path.is_symlink():
            raise refused(str(path.relative_to(folder)), "it is a link; give the file itself.")
    budget = Budget(limits, sum(path.stat().st_size for path in paths if path.is_file()))
    for path in paths:
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            budget.file(name)
            yield File(name, _opener(path.open, name, budget))


def _of_zip(stream: BinaryIO, name: str, budget: Budget, limits: Limits) -> Iterator[File]:
    _check_directory(stream, name)
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.filename.endswith("/"):
                continue
            budget.file(member.filename)
            _check_member(member.filename, stat.S_ISLNK(member.external_attr >> 16))
            if member.flag_bits & 1:
                raise refused(member.filename, "it is encrypted.")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise refused(member.filename, "its compression is unusual: use deflate.")
            open_member = _zip_member(archive, member)
            yield File(member.filename, _opener(open_member, member.filename, budget))


def _zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[str], IO[bytes]]:
    def opened(_: str) -> IO[bytes]:
        try:
            return archive.open(member)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise OSError(str(error)) from error

    return opened


_END = struct.Struct("<4s4H2LH")  # a zip's last record: numbers of files, size of their list, …
_END64 = struct.Struct("<4sQ2H2L4Q20x")  # the same of a large zip, with what points to it


def _check_directory(stream: BinaryIO, name: str) -> None:
    """The list of files is read whole into memory: it must be small."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _END64.size - _END.size - 65_535))
    tail = stream.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) - place < _END.size:
        raise refused(name, "it is no whole zip archive.")
    directory = _END.unpack_from(tail, place)[5]
    if tail[max(0, place - 20) : place].startswith(b"PK\x06\x07") and place >= _END64.size:
        # Whoever opens the archive believes this record, whatever the last one says.
        directory = max(directory, _END64.unpack_from(tail, place - _END64.size)[8])
    if directory > MAX_DIRECTORY:
        raise TooLarge("It holds more files than result folders do.")
    stream.seek(0)


class _SmallHeaders(tarfile.TarInfo):
    """A tar's notes on a file (long names, times) are read whole: they must be small."""

    NOTES = (
        *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
        *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.GNUTYPE_SPARSE),
    )

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> _SmallHeaders:  # type: ignore[override]
        found = super().frombuf(buf, encoding, errors)
        if found.type in cls.NOTES and found.size > MAX_TAR_HEADER:
            raise TooLarge("A header in the archive is larger than headers are.")
        return found


def _of_tar(stream: IO[bytes], budget: Budget, within: Budget) -> Iterator[File]:
    """Files of a tar, which is one stream: `budget` is for its bytes, `within` for its files'."""
    counted = io.BufferedReader(Counted(_unclosed(stream), budget))
    with tarfile.open(fileobj=counted, mode="r|", tarinfo=_SmallHeaders) as archive:
        for member in archive:
            if member.isdir():
                continue
            budget.file(member.name)
            _check_member(member.name, not member.isfile())
            found = archive.extractfile(member)
            if found is None:
                raise refused(member.name, "it is no plain file.")
            yield File(member.name, _opener(partial(_same, found), member.name, within))


def _same(stream: IO[bytes], _: str) -> IO[bytes]:
    return stream


def _check_member(name: str, is_link: bool) -> None:
    path = PurePosixPath(name)
    if not path.parts:
        raise refused(name or "upload", "it holds a file without a name.")
    if is_link:
        raise refused(name, "it is a link or a device; only plain files are read.")
    if len(name) > MAX_NAME or not name.isprintable():
        raise refused(name, "its name is too long or has odd letters.")
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in path.parts[0]:
        raise refused(name, "its path leads out of the archive.")


def _opener(
    opened: Callable[[str], IO[bytes]], name: str, budget: Budget
) -> Callable[[], BinaryIO]:
    return lambda: _opened(opened("rb"), name, budget)


def _opened(stream: IO[bytes], name: str, budget: Budget) -> BinaryIO:
    """A file's own bytes, decompressed where its name says so, every one of them counted."""
    if name.endswith(".gz"):
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=stream))
    return cast(BinaryIO, io.BufferedReader(Counted(stream, budget)))


class _Unclosed(io.RawIOBase):
    """A stream whose closing is somebody else's business."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size)


def _unclosed(stream: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], _Unclosed(stream))
