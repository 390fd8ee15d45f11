"""Uploads made on the spot: result folders, archives, and ones that mean harm."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.result_files import path_of

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
    return gzip.compress((b" " * 1023 + b"\n") * 1024) * megabytes
