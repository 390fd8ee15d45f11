"""The shape of published figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One model in one table, figures as printed: percent, in the order of the columns."""

    model: str
    setting: str
    percent: tuple[float, ...]
    rouge: tuple[float, ...] = ()

    def fractions(self) -> tuple[float, ...]:
        """Accuracies in [0, 1]."""
        return tuple(figure / 100 for figure in self.percent)


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """One table whose figures may be compared with one another and with nothing else.

    `denominators` are the numbers of items each column counts, None where the source does not
    let them be told; `note` says what makes the table different.
    """

    slug: str
    title: str
    source: str  # paper, table, page
    columns: tuple[str, ...]
    denominators: tuple[int | None, ...]
    rows: tuple[Row, ...]
    note: str = ""
