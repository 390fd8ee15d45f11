"""`manage.py up`, for real: started, started twice, killed, started again, stopped."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import psutil
import psycopg
import pytest

from leaderboard.embedded import processes, records
from leaderboard.embedded.home import PROJECT
from leaderboard.embedded.servers import Servers
from leaderboard.embedded.supervisor import Supervisor

PATIENCE = 120  # seconds; a first start loads the benchmark
OURS = ("DATABASE_URL", "REDIS_URL", "CALLBOARD_", "DJANGO_")


@dataclass
class Story:
    """What was seen of two starts, the first of which was killed."""

    address: str = ""
    page: bytes = b""
    refusal: str = ""
    adopted: bool = False
    second_start: str = ""
    submitted: int = 0
    exit_status: int | None = None
    left_running: list[int] = field(default_factory=list)


class Up:
    """One `manage.py up` on a data folder of its own."""

    started: ClassVar[list[Up]] = []

    def __init__(self, base: Path, port: int) -> None:
        self.said = base / f"said-{time.monotonic_ns()}"
        environment = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        with self.said.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(port)],
                cwd=PROJECT,
                env=environment | {"CALLBOARD_DATA": str(base)},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.started.append(self)

    def greeted(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while "Callboard is at" not in (text := self.said.read_text()):
            assert self.process.poll() is None, text
            assert time.monotonic() < deadline, text
        return text

    def ended(self) -> str:
        self.process.wait(PATIENCE)
        return self.said.read_text()


@pytest.fixture(scope="module")
def base() -> Iterator[Path]:
    """A data folder that `nobody` can reach, which pytest's own temporary folders are not."""
    folder = Path(tempfile.mkdtemp(prefix="callboard-up-")).resolve()
    folder.chmod(0o711)
    yield folder
    end_whatever_runs(folder)
    shutil.rmtree(folder)


def end_whatever_runs(base: Path) -> None:
    """After a test that failed half-way, nothing of it may go on."""
    for up in Up.started:
        up.process.terminate()
        up.process.wait(PATIENCE)
    servers = Servers(base, given={})
    Supervisor(servers.home, {}).end_leftovers()
    servers.start()
    servers.stop()


@pytest.fixture(scope="module")
def story(base: Path) -> Story:
    seen = Story()
    port = processes.free_port()
    seen.address = f"http://127.0.0.1:{port}/"
    first = Up(base, port)
    first.greeted()
    with urllib.request.urlopen(seen.address, timeout=20) as answer:
        seen.page = answer.read()
    seen.refusal = Up(base, port).ended()
    family = _family(base)
    servers = _servers(base)
    first.process.kill()
    first.process.wait()

    second = Up(base, port)
    seen.second_start = second.greeted()
    seen.adopted = _servers(base) == servers
    seen.submitted = _runs(base)
    family |= _family(base)
    second.process.send_signal(signal.SIGINT)
    seen.exit_status = second.process.wait(PATIENCE)
    seen.left_running = [pid for pid in family if processes.alive(pid)]
    return seen


def _family(base: Path) -> set[int]:
    """Every process of a start: those it recorded, with their children, and the servers."""
    recorded = [int(pid) for pid in records.read(base / "processes.json")]
    below = [child.pid for pid in recorded for child in psutil.Process(pid).children(True)]
    return {*recorded, *below, *_servers(base)}


def _servers(base: Path) -> set[int]:
    servers = Servers(base, given={})
    servers.start()  # adopts them; leaving stops nothing that `up` still uses
    assert servers.postgres is not None
    assert servers.valkey is not None
    assert servers.valkey.pid is not None
    process = servers.postgres.running()
    servers.stop()
    assert process is not None
    return {process.pid, servers.valkey.pid}


def _runs(base: Path) -> int:
    keys, ports = records.keys(base), records.read(base / "ports.json")
    url = f"postgresql://callboard:{keys['postgres']}@127.0.0.1:{ports['postgres']}/callboard"
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM evaluation_run").fetchone()
    return int(row[0]) if row else 0


def test_a_start_serves_the_site(story: Story) -> None:
    assert b"Callboard" in story.page


def test_a_second_start_from_the_same_folder_names_the_first(story: Story) -> None:
    assert story.refusal == f"Callboard already runs from this folder: {story.address}\n"


def test_a_start_after_a_killed_one_adopts_its_servers(story: Story) -> None:
    assert story.adopted


def test_a_start_after_a_killed_one_ends_the_other_processes_it_left(story: Story) -> None:
    assert "Ended 4 processes that an earlier start had left behind." in story.second_start


def test_a_second_start_submits_the_reference_endpoint_no_second_time(story: Story) -> None:
    assert story.submitted == 2


def test_a_start_prints_a_login(story: Story) -> None:
    assert "Admin login        admin / " in story.second_start


def test_a_start_says_which_endpoint_can_be_tried_and_where_mail_goes(story: Story) -> None:
    assert "To try a run       http://127.0.0.1:" in story.second_start
    assert "Mail it sends      " in story.second_start


def test_ctrl_c_ends_every_process_of_the_start(story: Story) -> None:
    assert story.exit_status == 0
    assert story.left_running == []


def test_a_taken_port_is_one_line_with_the_mend(base: Path) -> None:
    folder = base / "other"
    folder.mkdir(mode=0o711)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = Up(folder, port).ended()

    assert said == (
        f"Port {port} is taken by another program: choose another one, "
        f"as in `make run PORT={port + 1}`.\n"
    )
