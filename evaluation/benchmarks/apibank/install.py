"""Putting the data in place: from a checkout, a tarball, or a tarball's address.

Nothing of the source is run or unpacked as it comes: only files with known names are read, each
bounded, and written again under our own names. Content is compared with the pinned digests.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evaluation.benchmarks.apibank.corpus import (
    Corpus,
    GoldCall,
    find_root,
    read_corpus,
)
from evaluation.benchmarks.apibank.place import COMMIT, HOW_TO_GET, NO_TASKS, TASKS, data_folder
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.engine.types import JSON

LICENCE = "Apache-2.0"
PINNED = {
    "dialogues": "6ba2e60d3aec51479226205def721dd3b3a69efc9d2d4904a67d21c9681f0b02",
    "databases": "d00b8ec9d5eb06c3b4534e8a56fdd7736176e2ae20b292a473b9ddf4baa95a21",
    "tasks": "6ffe8dcd652d6cb49f2a66c7d9b4a77d95dd070cd51250ed0aae6e068f12a4a2",
}
WANTED = re.compile(
    r"(?P<root>(?:[^/]+/)*)"
    r"(?P<name>init_database/[^/]+\.json|lv1-lv2-samples/level-[12]-[a-z-]+/[^/]+\.jsonl"
    r"|(?:test-|test_|json_test_)data/level-3\.json|tools\.json|(?:lv3_)?apis/[^/]+\.py|LICENSE[^/]*)"
)
LARGEST_DOWNLOAD = 1024**3  # bytes
LONGEST_DOWNLOAD = 900  # seconds
LARGEST_FILE = 8 * 1024**2  # bytes of one file that is kept
LARGEST_TOTAL = 64 * 1024**2  # bytes of all files that are kept
MOST_MEMBERS = 500_000  # entries of a tarball
BLOCK = 1024**2

Files = dict[str, bytes]


def install(source: str, target: Path | None = None, tasks: str = "") -> str:
    """Install from a folder, a tarball or an http(s) address; one sentence about what was done.

    `tasks` names a file or address of level-3.json where the source itself has none.

    Raises BenchmarkMissing where the source holds no data, BenchmarkBroken where it holds other
    data than expected.
    """
    target = target or data_folder()
    files = _collect(source)
    if tasks:
        files[TASKS] = _read_tasks(tasks)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".apibank-") as scratch:
        fresh = Path(scratch) / "data"
        _write(files, fresh)
        corpus = read_corpus(fresh)
        digest = check(corpus)
        manifest = {"source": source, "commit": COMMIT, "digest": digest, "licence": LICENCE}
        (fresh / "manifest.json").write_text(json.dumps(manifest, indent=1), "utf-8")
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    done = f"Installed {len(files)} files of API-Bank ({LICENCE}) in {target}."
    return done if corpus.tasks else f"{done} {NO_TASKS}"


def _collect(source: str) -> Files:
    if re.match(r"https?://", source):
        with tempfile.TemporaryFile() as archive:
            download(source, archive)
            archive.seek(0)
            return _from_tarball(archive, source)
    path = Path(source).expanduser()
    if path.is_dir():
        return _from_folder(find_root(path))
    if path.is_file():
        with path.open("rb") as archive:
            return _from_tarball(archive, source)
    raise BenchmarkMissing(f"There is neither a folder nor a file {source}. {HOW_TO_GET}")


def _read_tasks(place: str) -> bytes:
    """The file of level 3 from a path or an address. Raises BenchmarkMissing."""
    if re.match(r"https?://", place):
        sink = io.BytesIO()
        download(place, sink, LARGEST_FILE)
        return sink.getvalue()
    path = Path(place).expanduser()
    if not path.is_file() or path.stat().st_size > LARGEST_FILE:
        raise BenchmarkMissing(f"{place} is no file of tasks.")
    return path.read_bytes()


def download(url: str, sink: IO[bytes], left: int = LARGEST_DOWNLOAD) -> None:
    """Fetch an http(s) address of at most `left` bytes.

    Raises BenchmarkMissing when it fails, is too large or too slow.
    """
    import urllib.request  # here, because scoring a file should not wait for it

    ends = time.monotonic() + LONGEST_DOWNLOAD
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - checked: http(s)
            while block := answer.read(BLOCK):
                left -= len(block)
                if left < 0 or time.monotonic() > ends:
                    raise BenchmarkMissing(f"{url} is too large or too slow to be fetched.")
                sink.write(block)
    except OSError as trouble:
        raise BenchmarkMissing(f"{url} cannot be fetched: {trouble}") from trouble


def _from_folder(root: Path) -> Files:
    files: Files = {}
    for path in sorted(root.rglob("*")):
        found = WANTED.fullmatch(path.relative_to(root).as_posix())
        if found and not found["root"] and path.is_file() and not path.is_symlink():
            if path.stat().st_size > LARGEST_FILE:
                raise BenchmarkBroken(f"{path} is larger than any file of API-Bank.")
            files[found["name"]] = path.read_bytes()
    return files


def _from_tarball(archive: IO[bytes], source: str) -> Files:
    """Known files of the one folder of a tarball that holds the databases."""
    by_root: dict[str, Files] = {}
    total = 0
    try:
        for root, name, content in _members(archive):
            total += len(content)
            if total > LARGEST_TOTAL:
                raise BenchmarkBroken(f"{source} holds more data than API-Bank has.")
            by_root.setdefault(root, {})[name] = content
    except (tarfile.TarError, OSError, EOFError) as fault:
        raise BenchmarkBroken(f"{source} is no tarball that can be read: {fault}") from fault
    for files in by_root.values():
        if "init_database/Account.json" in files:
            return files
    raise BenchmarkMissing(f"There is no API-Bank data in {source}.")


def _members(archive: IO[bytes]) -> Iterator[tuple[str, str, bytes]]:
    """Root, name and content of every wanted regular file, without unpacking anything."""
    with tarfile.open(fileobj=archive, mode="r|*") as tar:
        for number, member in enumerate(tar):
            if number > MOST_MEMBERS:
                raise tarfile.TarError("it has too many entries")
            found = WANTED.fullmatch(member.name.removeprefix("./"))
            if found is None or not member.isreg() or member.size > LARGEST_FILE:
                continue
            content = tar.extractfile(member)
            if content is not None:
                yield found["root"], found["name"], content.read(LARGEST_FILE)


def _write(files: Files, folder: Path) -> None:
    for name, content in files.items():
        path = folder / (TASKS if name.endswith("/level-3.json") else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def check(corpus: Corpus) -> str:
    """The digest of all data. Raises BenchmarkBroken where a part is not the pinned one.

    Tasks may be absent, but not others.
    """
    digests = part_digests(corpus)
    for part, pinned in PINNED.items():
        if digests[part] != pinned and (part != "tasks" or corpus.tasks):
            raise BenchmarkBroken(
                f"The {part} of API-Bank are not those of commit {COMMIT}: nothing can be "
                "compared with them. Fetch that commit again."
            )
    return _digest(digests)


def part_digests(corpus: Corpus) -> dict[str, str]:
    """A digest of what each part says, whatever its files' white space."""
    return {
        "dialogues": _digest([[one.sample, list(one.entries)] for one in corpus.dialogues]),
        "databases": _digest(dict(corpus.databases)),
        "tasks": _digest(
            [[one.requirement, one.response, _chain(one.calls)] for one in corpus.tasks]
        ),
        "descriptions": _digest(corpus.descriptions),
    }


def _chain(calls: tuple[GoldCall, ...] | JSON) -> JSON:
    return [[call.tool, call.written, call.record] for call in calls]


def _digest(value: JSON) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
