"""Installing the data from a folder, a tarball, an address; refusing anything else."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evaluation.benchmarks.apibank.corpus import read_corpus
from evaluation.benchmarks.apibank.descriptions import read_descriptions
from evaluation.benchmarks.apibank.install import data_folder, install
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing

PARTS = ("init_database", "lv1-lv2-samples", "test-data", "tools.json", "LICENSE.api-bank")


@pytest.fixture
def tarball(checkout: Path, tmp_path: Path) -> Path:
    path = tmp_path / "upstream.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for part in PARTS:
            archive.add(checkout / "data" / part, f"DAMO-ConvAI-483554ea/api-bank/{part}")
    return path


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address(tarball: Path) -> Iterator[str]:
    handler = partial(QuietHandler, directory=str(tarball.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_folder_a_tarball_and_an_address_install_the_same(
    checkout: Path, tarball: Path, address: str, tmp_path: Path
) -> None:
    sources = [str(checkout), str(tarball), f"{address}/{tarball.name}"]
    targets = [tmp_path / f"installed-{number}" for number in range(3)]

    sentences = [install(*pair) for pair in zip(sources, targets, strict=True)]

    digests = {json.loads((one / "manifest.json").read_text())["digest"] for one in targets}
    assert len(digests) == 1
    assert all("Apache-2.0" in sentence for sentence in sentences)
    assert len(read_corpus(targets[2]).tasks) == 50


def test_an_installation_replaces_the_one_before(checkout: Path, tmp_path: Path) -> None:
    target = tmp_path / "data"
    install(str(checkout), target)
    (target / "stray").write_text("old")

    install(str(checkout), target)

    assert not (target / "stray").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_changed_data_is_refused_and_nothing_is_installed(checkout: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(checkout / "data", changed)
    bank = changed / "init_database" / "Bank.json"
    bank.chmod(0o600)
    bank.write_text("{}")

    with pytest.raises(BenchmarkBroken, match="The databases of API-Bank are not those"):
        install(str(changed), tmp_path / "data")

    assert not (tmp_path / "data").exists()


def test_a_checkout_without_the_tasks_says_where_they_are(checkout: Path, tmp_path: Path) -> None:
    partial_copy = tmp_path / "checkout"
    for part in PARTS:
        if part != "test-data":
            source = checkout / "data" / part
            (shutil.copytree if source.is_dir() else shutil.copy)(source, partial_copy / part)

    with pytest.raises(BenchmarkMissing, match="liminghao1630/API-Bank"):
        install(str(partial_copy), tmp_path / "data")


def test_the_tasks_may_come_from_a_file_or_an_address_of_their_own(
    checkout: Path, address: str, tarball: Path, tmp_path: Path
) -> None:
    without = tmp_path / "checkout"
    shutil.copytree(checkout / "data", without, ignore=shutil.ignore_patterns("test-data"))
    tasks = tarball.parent / "level-3.json"
    shutil.copyfile(checkout / "data" / "test-data" / "level-3.json", tasks)

    for number, place in enumerate((str(tasks), f"{address}/level-3.json")):
        target = tmp_path / f"data-{number}"
        install(str(without), target, tasks=place)

        assert len(read_corpus(target).tasks) == 50

    with pytest.raises(BenchmarkMissing, match="no file of tasks"):
        install(str(without), tmp_path / "data", tasks=str(tmp_path / "nothing"))


@pytest.mark.parametrize("source", ["", "nowhere"])
def test_a_source_that_is_not_there_says_how_to_get_the_data(source: str, tmp_path: Path) -> None:
    place = tmp_path / source if source else tmp_path

    with pytest.raises(BenchmarkMissing, match="load_benchmark apibank"):
        install(str(place), tmp_path / "data")


def test_a_missing_address_is_named(address: str, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkMissing, match="cannot be fetched"):
        install(f"{address}/nothing.tar.gz", tmp_path / "data")


def test_what_is_no_tarball_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.tar.gz").write_text("no tarball")

    with pytest.raises(BenchmarkBroken, match="no tarball"):
        install(str(tmp_path / "file.tar.gz"), tmp_path / "data")


def test_a_tarball_writes_nothing_outside_and_follows_no_link(tmp_path: Path) -> None:
    path = tmp_path / "hostile.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("../../escaped/init_database/Account.json", "/init_database/Account.json"):
            member = tarfile.TarInfo(name)
            member.size = 2
            archive.addfile(member, io.BytesIO(b"{}"))
        link = tarfile.TarInfo("init_database/Bank.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)

    with pytest.raises((BenchmarkMissing, BenchmarkBroken)):
        install(str(path), tmp_path / "inner" / "data")

    assert sorted(one.name for one in tmp_path.iterdir()) == ["hostile.tar", "inner"]
    assert list((tmp_path / "inner").iterdir()) == []


def test_descriptions_are_read_from_sources_without_running_them(
    checkout: Path, tmp_path: Path
) -> None:
    listed = read_descriptions(checkout / "data")
    for group, folder in (("dialogue", "apis"), ("planning", "lv3_apis")):
        (tmp_path / folder).mkdir()
        for name, tool in listed[group].items():
            attributes = "".join(
                f"    {part} = {tool[part]!r}\n" for part in tool if part != "name"
            )
            source = f"raise SystemExit('run')\nclass {name}(API):\n{attributes}"
            (tmp_path / folder / f"{name}.py").write_text(source)

    read = read_descriptions(tmp_path)

    assert read == listed


def test_the_data_folder_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CALLBOARD_DATA", str(tmp_path))

    assert data_folder() == tmp_path / "benchmarks" / "apibank"
