"""The processes of `manage.py up`: watched, started again, ended in order, never doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from leaderboard.embedded import processes
from leaderboard.embedded.errors import CannotStart
from leaderboard.embedded.home import Home
from leaderboard.embedded.supervisor import Child, Supervisor

WAITS = (sys.executable, "-c", "import signal; signal.pause()")
HAS_A_CHILD = (
    sys.executable,
    "-c",
    "import subprocess, sys, signal;"
    "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()']);"
    "print(child.pid, flush=True); signal.pause()",
)
IGNORES_REQUESTS = (
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True);"
    "signal.pause()",
)
FAILS = (sys.executable, "-c", "raise SystemExit('no such thing as a worker')")
SAYS_WHEN_IT_ENDS = (
    sys.executable,
    "-c",
    "import os, signal, sys\n"
    "def end(*_):\n"
    "    open(sys.argv[2], 'a').write(sys.argv[1] + '\\n')\n"
    "    os._exit(0)\n"
    "signal.signal(signal.SIGTERM, end)\n"
    "print('ready', flush=True)\n"
    "while True: signal.pause()\n",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, tmp_path, tmp_path)


@pytest.fixture
def supervisor(home: Home) -> Iterator[Supervisor]:
    supervisor = Supervisor(home, {"PATH": "/usr/bin:/bin"})
    yield supervisor
    supervisor.stop()


def until(happens: Callable[[], object]) -> None:
    """Wait for another process; never for a fixed time."""
    deadline = time.monotonic() + 20
    while not happens():
        assert time.monotonic() < deadline, "it did not happen within 20 seconds"


def has_said(log: Path, word: str) -> bool:
    return word in log.read_text()


def pid_of(child: Child) -> int:
    assert child.process is not None
    return child.process.pid


def test_a_child_that_is_killed_is_started_again_and_said_to_be(supervisor: Supervisor) -> None:
    child = Child("worker", WAITS)
    supervisor.start(child)
    first = pid_of(child)
    os.kill(first, signal.SIGKILL)
    until(lambda: not processes.alive(first))

    (line,) = supervisor.watch()

    assert line.startswith("The worker process ended by itself and was started again")
    assert processes.alive(pid_of(child))
    assert pid_of(child) != first


def test_a_child_that_keeps_failing_ends_the_start_with_its_last_words(
    supervisor: Supervisor,
) -> None:
    supervisor.start(Child("worker", FAILS))

    with pytest.raises(CannotStart, match=r"4 times in a minute: .*no such thing as a worker"):
        until(lambda: supervisor.watch() and False)


def test_the_child_started_last_ends_first(supervisor: Supervisor, tmp_path: Path) -> None:
    ends = tmp_path / "ends"
    for name in ("reference", "web", "worker"):
        child = Child(name, (*SAYS_WHEN_IT_ENDS, name, str(ends)))
        supervisor.start(child)
        until(partial(has_said, supervisor.log(child), "ready"))

    supervisor.stop()

    assert ends.read_text().split() == ["worker", "web", "reference"]


def test_a_child_that_does_not_listen_is_made_to_end(supervisor: Supervisor) -> None:
    child = Child("worker", IGNORES_REQUESTS, patience=0.1)
    supervisor.start(child)
    pid = pid_of(child)
    until(lambda: "deaf" in supervisor.log(child).read_text())

    supervisor.stop()

    assert processes.alive(pid) is None


def test_children_of_a_child_end_with_it(supervisor: Supervisor) -> None:
    child = Child("worker", HAS_A_CHILD)
    supervisor.start(child)
    until(lambda: supervisor.log(child).read_text().strip())
    grandchild = int(supervisor.log(child).read_text())

    supervisor.stop()

    until(lambda: processes.alive(grandchild) is None)


def test_what_a_killed_start_left_behind_is_ended_even_if_its_leader_died(
    supervisor: Supervisor, home: Home
) -> None:
    child = Child("worker", HAS_A_CHILD)
    supervisor.start(child)
    until(lambda: supervisor.log(child).read_text().strip())
    grandchild = int(supervisor.log(child).read_text())
    os.kill(pid_of(child), signal.SIGKILL)
    until(lambda: not processes.alive(pid_of(child)))

    ended = Supervisor(home, {}).end_leftovers()

    assert ended == 1
    until(lambda: processes.alive(grandchild) is None)
    assert child.process is not None
    child.process.wait()


def test_a_process_that_merely_has_a_recorded_number_is_left_alone(home: Home) -> None:
    stranger = subprocess.Popen(WAITS)
    born = psutil.Process(stranger.pid).create_time()
    supervisor = Supervisor(home, {})
    supervisor.record.write_text(f'{{"{stranger.pid}": {born - 1000}}}')

    ended = supervisor.end_leftovers()

    assert ended == 0
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()
