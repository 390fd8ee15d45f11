"""The process that reads one upload: in the sandbox, without network, secrets or database.

The upload is its standard input, what it finds goes to its standard output (submissions.parcels).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import BinaryIO

from evaluation.benchmarks.bfcl_v4.result_files import ResultsRefused
from evaluation.sandbox import walls
from evaluation.sandbox.child import raise_walls
from submissions import parcels
from submissions.archives import Limits, TooLarge
from submissions.uploads import TAKES_TOO_LONG, read_here

PROCESSOR = 15  # seconds; the kernel ends this process then


def main(order: str) -> None:
    """Read what standard input holds, within the limits that the order names."""
    wanted = json.loads(order)
    with os.fdopen(0, "rb") as upload, os.fdopen(1, "wb") as sink:
        raise_walls()
        walls.allow_processor_time(PROCESSOR)
        for parcel in _read(upload, wanted["name"], Limits(**wanted["limits"])):
            sink.write(parcel)
        sink.write(parcels.END + b"\n")


def _read(upload: BinaryIO, name: str, limits: Limits) -> Iterator[bytes]:
    """What was found, or one refusal; whatever ends the telling of it ends this process."""
    try:
        uploaded = read_here(upload, name, limits)
    except ResultsRefused as refusal:
        yield parcels.refused(refusal)
    except TooLarge as refusal:
        yield parcels.too_large(str(refusal))
    except MemoryError:
        yield parcels.too_large(TAKES_TOO_LONG)
    else:
        yield from parcels.found(uploaded.results, uploaded.manifest)
