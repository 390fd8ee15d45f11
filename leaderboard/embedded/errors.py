"""What keeps an embedded server from running, in one sentence for the person who started it."""

from __future__ import annotations

import errno


class CannotStart(Exception):
    """A sentence that names the trouble and the mend."""


def in_words(error: OSError) -> str:
    """The mend for trouble with files, which is most often a full disk or a foreign directory."""
    place = error.filename or "the data directory"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk that holds {place} is full: free some space and start again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"{place} cannot be written: make it yours, or set CALLBOARD_DATA to a folder that is."
        )
    return f"{place}: {error.strerror or error}"
