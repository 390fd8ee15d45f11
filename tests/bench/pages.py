"""How fast the standings of 1,000 models are served: kept pages beside a trivial view.

    python -m tests.bench.pages [--json FILE] [--entries N] [--seconds S]

The site runs as in production, two processes of gunicorn; eight connections ask it on loopback
from two further processes, with nothing but sockets, so that the asking costs little. Goals: a
kept page at a quarter of the trivial view's rate, a 304 at half of it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import asdict, dataclass

from leaderboard.embedded import processes
from tests.bench import figures
from tests.bench.databases import throwaway

CONNECTIONS = 4  # of each asking process
ASKERS = 2
TRIVIAL, BOARD = "/favicon.ico", "/bfcl-v4/"  # the first is a redirect and nothing else
GOALS = {"trivial view": None, "kept page": 0.25, "not modified": 0.5}
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
FORM = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Figure:
    """One kind of request: how many were answered in a second, and how that compares."""

    what: str
    per_second: float
    share_of_trivial: float
    goal: float | None


def fill(entries: int) -> None:
    """A board as large as asked for, each entry with a figure in every category."""
    from evaluation.benchmarks import suite
    from evaluation.models import CategoryScore, Run
    from tests import make

    leaves = {leaf.name: leaf.cases for leaf in suite("bfcl-v4").tree.leaves()}
    benchmark = make.benchmark(leaves)
    categories = list(benchmark.categories.all())
    scores, links = [], []
    for number in range(entries):
        made = make.entry(make.card(f"Model {number:04}"), benchmark)
        run = make.finished_run(made, {}, endpoint=None)
        scoring = run.scorings.get()
        for row in categories:
            right = row.n * number // entries
            counts = {"n": row.n, "correct": right, "wrong": row.n - right, "unscored": 0}
            scores.append(
                CategoryScore(scoring=scoring, category=row, accuracy=right / row.n, **counts)
            )
            links.append(Run.categories.through(run_id=run.pk, category_id=row.pk))
    CategoryScore.objects.bulk_create(scores, batch_size=5000)
    Run.categories.through.objects.bulk_create(links, batch_size=5000)


def ask(
    port: int, path: str, tag: str, seconds: float, counts: multiprocessing.Queue[int]
) -> None:
    """Ask over a few kept-alive connections in turn until the time is over."""
    headers = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    request = f"{headers}{f'If-None-Match: {tag}' if tag else 'X: y'}\r\n\r\n".encode()
    links = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    until, answered = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        for place, link in enumerate(links):
            # A process that has answered its share of requests is replaced in the midst of it.
            try:
                link.sendall(request)
            except OSError:
                links[place] = socket.create_connection(("127.0.0.1", port))
                links[place].sendall(request)
        for place, link in enumerate(links):
            try:
                is_open = receive(link)
                answered += 1
            except OSError:
                is_open = False
            if not is_open:
                link.close()
                links[place] = socket.create_connection(("127.0.0.1", port))
    for link in links:
        link.close()
    counts.put(answered)


def receive(link: socket.socket) -> bool:
    """Read one response to its end; whether the connection may be used again."""
    got = b""
    while b"\r\n\r\n" not in got:
        piece = link.recv(262_144)
        if not piece:
            raise ConnectionError("the site closed a connection without an answer")
        got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    if not head.startswith((b"HTTP/1.1 2", b"HTTP/1.1 3")):
        raise ConnectionError(f"the site answered {head[:40]!r}")
    length = LENGTH.search(head)
    left = (int(length[1]) if length else 0) - len(body)
    while left > 0:
        left -= len(link.recv(262_144))
    return b"connection: close" not in head.lower()


def rate(port: int, path: str, seconds: float, tag: str = "") -> float:
    """Responses a second over all connections."""
    counts: multiprocessing.Queue[int] = FORM.Queue()
    askers = [
        FORM.Process(target=ask, args=(port, path, tag, seconds, counts)) for _ in range(ASKERS)
    ]
    for asker in askers:
        asker.start()
    total = sum(counts.get(timeout=seconds + 60) for _ in askers)
    for asker in askers:
        asker.join()
    return total / seconds


def serve(port: int) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", "gunicorn", "-c", "python:leaderboard.gunicorn")
    return subprocess.Popen(
        (*command, "--log-level", "error", "leaderboard.wsgi"),
        env=os.environ | {"CALLBOARD_BIND": f"127.0.0.1:{port}"},
    )


def warm(port: int) -> str:
    """Wait for the site, have each process make the page once, and give the page's tag."""
    until, tag = time.monotonic() + 120, ""
    while time.monotonic() < until:
        try:
            for _ in range(6):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{BOARD}", timeout=90) as page:
                    tag = page.headers["ETag"]
            return tag
        except OSError:
            time.sleep(0.2)
    raise SystemExit("The site did not start.")


def measure(port: int, seconds: float) -> list[Figure]:
    tag = warm(port)
    asked = {"trivial view": (TRIVIAL, ""), "kept page": (BOARD, ""), "not modified": (BOARD, tag)}
    # In turn and twice, so that a machine that slows down slows all of them.
    rates = dict.fromkeys(asked, 0.0)
    for _ in range(2):
        for what, (path, known) in asked.items():
            rates[what] += rate(port, path, seconds, known) / 2
    trivial = rates["trivial view"]
    return [
        Figure(what, round(each), round(each / trivial, 2), GOALS[what])
        for what, each in rates.items()
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.pages")
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    figures.add_option(parser)
    chosen = parser.parse_args(arguments)
    with throwaway(pages=True):
        fill(chosen.entries)
        from django.db import connection

        connection.close()
        port = processes.free_port(None)
        site = serve(port)
        try:
            found = measure(port, chosen.seconds)
        finally:
            site.terminate()
            site.wait(30)
    for figure in found:
        goal = f" (goal {figure.goal})" if figure.goal else ""
        print(f"{figure.what}: {figure.per_second:,} a second, {figure.share_of_trivial}{goal}")  # noqa: T201
    figures.keep(chosen.json, "pages", [asdict(figure) for figure in found])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
