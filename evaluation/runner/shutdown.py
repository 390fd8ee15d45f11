"""How the children of a worker learn that it is ending, or has been killed.

The parent holds the writing end of a pipe; children watch the reading end. When the parent
closes it, or dies in whatever way, every child sees the end of the pipe.
"""

from __future__ import annotations

import os
import select

_reading: int | None = None
_writing: int | None = None


def prepare() -> None:
    """In the parent, before it forks."""
    global _reading, _writing
    _reading, _writing = os.pipe()


def watch() -> None:
    """In a child, after the fork: only the parent may keep the writing end open."""
    global _writing  # noqa: PLW0603
    if _writing is not None:
        os.close(_writing)
        _writing = None


announce = watch  # in the parent: closing the writing end is the message


def is_wanted() -> bool:
    """True once the parent is ending. Always False where no parent was prepared."""
    if _reading is None:
        return False
    readable, _, _ = select.select([_reading], [], [], 0)
    return bool(readable)
