"""Setting runs going from outside a worker."""

from __future__ import annotations

from evaluation.tasks import hint_run, send_hints, sweep

__all__ = ["hint_run", "send_hints", "sweep"]
