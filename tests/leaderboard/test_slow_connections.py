"""People who send slowly wait alone: everybody else is answered meanwhile."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest

from leaderboard import gunicorn, patient_worker
from leaderboard.embedded.home import PROJECT

THREADS = gunicorn.threads
APPLICATION = """
import sys
from leaderboard import patient_worker
patient_worker.HEADERS_WITHIN = patient_worker.BODY_WITHIN = float(sys.argv.pop())

def answer(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]

from gunicorn.app.base import BaseApplication
from leaderboard import gunicorn as chosen

class Server(BaseApplication):
    def load_config(self):
        for name in ("bind", "threads", "worker_class", "keepalive", "worker_tmp_dir"):
            self.cfg.set(name, getattr(chosen, name))
        self.cfg.set("control_socket_disable", True)
        self.cfg.set("graceful_timeout", 1)

    def load(self):
        return answer

Server().run()
"""


@pytest.fixture
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """One process of the product's web server, with a small application in it."""
    patience = str(getattr(request, "param", 60))
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        number = chosen.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", APPLICATION, patience],
        cwd=PROJECT,
        env=os.environ | {"CALLBOARD_BIND": f"127.0.0.1:{number}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr
    for line in server.stderr:
        if "Booting worker" in line:
            break
    yield number
    server.terminate()
    server.stderr.read()
    server.wait()
    server.stderr.close()


def begin(stack: ExitStack, port: int, sent: bytes) -> socket.socket:
    opened = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
    opened.sendall(sent)
    return opened


def said(connection: socket.socket) -> bytes:
    """What is answered before the connection ends, which may be abrupt."""
    try:
        return connection.recv(100)
    except ConnectionResetError:
        return b""


def get(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
        return int(answer.status)


def test_slow_headers_hold_no_thread(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(5 * THREADS):
            begin(stack, port, b"GET / HTTP/1.1\r\nHost: slow\r\nX-Half: ")

        assert get(port) == 200


def test_a_request_in_pieces_is_answered(port: int) -> None:
    with ExitStack() as stack:
        slow = begin(stack, port, b"GET / HTTP/1.1\r\n")
        for piece in (b"Host: slow", b"\r\n", b"Connection: close\r\n\r", b"\n"):
            assert get(port) == 200
            slow.sendall(piece)

        assert slow.recv(100).startswith(b"HTTP/1.1 200 OK")


def test_a_connection_is_used_again(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    answers = []
    for _ in range(3):
        connection.request("POST", "/", body=b"x" * 100_000)
        answers.append(len(connection.getresponse().read()))
    connection.close()

    assert answers == [100_000] * 3


@pytest.mark.parametrize("port", [0.5], indirect=True)
def test_headers_that_do_not_come_are_given_up(port: int) -> None:
    with ExitStack() as stack:
        slow = begin(stack, port, b"GET / HTTP/1.1\r\n")

        assert said(slow) == b""


@pytest.mark.parametrize("port", [0.5], indirect=True)
def test_a_body_that_does_not_come_is_given_up(port: int) -> None:
    with ExitStack() as stack:
        start = b"POST / HTTP/1.1\r\nHost: slow\r\nContent-Length: 9\r\n\r\nhalf"
        slow = [begin(stack, port, start) for _ in range(THREADS)]

        ended = [said(one) for one in slow]  # the application is given what came

        assert len(ended) == THREADS
        assert get(port) == 200


def test_who_ends_in_the_midst_of_headers_is_left_at_once(port: int) -> None:
    """The kernel says again and again that there is something to read."""
    with ExitStack() as stack:
        half = begin(stack, port, b"GET / HTTP/1.1\r\n")
        assert get(port) == 200  # by now it has been seen, and is waited for
        half.shutdown(socket.SHUT_WR)

        assert b"200" not in said(half)


def test_headers_without_an_end_are_no_request(port: int) -> None:
    with ExitStack() as stack:
        endless = begin(stack, port, b"GET / HTTP/1.1\r\nX: " + b"a" * patient_worker.MOST_HEADERS)

        assert b"200" not in said(endless)
