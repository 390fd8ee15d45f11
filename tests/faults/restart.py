"""Ctrl-C of `manage.py up` in the middle of a run, and a new start."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import psycopg

from leaderboard.embedded import processes, records
from leaderboard.embedded.servers import Servers
from tests.faults.house import PROJECT, kill_tree, wait_until
from tests.faults.scenarios import TOO_MANY, Outcome

FOREIGN = ("DATABASE_URL", "REDIS_URL", "CALLBOARD_", "DJANGO_")
COMPARED = "simple_python"  # judged once more by a command, to compare verdicts
STARTS_WITHIN, STOPS_WITHIN, ENDS_WITHIN = 240.0, 60.0, 900.0  # seconds
MANAGE = (sys.executable, "manage.py")


class Installation:
    """A folder with data, and `manage.py up` on it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="callboard-faults-")).resolve()
        self.folder.chmod(0o711)
        self.port = processes.free_port(None)
        plain = {name: text for name, text in os.environ.items() if not name.startswith(FOREIGN)}
        self.environment = plain | {"CALLBOARD_DATA": str(self.folder)}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [*MANAGE, "up", "--port", str(self.port)]
        log = self.folder.with_suffix(".log")
        self.process = processes.start(command, log, folder=PROJECT, environment=self.environment)

    def interrupt(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        self.process.wait(STOPS_WITHIN)

    def leftovers(self) -> int:
        """Processes of this installation that still run."""
        mine = str(self.folder)
        commands = (process.info["cmdline"] for process in psutil.process_iter(["cmdline"]))
        return sum(mine in " ".join(command or ()) for command in commands)

    def ask(self, question: str) -> list[tuple[Any, ...]]:
        """Rows of a query; none while the database is away."""
        servers = Servers(self.folder, given={})
        port = records.read(self.folder / "ports.json").get("postgres")
        if servers.postgres is None or port is None:
            return []
        servers.postgres.port = port
        try:
            with psycopg.connect(servers.postgres.url(), connect_timeout=5) as connection:
                return connection.execute(question).fetchall()
        except psycopg.Error:
            return []

    def evaluate(self) -> dict[str, str]:
        """Outcomes of one category, evaluated anew by the command."""
        [(configuration,)] = self.ask(
            "SELECT configuration FROM evaluation_run WHERE NOT is_local ORDER BY id LIMIT 1"
        )
        frozen = json.loads(configuration)
        done = subprocess.run(
            [
                *(*MANAGE, "evaluate", "--json", "--category", COMPARED),
                *("--base-url", frozen["base_url"], "--model", frozen["remote_model"]),
                *("--mode", frozen["mode"]),
            ],
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return {line["id"]: line["outcome"] for line in lines if "id" in line}

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                kill_tree(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.with_suffix(".log").unlink(missing_ok=True)


VERDICTS = "SELECT count(*) FROM evaluation_verdict"
ACTIVE = "SELECT count(*) FROM evaluation_run WHERE state IN ('queued', 'running', 'paused')"
FIRST = "(SELECT min(id) FROM evaluation_run WHERE NOT is_local)"
OUTCOMES = f"""
SELECT one.name, verdict.outcome FROM evaluation_verdict verdict
JOIN evaluation_case one ON one.id = verdict.case_id
JOIN evaluation_category category ON category.id = one.category_id
JOIN evaluation_scoring scoring ON scoring.id = verdict.scoring_id
WHERE scoring.run_id = {FIRST} AND category.name = '{COMPARED}'
"""
SUMS = """
SELECT sum(n), sum(requests_sent), sum(accepted_replies),
       (SELECT count(*) FROM evaluation_verdict),
       (SELECT count(*) FROM (SELECT 1 FROM evaluation_reply WHERE accepted
                              GROUP BY run_id, case_id, turn, step HAVING count(*) > 1) twice)
FROM evaluation_run
"""


def perform(times: int = 2) -> Outcome:
    """Interrupt `up` some times in mid run, start it again, and audit all its runs."""
    # Where this was started in a shell's background, SIGINT is ignored, and would be by `up` too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    house = Installation()
    began = time.monotonic()
    try:
        house.start()
        for _ in range(times):
            _await_progress(house)
            house.interrupt()
            assert not house.leftovers(), "processes outlived Ctrl-C"
            house.start()
        wait_until(lambda: house.ask(ACTIVE) == [(0,)], ENDS_WITHIN, "every run ends")
        return _audit(house, times, time.monotonic() - began)
    finally:
        house.close()


def _await_progress(house: Installation) -> None:
    until = _count(house, VERDICTS) + 200
    wait_until(lambda: _count(house, VERDICTS) >= until, STARTS_WITHIN, "a run is under way")


def _count(house: Installation, question: str) -> int:
    rows = house.ask(question)
    return int(rows[0][0]) if rows else 0


def _audit(house: Installation, times: int, seconds: float) -> Outcome:
    [(n, sent, accepted, judged, twice)] = house.ask(SUMS)
    found = dict(house.ask(OUTCOMES))
    anew = house.evaluate()
    return Outcome(
        fault="make run ended by Ctrl-C",
        times=times,
        lost=int(n - judged),
        doubled=int(twice),
        wrong=sum(anew.get(name) != outcome for name, outcome in found.items()),
        extra=max(0, round(int(sent) - int(accepted) * (1 + TOO_MANY))),
        seconds=seconds,
        state="finished",
    )
