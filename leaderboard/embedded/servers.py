"""Both servers together: who may start them, who may stop them, what the settings are told."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from leaderboard.embedded import home as homes
from leaderboard.embedded import records
from leaderboard.embedded.errors import CannotStart, in_words
from leaderboard.embedded.postgres import Postgres
from leaderboard.embedded.valkey import Valkey

LOCAL = "CALLBOARD_LOCAL"  # plain http on this machine, with this clone's own keys


class Servers:
    """The embedded servers one process uses, those that the environment does not replace.

    Every user holds a shared lock on `users.lock`. The last one to leave gets it exclusively
    and stops the servers; the kernel gives up the locks of a process that is killed.
    """

    def __init__(self, base: Path, *, given: Mapping[str, str], throwaway: bool = False) -> None:
        self.home = homes.find(base)
        with self._alone():  # two first starts at once agree on one set of keys
            self.keys = records.keys(base)
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        if not given.get("DATABASE_URL"):
            self.postgres = Postgres(self.home, self.keys, throwaway=throwaway)
        if not given.get("REDIS_URL"):
            self.valkey = Valkey(self.home, self.keys["valkey"], throwaway=throwaway)
        self._users: IO[bytes] | None = None

    def start(self) -> None:
        try:
            with self._alone():
                self._users = (self.home.base / "users.lock").open("ab")
                fcntl.flock(self._users, fcntl.LOCK_SH)
                self.revive()
        except BaseException:
            self.stop()
            raise

    def revive(self) -> None:
        """Start or adopt, on the ports of the last time where they are free."""
        ports = records.read(self.home.base / "ports.json")
        if self.postgres is not None:
            self.postgres.start(ports.get("postgres"))
            ports["postgres"] = self.postgres.port
        if self.valkey is not None:
            self.valkey.start(ports.get("valkey"))
            ports["valkey"] = self.valkey.port
        records.write(self.home.base / "ports.json", ports)

    def fallen(self) -> list[str]:
        """Names of the servers that have stopped by themselves."""
        named = (("PostgreSQL", self.postgres), ("Valkey", self.valkey))
        return [name for name, server in named if server is not None and not server.is_up()]

    def stop(self) -> None:
        """Stop the servers, unless another process of this clone still uses them."""
        with self._alone():
            if self._users is None:
                return
            with self._users as users:
                self._users = None
                try:
                    fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return
                for server in (self.valkey, self.postgres):
                    if server is not None:
                        server.stop()

    def environment(self) -> dict[str, str]:
        """What the settings need in order to use these servers and this clone's keys."""
        told = {
            LOCAL: "1",
            "CALLBOARD_SECRET_KEY": self.keys["secret_key"],
            "CALLBOARD_KEYS": self.keys["sealing_key"],
        }
        if self.postgres is not None:
            told["DATABASE_URL"] = self.postgres.url()
        if self.valkey is not None:
            told["REDIS_URL"] = self.valkey.url()
        return told

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self.home.base / "start.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


_in_use: list[Servers] = []


def in_use() -> Servers:
    """The servers that manage.py started for this process."""
    if not _in_use:
        raise CannotStart("Start this command by `python manage.py`.")
    return _in_use[0]


@contextmanager
def running(base: Path) -> Iterator[Servers]:
    """Servers for the length of one command; the environment names them meanwhile."""
    _end_well_when_asked()
    try:
        servers = Servers(base, given=os.environ)
        if servers.home.moved:
            sys.stderr.write(
                f"PostgreSQL does not run as root: its data is in {servers.home.servers}\n"
            )
        servers.start()
    except OSError as error:
        raise CannotStart(in_words(error)) from error
    try:
        for name, value in servers.environment().items():
            os.environ.setdefault(name, value)
        _in_use.append(servers)
        yield servers
    finally:
        _in_use.clear()
        servers.stop()


def _end_well_when_asked() -> None:
    """SIGTERM ends a command like any other exception does: its servers are stopped."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))


def data_folder() -> Path:
    """This clone's data: `.data` beside manage.py, or what CALLBOARD_DATA names."""
    named = os.environ.get("CALLBOARD_DATA")
    return Path(named).expanduser().resolve() if named else homes.PROJECT / ".data"
