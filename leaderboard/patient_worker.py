"""A gunicorn worker that slow senders cannot occupy.

Gunicorn gives a connection to a thread at its first byte, and the thread then waits for the rest:
a few connections that send a letter now and then hold all of them. Here a connection gets a thread
when its request's headers are all there, and a body has a time by which it must have come.
"""

from __future__ import annotations

import socket
import struct
import time
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

HEADERS_WITHIN = 10.0  # seconds from the connection, or from the answer before
BODY_WITHIN = 30.0  # seconds, and for a large one
BODY_RATE = 50_000  # bytes a second beside
MOST_HEADERS = 64 * 1024  # bytes
TAKEN_WITHIN = 60  # seconds in which a reader must take something of the answer
END = b"\r\n\r\n"


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Waits for headers in its event loop, at the price of a file descriptor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._bodies: dict[Any, float] = {}  # connection: when its request must have come

    def enqueue_req(self, conn: Any) -> None:
        """Called in the event loop for every connection on which something may have come."""
        if self.cfg.is_ssl or _has_buffered(conn) or _has_headers(conn.sock):
            self._hand_over(conn)
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + HEADERS_WITHIN
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, EVENT_READ, partial(self._on_more, conn))

    def _on_more(self, conn: Any, sock: socket.socket) -> None:
        if _has_headers(sock):
            self.poller.unregister(sock)
            self.pending_conns.remove(conn)
            self._hand_over(conn)

    def _hand_over(self, conn: Any) -> None:
        conn.data_ready = True
        with suppress(OSError):
            patience = struct.pack("ll", TAKEN_WITHIN, 0)
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
        super().enqueue_req(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        size = next((value for name, value in req.headers if name == "CONTENT-LENGTH"), "0")
        seconds = BODY_WITHIN + (int(size) / BODY_RATE if size.isdecimal() else 0)
        self._bodies[conn] = time.monotonic() + seconds
        try:
            return super().handle_request(req, conn)
        finally:
            self._bodies.pop(conn, None)

    def murder_pending(self) -> None:
        """Once a second: end what has waited too long; answers to slow bodies still go out."""
        super().murder_pending()
        now = time.monotonic()
        for conn, deadline in list(self._bodies.items()):
            if deadline <= now:
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)


def _has_buffered(conn: Any) -> bool:
    """A request that was read along with the one before it."""
    return bool(conn.initialized and conn.parser.unreader.buf.getvalue())


def _has_headers(sock: socket.socket) -> bool:
    """Whether a thread has something to do. If not, the kernel tells when there is more.

    Less than was waited for means that no more comes: the sender has ended, and the kernel would
    tell so again and again.
    """
    try:
        awaited = sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)
        start = sock.recv(MOST_HEADERS, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        start, wanted = b"", 1
    except OSError:
        return True  # it is broken: the thread closes it
    else:
        if len(start) < awaited or END in start:
            wanted = 0
        elif len(start) >= MOST_HEADERS:
            wanted = 0
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RD)  # what comes is no request
        else:
            wanted = len(start) + 1
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, max(1, wanted))
    return wanted == 0
