"""Uploads made on the spot: result folders, archives, and ones that mean harm."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tarfile
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


def zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def tarred(files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return made.getvalue()


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
