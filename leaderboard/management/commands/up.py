"""`manage.py up`: everything Callboard needs on one machine, until Ctrl-C."""

from __future__ import annotations

import fcntl
import http.client
import os
import shutil
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection

from leaderboard import baseline, first_steps, schema
from leaderboard.embedded import processes, records, servers
from leaderboard.embedded.errors import CannotStart, in_words
from leaderboard.embedded.home import PROJECT
from leaderboard.embedded.interruption import Interruption
from leaderboard.embedded.supervisor import Child, Supervisor
from leaderboard.narrator import Narrator

GLANCE = 0.5  # seconds between looks at the processes
TELLING = 3.0  # seconds between looks at the runs
RARELY = 15.0  # seconds between lines about the runs in a log
CLEAR = "\r\x1b[K"  # back to the start of the terminal's line, and empty it
PATIENCE = 30.0  # seconds a process may take until it answers


class Command(BaseCommand):
    help = "Run Callboard on this machine: servers, site, workers and the reference endpoint."
    _shown = ""
    _shown_at = 0.0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port of the site (8000)")

    def handle(self, *_: Any, port: int, **__: Any) -> None:
        self.interruption = Interruption()
        self.servers = servers.in_use()
        try:
            with (
                self._only_one(port),
                self._supervisor(port) as supervisor,
                self.interruption.breaks_off(),
            ):
                self._begin(supervisor, port)
                self._watch(supervisor, Narrator(f"http://127.0.0.1:{port}/"))
        except OSError as trouble:
            raise CannotStart(in_words(trouble)) from trouble

    def say(self, line: str) -> None:
        self.stdout.write(f"{CLEAR}{line}" if self.stdout.isatty() else line)
        self.stdout.flush()

    @contextmanager
    def _only_one(self, port: int) -> Iterator[None]:
        base = self.servers.home.base
        with (base / "up.lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                where = records.read(base / "ports.json").get("web", port)
                raise CannotStart(
                    f"Callboard already runs from this folder: http://127.0.0.1:{where}/"
                ) from None
            yield

    @contextmanager
    def _supervisor(self, port: int) -> Iterator[Supervisor]:
        temporary = self.servers.home.base / "tmp"  # /tmp may be full
        temporary.mkdir(mode=0o700, exist_ok=True)
        environment = dict(os.environ) | {
            "CALLBOARD_BIND": f"127.0.0.1:{port}",
            "CALLBOARD_URL": f"http://127.0.0.1:{port}/",
            "TMPDIR": str(temporary),
            "PYTHONUNBUFFERED": "1",
        }
        supervisor = Supervisor(self.servers.home, environment, self.interruption.is_repeated)
        try:
            yield supervisor
        finally:
            if supervisor.children:
                self.say("Stopping: what has been asked is kept.")
            supervisor.stop()

    def _begin(self, supervisor: Supervisor, port: int) -> None:
        left = supervisor.end_leftovers()
        if left:
            self.say(f"Ended {left} processes that an earlier start had left behind.")
        if processes.free_port(port) != port:
            raise CannotStart(
                f"Port {port} is taken by another program: "
                f"choose another one, as in `make run PORT={port + 1}`."
            )
        reference = self._ports(port)
        supervisor.environment |= {"CALLBOARD_ALLOW": ",".join(sorted(settings.CALLBOARD_ALLOW))}
        self.say("Preparing the database…")
        call_command("migrate", interactive=False, verbosity=0)
        schema.check_tables()
        first_steps.load_benchmark()
        first_steps.collect_static(self.servers.home.base / "static.stamp")
        admin = first_steps.make_admin(self.servers.keys["admin"])
        for child in _children(reference):
            supervisor.start(child)
        self._await(supervisor, reference)
        self._await(supervisor, port)
        for benchmark in first_steps.runnable():
            baseline.submit(benchmark, f"http://127.0.0.1:{reference}/v1", admin)
        self._greet(port, reference)

    def _ports(self, port: int) -> int:
        """Write down the site's port, and settle the reference endpoint's."""
        path = self.servers.home.base / "ports.json"
        ports = records.read(path)
        reference = processes.free_port(ports.get("reference"))
        records.write(path, ports | {"web": port, "reference": reference})
        settings.CALLBOARD_ALLOW |= {f"127.0.0.1:{reference}"}
        return reference

    def _await(self, supervisor: Supervisor, port: int) -> None:
        """Wait until something answers there, whatever it answers."""
        deadline = time.monotonic() + PATIENCE
        while not _answers(port):
            for line in supervisor.watch():
                self.say(line)
            if time.monotonic() > deadline:
                raise CannotStart(f"Nothing answers on port {port}; logs are in {self._logs()}.")
            time.sleep(0.1)

    def _greet(self, port: int, reference: int) -> None:
        base = self.servers.home.base
        mail = "by your server" if settings.CALLBOARD_MAIL else base / "mail"
        self.say(
            f"\n  Callboard is at    http://127.0.0.1:{port}/\n"
            f"  Admin login        {first_steps.ADMIN} / {self.servers.keys['admin']}"
            "  (made for this machine)\n"
            f"  To try a run       http://127.0.0.1:{reference}/v1"
            f"  (the reference endpoint; its model: {baseline.REMOTE_MODEL})\n"
            f"  Data and logs      {base}\n"
            f"  Mail it sends      {mail}\n"
            "  Ctrl-C stops it; data stays.\n\n"
        )

    def _watch(self, supervisor: Supervisor, narrator: Narrator) -> None:
        told = 0.0
        while True:
            for line in supervisor.watch():
                self.say(line)
            self._revive()
            if time.monotonic() - told > TELLING:
                told = time.monotonic()
                news = narrator.look()
                for line in news.events:
                    self.say(line)
                self._show(news.status)
            time.sleep(GLANCE)

    def _show(self, status: str) -> None:
        """A terminal shows how things stand in one line that changes; a log gets it rarely."""
        if self.stdout.isatty():
            width = shutil.get_terminal_size().columns
            self.stdout.write(f"{CLEAR}{status[: width - 1]}", ending="")
            self.stdout.flush()
        elif status and status != self._shown and time.monotonic() - self._shown_at > RARELY:
            self.say(status)
            self._shown, self._shown_at = status, time.monotonic()

    def _revive(self) -> None:
        fallen = self.servers.fallen()
        if fallen:
            connection.close()
            self.say(f"{' and '.join(fallen)} had stopped; starting again.")
            self.servers.revive()
            if self.servers.environment()["DATABASE_URL"] != os.environ["DATABASE_URL"]:
                raise CannotStart("The database's port was taken meanwhile: start again.")

    def _logs(self) -> Path:
        return self.servers.home.base / "log"


def _children(reference: int) -> tuple[Child, ...]:
    manage = (sys.executable, str(PROJECT / "manage.py"))
    celery = (sys.executable, "-m", "celery", "-A", "leaderboard.celery")
    schedule = servers.data_folder() / "beat-schedule"
    options = ("--loglevel", "INFO")
    return (  # ended the other way round: nobody is left to ask what has gone already
        Child("reference", (*manage, "reference_endpoint", "--port", str(reference))),
        Child("beat", (*celery, "beat", *options, "--schedule", str(schedule), "--pidfile=")),
        Child("web", _gunicorn()),
        Child("worker", (*celery, "worker", *options, "--concurrency", "2"), patience=25),
    )


def _gunicorn() -> tuple[str, ...]:
    configuration = ("-c", "python:leaderboard.gunicorn")
    return (sys.executable, "-m", "gunicorn", *configuration, "leaderboard.wsgi")


def _answers(port: int) -> bool:
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        asked.request("GET", "/")
        asked.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    else:
        return True
    finally:
        asked.close()
