"""Going on with a run's next slice without a way round through the broker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.runner import leases, queueing, reading
from evaluation.runner.leases import Lease
from evaluation.runner.reading import Unit


@dataclass(frozen=True, slots=True)
class NextSlice:
    slice_id: int
    units: Sequence[Unit]


def next_slice(lease: Lease) -> NextSlice | None:
    """The run's next slice under the same lease, unless another run waits for this worker.

    A worker that was lost over what is held goes on with nothing else until something of that
    is stored: progress elsewhere would hide that it gets nowhere. Raises LeaseLost.
    """
    if not lease.held or lease.had_expired or queueing.somebody_waits(lease):
        return None
    slice_id = leases.extend(lease)
    return None if slice_id is None else NextSlice(slice_id, reading.units_of(slice_id))
