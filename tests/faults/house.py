"""A Callboard of its own to break: real servers, real workers, a real endpoint process."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from leaderboard.embedded import processes
from leaderboard.embedded.servers import Servers

PROJECT = Path(__file__).resolve().parents[2]
LEASE = 6  # seconds instead of two minutes, so that twenty kills take minutes, not an hour
SWEEP_EVERY = 2.0  # seconds instead of fifteen
IN_FLIGHT = 8
ENDS_WITHIN = 240.0  # seconds


class House:
    """Starts everything, breaks it on request, and ends everything."""

    def __init__(
        self, *, keep_logs: bool = False, concurrency: int = 2, lease: float = LEASE
    ) -> None:
        self.keep_logs = keep_logs
        self.concurrency = concurrency
        self.lease = lease
        self.folder = Path(tempfile.mkdtemp(prefix="callboard-faults-")).resolve()
        self.folder.chmod(0o711)
        self.servers = Servers(self.folder, given={}, throwaway=True)
        self.port = processes.free_port(None)
        self.endpoint: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.asked_before = 0  # by endpoint processes that are gone
        self.lost_in_flight = 0  # being answered at the moment of a kill
        self._is_over = threading.Event()
        self._hands_on_workers = threading.Lock()
        self._sweeper = threading.Thread(target=self._sweep, daemon=True)

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended
        try:
            self.servers.start()
            os.environ |= self.servers.environment() | {
                "CALLBOARD_LEASE": str(self.lease),
                "CALLBOARD_ALLOW": f"127.0.0.1:{self.port}",
                "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
                "CALLBOARD_LOG": "warning",
            }
            import django

            django.setup()
            self.start_endpoint()
            self.start_worker()
            self._sweeper.start()
            yield
        finally:
            self.close()

    def close(self) -> None:
        self._is_over.set()
        for process in (*self.workers, self.endpoint):
            if process is not None:
                kill_tree(process)
        self.servers.stop()
        if self.keep_logs:
            sys.stdout.write(f"Logs are in {self.folder}\n")
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.servers.home.moved:
            shutil.rmtree(self.servers.home.servers, ignore_errors=True)

    # Workers

    def start_worker(self) -> None:
        celery = [sys.executable, "-m", "celery", "-A", "leaderboard.celery", "worker"]
        self.workers.append(
            self.start(
                "worker", [*celery, "--concurrency", str(self.concurrency), "-l", "WARNING"]
            )
        )

    def kill_worker(self) -> None:
        """kill -9 of every process of the oldest worker, and a new one in its place.

        It stands still first: what it would ask between the count and its end is not counted.
        """
        with self._hands_on_workers:
            worker = self.workers.pop(0)
            for one in tree(worker):
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.suspend()
            self.lost_in_flight += self.count()["answering"]
            kill_tree(worker)
            self.start_worker()

    def end_worker(self) -> None:
        """What a supervisor does: SIGTERM, some patience, and a new worker."""
        self.lost_in_flight += self.count()["answering"]
        with self._hands_on_workers:
            worker = self.workers.pop(0)
            worker.terminate()
            worker.wait(30)
            self.start_worker()

    # The endpoint

    def start_endpoint(self) -> None:
        command = [sys.executable, "-m", "tests.faults.endpoint", "--port", str(self.port)]
        self.endpoint = self.start("endpoint", command)
        wait_until(lambda: self.ask("/count") is not None, 20, "the endpoint answers")

    def kill_endpoint(self) -> None:
        counts = self.count()
        self.asked_before += counts["asked"]
        self.lost_in_flight += counts["answering"]
        assert self.endpoint is not None
        kill_tree(self.endpoint)

    def be(self, mode: str) -> None:
        self.ask(f"/be?mode={mode}")

    def count(self) -> dict[str, int]:
        found: dict[str, int] = json.loads(self.ask("/count") or '{"asked": 0, "answering": 0}')
        return found

    @property
    def asked(self) -> int:
        return self.asked_before + self.count()["asked"]

    def ask(self, path: str) -> str | None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as reply:
                return str(reply.read().decode())
        except OSError:
            return None

    # Servers

    def kill_database(self) -> None:
        assert self.servers.postgres is not None
        process = self.servers.postgres.running()
        assert process is not None
        self.lost_in_flight += self.count()["answering"]
        process.kill()
        process.wait(10)
        self._revive()

    def kill_broker(self, *, empty: bool) -> None:
        assert self.servers.valkey is not None
        client = self._broker()
        if empty:
            client.flushall()
        process = psutil.Process(int(client.info("server")["process_id"]))
        process.kill()
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(10)
        self._revive()
        if empty:
            self._broker().flushall()

    def flush_broker(self) -> None:
        self._broker().flushall()

    def _broker(self) -> Any:
        import redis

        return redis.Redis.from_url(os.environ["REDIS_URL"])

    def _revive(self) -> None:
        from django.db import connection

        connection.close()
        for _ in range(40):
            try:
                self.servers.revive()
            except Exception:
                time.sleep(0.5)
            else:
                return
        raise AssertionError("the server did not start again")

    # Beat's part, and the supervisor's

    def _sweep(self) -> None:
        from evaluation.tasks import sweep

        while not self._is_over.wait(SWEEP_EVERY):
            self._pick_up_workers()
            with contextlib.suppress(Exception):
                sweep.apply_async(retry=False, expires=SWEEP_EVERY)

    def _pick_up_workers(self) -> None:
        """Replace a worker that has ended by itself, as Celery's does when its broker dies."""
        with self._hands_on_workers:
            for worker in [one for one in self.workers if one.poll() is not None]:
                kill_tree(worker)
                self.workers.remove(worker)
                self.start_worker()

    def start(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        log = self.folder / f"{name}.log"
        return processes.start(command, log, folder=PROJECT, environment=os.environ)


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """kill -9 of a process and all its children, as a machine that loses power would."""
    for one in tree(process):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait(10)


def tree(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """A process and all its children, children first; nothing once it has ended."""
    try:
        leader = psutil.Process(process.pid)
        return [*leader.children(recursive=True), leader]
    except psutil.NoSuchProcess:
        return []


def wait_until(is_true: Callable[[], object], seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.05)
