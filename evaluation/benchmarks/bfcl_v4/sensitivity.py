"""How much a model's accuracy hangs on the format it is asked in: spread over the 26 formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import stdev, variance


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Accuracies by format (fractions), and their spread in points, two decimals."""

    accuracies: Mapping[str, float]

    @property
    def max_delta(self) -> float:
        """Best format less worst format."""
        values = self.accuracies.values()
        return round((max(values) - min(values)) * 100, 2) if len(values) > 1 else 0.0

    @property
    def variance(self) -> float:
        """Over the formats, as of a sample, in squared points."""
        values = list(self.accuracies.values())
        return round(variance(values) * 100**2, 2) if len(values) > 1 else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation over the formats, as of a sample."""
        values = list(self.accuracies.values())
        return round(stdev(values) * 100, 2) if len(values) > 1 else 0.0


def format_of(case_id: str) -> str:
    """The format a case is asked in: the second part of ``format_sensitivity_3:<format>:<id>``."""
    return case_id.split(":")[1] if case_id.count(":") >= 2 else ""


def sensitivity(verdicts: Iterable[tuple[str, bool]]) -> Sensitivity | None:
    """From cases' ids and whether each was right; None where there are none."""
    right: dict[str, int] = {}
    total: dict[str, int] = {}
    for case_id, is_right in verdicts:
        form = format_of(case_id)
        total[form] = total.get(form, 0) + 1
        right[form] = right.get(form, 0) + is_right
    if not total:
        return None
    return Sensitivity({form: right[form] / n for form, n in total.items()})
