"""Uploads made on the spot: result folders, archives, and ones that mean harm."""

from __future__ import annotations

import copy
import gzip
import io
import json
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.result_layout import path_of

WHOLE = ("simple_javascript", "live_parallel")  # small categories


def line(case_id: str, result: Any = "I cannot help.", **figures: Any) -> bytes:
    return json.dumps({"id": case_id, "result": result, **figures}).encode() + b"\n"


def category_file(category: str, result: Any = "I cannot help.", **figures: Any) -> bytes:
    """A whole category, every case with one result."""
    return b"".join(line(case.id, result, **figures) for case in loader.cases(category))


def folder(categories: Iterable[str] = WHOLE) -> dict[str, bytes]:
    return {f"model-x/{path_of(name)}": category_file(name) for name in categories}


def zipped(
    files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, *, large: bool = False
) -> bytes:
    """With `large`, every entry has the records of one beyond 4 GB."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            with archive.open(name, "w", force_zip64=large) as member:
                member.write(content)
    return made.getvalue()


def zipped_twice(names: Iterable[str]) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, line("simple_python_0"))
    return made.getvalue()


def tarred(
    files: Mapping[str, bytes],
    links: Mapping[str, str] | None = None,
    kind: bytes = tarfile.SYMTYPE,
) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in files.items():
            archive.addfile(_member(name, len(content)), io.BytesIO(content))
        for name, target in (links or {}).items():
            member = _member(name, 0)
            member.type, member.linkname = kind, target
            archive.addfile(member)
    return made.getvalue()


def tarred_twice(names: Iterable[str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name in names:
            archive.addfile(_member(name, 3), io.BytesIO(b"{}\n"))
    return made.getvalue()


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def sparse(size: int) -> bytes:
    """A tar whose one file says that it is a hole of so many bytes."""
    content = b"%d\n0\n0\n" % 1
    headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    headers |= {"GNU.sparse.name": "results.jsonl", "GNU.sparse.realsize": str(size)}
    member = _member("results.jsonl", 512)
    member.pax_headers = headers
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(content.ljust(512, b"\0")))
    return made.getvalue()


def overlapping(files: int, megabytes: int) -> bytes:
    """A zip whose list names the same compressed bytes again and again."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0_score.json", blank_lines(megabytes))
        first = archive.infolist()[0]
        for number in range(1, files):
            again = copy.copy(first)
            again.filename = f"BFCL_v4_{number}_result.json"
            archive.filelist.append(again)
    return made.getvalue()


def encrypted() -> bytes:
    """A zip that says of its one file that it needs a password."""
    made = bytearray(zipped({"BFCL_v4_simple_python_result.json": b"{}"}))
    made[6] |= 1
    made[made.index(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def bomb(megabytes: int) -> bytes:
    """Gzip that unpacks to so many MB of blank lines: members of one MB, one after another."""
    return gzip.compress(blank_lines(1)) * megabytes


def blank_lines(megabytes: int) -> bytes:
    """Few lines, and long ones, so that bytes run out before lines do."""
    return (b" " * 65_535 + b"\n") * 16 * megabytes


def nameless() -> bytes:
    """A zip whose one file has an empty name."""
    made = zipped({"x": b"{}"})
    length = struct.Struct("<H")
    local, listed = made.index(b"PK\x03\x04"), made.index(b"PK\x01\x02")
    changed = bytearray(made)
    length.pack_into(changed, local + 26, 0)
    length.pack_into(changed, local + 28, 1)  # its letter becomes a note, which readers pass over
    length.pack_into(changed, listed + 28, 0)
    length.pack_into(changed, listed + 30, 1)
    return bytes(changed)


def with_a_long_list(entries: int) -> bytes:
    """A zip that says twice how long its list of files is: little at its end, much before that."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *[0] * 9, 1, *[0] * 6) + b"a"
    listed = entry * entries
    large = struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, len(listed), 30
    )
    pointer = struct.pack("<4sLQL", b"PK\x06\x07", 0, 30 + len(listed), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 47, 30, 0)
    return b"PK\x03\x04" + b"\0" * 26 + listed + large + pointer + end
