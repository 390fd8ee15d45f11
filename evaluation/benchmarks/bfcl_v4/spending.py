"""Cost and latency as the official tables count them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, stdev

from evaluation.engine.stats import percentile

GPU_HOUR = 23.92  # US dollars for eight H100, of which a hundred requests share one hour
SHARING = 100
NOT_AVAILABLE = "N/A"


@dataclass(frozen=True, slots=True)
class Spending:
    """Two decimals; None is N/A. Cost in US dollars, times in seconds over single requests."""

    cost: float | None = None
    mean: float | None = None
    deviation: float | None = None
    p95: float | None = None

    @property
    def cells(self) -> list[str | float]:
        values = (self.cost, self.mean, self.deviation, self.p95)
        return [NOT_AVAILABLE if value is None else value for value in values]


def spending(
    tokens_in: Iterable[float],
    tokens_out: Iterable[float],
    latencies: Iterable[float],
    prices: tuple[float, float] | None = None,
) -> Spending:
    """From every single value of a run; zeros are left out, as the official tool does.

    Args:
        tokens_in: Of each request.
        tokens_out: The same.
        latencies: Seconds of each request.
        prices: US dollars per million tokens in and out; without them, time on GPUs is paid for.
    """
    sent, got = [n for n in tokens_in if n], [n for n in tokens_out if n]
    times = sorted(seconds for seconds in latencies if seconds)
    cost: float | None = None
    if prices is not None:
        if sent and got:
            cost = (sum(sent) * prices[0] + sum(got) * prices[1]) / 1_000_000
    elif times:
        cost = sum(times) / 3600 * GPU_HOUR / SHARING
    return Spending(
        cost=None if cost is None else round(cost, 2),
        mean=round(fmean(times), 2) if times else None,
        deviation=round(stdev(times), 2) if len(times) > 1 else None,
        p95=round(percentile(times, 0.95), 2) if times else None,
    )
