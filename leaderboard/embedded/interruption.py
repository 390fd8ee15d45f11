"""Ctrl-C and its kind, as an exception where work may be dropped and a note where it may not."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Stop(BaseException):
    """Somebody asked for an end; raised in the middle of whatever is going on."""


class Interruption:
    """Takes SIGINT, SIGTERM and SIGHUP from now on."""

    def __init__(self) -> None:
        self.count = 0
        self._is_armed = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda _number, _frame: self._take())

    def is_repeated(self) -> bool:
        return self.count > 1

    @contextmanager
    def breaks_off(self) -> Iterator[None]:
        """Within this, the first signal ends what goes on; that is no error."""
        self._is_armed = True
        try:
            yield
        except Stop:
            pass
        finally:
            self._is_armed = False

    def _take(self) -> None:
        self.count += 1
        if self._is_armed:
            self._is_armed = False
            raise Stop
