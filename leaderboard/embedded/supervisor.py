"""The processes of `manage.py up`: started, watched, started again, ended in order."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from leaderboard.embedded import processes, records
from leaderboard.embedded.errors import CannotStart
from leaderboard.embedded.home import PROJECT, Home

SOON = 60.0  # seconds; falls within this time of each other are a row
FALLS = 4  # falls in a row after which a process is given up


@dataclass
class Child:
    """One process to keep running. `patience`: seconds it may take to end when asked."""

    name: str
    command: Sequence[str]
    patience: float = 10
    process: subprocess.Popen[bytes] | None = None
    fallen_at: list[float] = field(default_factory=list)


class Supervisor:
    """Children end in the reverse of the order in which they were started."""

    def __init__(
        self,
        home: Home,
        environment: dict[str, str],
        is_hurried: Callable[[], bool] = lambda: False,
    ) -> None:
        self.home = home
        self.environment = environment
        self.is_hurried = is_hurried  # nobody waits any longer: end now what is to end
        self.children: list[Child] = []

    @property
    def record(self) -> Path:
        return self.home.base / "processes.json"

    def start(self, child: Child) -> None:
        self._launch(child)
        self.children.append(child)
        self._note()

    def log(self, child: Child) -> Path:
        return self.home.log(child.name)

    def watch(self) -> list[str]:
        """Start again what has fallen; a sentence for each. Raises CannotStart on the fourth."""
        return [self._pick_up(child) for child in self.children if self._has_ended(child)]

    def stop(self) -> None:
        """End every child, the last one first."""
        for child in reversed(self.children):
            if child.process is not None:
                end_session(child.process.pid, child.patience, self.is_hurried)
                child.process.wait()
        self.children = []
        self.record.unlink(missing_ok=True)

    def end_leftovers(self) -> int:
        """End what a killed `up` left running, known by number and start time. How many."""
        left = [
            int(pid)
            for pid, started in reversed(records.read(self.record).items())
            if _is_leftover(int(pid), float(started))
        ]
        for pid in left:
            end_session(pid, patience=10)
        self.record.unlink(missing_ok=True)
        return len(left)

    def _launch(self, child: Child) -> None:
        child.process = processes.start(
            child.command, self.log(child), folder=PROJECT, environment=self.environment
        )

    def _note(self) -> None:
        """Write down who runs, so that the next `up` can end them if this one is killed."""
        running = {}
        for child in self.children:
            process = processes.alive(child.process.pid) if child.process else None
            if process is not None:
                running[str(process.pid)] = process.create_time()
        records.write(self.record, running)

    def _has_ended(self, child: Child) -> bool:
        return child.process is not None and child.process.poll() is not None

    def _pick_up(self, child: Child) -> str:
        now = time.monotonic()
        child.fallen_at = [at for at in child.fallen_at if now - at < SOON] + [now]
        log = self.log(child)
        ended = f"The {child.name} process ended by itself"
        if len(child.fallen_at) >= FALLS:
            words = processes.last_words(log)
            raise CannotStart(f"{ended} {FALLS} times in a minute: {words} (log: {log})")
        if child.process is not None:  # its own children may have outlived it
            end_session(child.process.pid, patience=1)
        self._launch(child)
        self._note()
        return f"{ended} and was started again (log: {log})"


def end_session(
    leader: int, patience: float, is_hurried: Callable[[], bool] = lambda: False
) -> None:
    """Ask a session's leader to end; after that, end whatever is left of its session."""
    process = processes.alive(leader)
    if process is not None:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
            deadline = time.monotonic() + patience
            # Gone or a zombie: a parent that was killed never reaps it.
            while processes.alive(leader) and time.monotonic() < deadline and not is_hurried():
                time.sleep(0.05)
    for member in _members(leader):
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()


def _members(leader: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader:
                found.append(process)
        except (ProcessLookupError, PermissionError):
            continue
    return found


def _is_leftover(pid: int, started: float) -> bool:
    """Whether this session is still the recorded one; its leader may be gone already."""
    process = processes.alive(pid)
    if process is not None:
        return processes.is_same(process, started)
    return bool(_members(pid))
