"""What one request may cost us, and how patient we are: every bound of the client in one place."""

from __future__ import annotations

from dataclasses import dataclass

MAX_ATTEMPTS = 5  # requests for one question, the first included
FIRST_WAIT = 1.0  # seconds before the second attempt; doubles with each further one
LONGEST_WAIT = 600.0  # seconds; an endpoint that wants longer pauses the run instead
MAX_TIMEOUT = 600.0  # seconds; the most a submitter may allow one request
DEFAULT_TIMEOUT = 120.0
KILOBYTE = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one request. Times in seconds, sizes in bytes after content-decoding."""

    connect: float = 10.0  # name resolved, connected, TLS agreed
    between_chunks: float = 60.0  # silence in the middle of a body
    body: int = 8 * KILOBYTE * KILOBYTE
    kept_of_oversized: int = 64 * KILOBYTE  # what is stored of a body over the limit
    header_line: int = 16 * KILOBYTE


def wait_before(attempt: int, retry_after: float | None) -> float:
    """Seconds to wait before an attempt (2 is the first repetition).

    An endpoint that says how long to wait is believed, up to LONGEST_WAIT; otherwise the wait
    doubles from FIRST_WAIT.
    """
    doubled = FIRST_WAIT * float(2 ** max(0, attempt - 2))
    return min(LONGEST_WAIT, max(doubled, retry_after or 0.0))
