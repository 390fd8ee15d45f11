"""Calls that nobody can be judged on, each with the reason.

`ERRATA` leave the count in the repaired profile and stay in the upstream one. `UNDECIDED` leave it
in the upstream profile, whatever was answered: what decides them there is not part of the
benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

_RENAMED = (
    "The recorded call names a parameter device_id that the tool and its description do not have: "
    "whoever follows the description fails."
)
_EDITED = (
    "The database was edited after the recording, device names are lower-case now: the recorded "
    "answer can no longer come back."
)
_MISLED = (
    "The recorded search found another tool than the one the dialogue goes on with: its answer "
    "is no label."
)

_FAULTY: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = (
    (
        _RENAMED,
        (
            ("L1/CancelTimedSwitch-level-1-1", 2),
            ("L1/CancelTimedSwitch-level-1-2", 6),
            ("L1/CancelTimedSwitch-level-1-3", 3),
            ("L1/CancelTimedSwitch-level-1-4", 6),
            ("L1/CancelTimedSwitch-level-1-5", 2),
            ("L1/TimedSwitch-level-1-1", 10),
            ("L1/TimedSwitch-level-1-2", 5),
            ("L1/TimedSwitch-level-1-3", 6),
        ),
    ),
    (
        _EDITED,
        (
            ("L1/QueryScene-level-1-1", 2),
            ("L1/QueryScene-level-1-2", 2),
            ("L1/QueryScene-level-1-3", 3),
            ("L1/QueryScene-level-1-4", 2),
            ("L1/QueryScene-level-1-5", 3),
        ),
    ),
    (
        _MISLED,
        (
            ("L2/AddMeeting-level-3-1", 2),
            ("L2/AddMeeting-level-3-2", 2),
            ("L2/DeleteMeeting-level-3-2", 2),
            ("L2/DeleteReminder-level-3-1", 2),
            ("L2/QueryMeeting-level-3-1", 2),
        ),
    ),
)


def _by_call() -> Iterator[tuple[tuple[str, int], str]]:
    for reason, calls in _FAULTY:
        for call in calls:
            yield call, reason


ERRATA: Mapping[tuple[str, int], str] = MappingProxyType(dict(_by_call()))

_ONLINE = "The published program asks a live service, whose answers nobody has recorded."
UNDECIDED: Mapping[str, str] = MappingProxyType(
    {
        "ToolSearcher": (
            "The published program asks an embedding model and compares descriptions that have "
            "changed since the recording."
        ),
        "Dictionary": _ONLINE,
        "Translate": _ONLINE,
    }
)
