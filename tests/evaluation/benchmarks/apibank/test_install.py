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
from evaluation.benchmarks.apibank.install import install
from evaluation.benchmarks.apibank.place import TASKS_ADDRESS, data_folder
from evaluation.benchmarks.apibank.suite import ApiBank
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from tests.evaluation.benchmarks.apibank.layout import digest_of, lay_out, pack


@pytest.fixture
def tarball(checkout: Path, tmp_path: Path) -> Path:
    """The archive of the pinned commit, and the tasks of level 3 beside it."""
    served = tmp_path / "served"
    served.mkdir()
    shutil.copyfile(checkout / "data" / "test-data" / "level-3.json", served / "level-3.json")
    return pack(checkout / "data", served / "483554ea.tar.gz")


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
    folder = lay_out(checkout / "data", tmp_path / "clone").parent
    sources = [str(folder), str(tarball), f"{address}/{tarball.name}"]
    targets = [tmp_path / f"installed-{number}" for number in range(3)]

    sentences = [
        install(*pair, tasks=f"{address}/level-3.json")
        for pair in zip(sources, targets, strict=True)
    ]
    install(str(checkout), tmp_path / "listed")

    assert {digest_of(one) for one in targets} == {digest_of(tmp_path / "listed")}
    assert all("Apache-2.0" in sentence for sentence in sentences)
    assert not any("no tasks" in sentence for sentence in sentences)
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


def test_the_pinned_commit_alone_has_two_levels_and_says_how_to_add_the_third(
    tarball: Path, address: str, tmp_path: Path
) -> None:
    target = tmp_path / "data"

    said = install(f"{address}/{tarball.name}", target)

    installed = read_corpus(target)
    assert [len(list(installed.calls(level))) for level in (1, 2, 3)] == [389, 119, 0]
    assert "no tasks of level 3" in said
    assert f"--tasks {TASKS_ADDRESS}" in said


def test_the_tasks_may_come_from_a_file_of_their_own(tarball: Path, tmp_path: Path) -> None:
    install(str(tarball), tmp_path / "data", tasks=str(tarball.parent / "level-3.json"))

    assert len(read_corpus(tmp_path / "data").tasks) == 50
    with pytest.raises(BenchmarkMissing, match="no file of tasks"):
        install(str(tarball), tmp_path / "data", tasks=str(tmp_path / "nothing"))


def test_other_tasks_than_the_published_ones_are_refused(tarball: Path, tmp_path: Path) -> None:
    tasks = json.loads((tarball.parent / "level-3.json").read_text())
    (tmp_path / "changed.json").write_text(json.dumps(tasks[:-1]))

    with pytest.raises(BenchmarkBroken, match="The tasks of API-Bank are not those"):
        install(str(tarball), tmp_path / "data", tasks=str(tmp_path / "changed.json"))


@pytest.mark.parametrize("source", ["class Wiki(:\n", "x = " + "(" * 5000, "\0"])
def test_a_tool_that_is_no_python_is_refused_in_a_sentence(
    checkout: Path, tmp_path: Path, source: str
) -> None:
    root = lay_out(checkout / "data", tmp_path / "clone")
    (root / "apis" / "wiki.py").write_text(source)

    with pytest.raises(BenchmarkBroken, match="cannot be read"):
        install(str(root), tmp_path / "data")


def test_without_tasks_their_categories_are_not_available_until_they_are_added(
    tarball: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLBOARD_DATA", str(tmp_path))
    suite = ApiBank()
    suite.install(str(tarball))

    out = [leaf.name for leaf in (*suite.tree.leaves(), *suite.extras) if leaf.unavailable]
    first = suite.source().digest
    suite.install(str(tarball), str(tarball.parent / "level-3.json"))

    assert out
    assert all(name.startswith("level_3_") for name in out)
    assert not any(leaf.unavailable for leaf in (*suite.tree.leaves(), *suite.extras))
    assert suite.source().digest != first


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
    root = lay_out(checkout / "data", tmp_path)

    assert read_descriptions(root) == read_descriptions(checkout / "data")


def test_the_data_folder_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CALLBOARD_DATA", str(tmp_path))

    assert data_folder() == tmp_path / "benchmarks" / "apibank"
