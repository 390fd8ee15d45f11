"""Read a folder of official tables into rows, or refuse it with the line and the reason."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.benchmarks.bfcl_published.layouts import (
    COST_COLUMNS,
    LAYOUTS,
    OVERALL,
    Layout,
)

MAX_BYTES = 4 * 1024 * 1024  # of one table; the largest published one has 40 kB
MAX_ROWS = 5_000
NOT_AVAILABLE = "N/A"
_PERCENT = re.compile(r"(?:100|\d{1,2})(?:\.\d{1,2})?%")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_MODE = re.compile(r"\s*\((FC|Prompt)\b\s*\+?\s*([^)]*)\)")


class TableRefused(Exception):
    """A table is not what its era's tables are; the message names the file, line and reason."""


@dataclass(frozen=True, slots=True)
class Row:
    """One model in one snapshot, every figure as printed."""

    name: str  # as printed, "Qwen3-8B (FC)"
    card: str  # without the mode, "Qwen3-8B"
    mode: str  # "fc" or "prompt"
    organisation: str
    licence: str
    link: str
    figures: Mapping[str, Mapping[str, str]]  # table -> column -> text
    accuracies: Mapping[str, float]  # category -> fraction
    overall: float | None
    cost: float | None
    latency: float | None  # seconds


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tables of one date, in the order of the overall table."""

    layout: Layout
    digest: str
    rows: tuple[Row, ...] = field(default_factory=tuple)


def read_snapshot(files: Mapping[str, bytes]) -> Snapshot:
    """Read every table of one date.

    Args:
        files: Content by file name, as published.

    Raises:
        TableRefused: A table is missing, shifted, renamed, or has a figure that is none.
    """
    layout = _recognise(files)
    tables = {name: _table(name, files[name], layout.headers[name]) for name in layout.headers}
    names = [line["Model"] for line in tables[OVERALL]]
    by_name = {table: {line["Model"]: line for line in lines} for table, lines in tables.items()}
    for table, lines in by_name.items():
        if set(lines) != set(names):
            odd = sorted(set(lines) ^ set(names))[0]
            raise TableRefused(f"{table}: “{odd}” is not in both this table and {OVERALL}.")
    rows = tuple(_row(name, {t: by_name[t][name] for t in by_name}, layout) for name in names)
    return Snapshot(layout, _digest(files, layout), rows)


def _digest(files: Mapping[str, bytes], layout: Layout) -> str:
    together = hashlib.sha256()
    for name in sorted(layout.headers):
        together.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return together.hexdigest()


def _recognise(files: Mapping[str, bytes]) -> Layout:
    """The era whose overall header is exactly this file's."""
    if OVERALL not in files:
        raise TableRefused(f"{OVERALL} is missing: give the folder that holds the tables.")
    header = tuple(_lines(OVERALL, files[OVERALL])[0])
    for layout in LAYOUTS:
        if layout.headers[OVERALL] == header:
            missing = [name for name in layout.headers if name not in files]
            if missing:
                raise TableRefused(f"{missing[0]} is missing beside {OVERALL}.")
            return layout
    closest = max(LAYOUTS, key=lambda each: len(set(each.headers[OVERALL]) & set(header)))
    raise TableRefused(_first_difference(OVERALL, header, closest.headers[OVERALL]))


def _first_difference(table: str, header: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    for number, (is_, ought) in enumerate(zip(header, wanted, strict=False), start=1):
        if is_ != ought:
            return f"{table}, line 1: column {number} is “{is_[:80]}” where “{ought}” belongs."
    return f"{table}, line 1: {len(header)} columns where {len(wanted)} belong."


def _lines(table: str, content: bytes) -> list[list[str]]:
    if len(content) > MAX_BYTES:
        raise TableRefused(f"{table} is larger than {MAX_BYTES:,} bytes.")
    try:
        text = content.decode("utf-8")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableRefused(f"{table} cannot be read as CSV: {error}.") from error
    if not lines or len(lines) > MAX_ROWS:
        raise TableRefused(f"{table} has {len(lines)} lines; 1 to {MAX_ROWS:,} can be read.")
    return lines


def _table(table: str, content: bytes, header: tuple[str, ...]) -> list[dict[str, str]]:
    lines = _lines(table, content)
    if tuple(lines[0]) != header:
        raise TableRefused(_first_difference(table, tuple(lines[0]), header))
    rows: dict[str, dict[str, str]] = {}
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(header):
            raise TableRefused(
                f"{table}, line {number}: {len(cells)} cells where {len(header)} belong; "
                "a comma inside a name shifts the columns."
            )
        row = dict(zip(header, cells, strict=True))
        _check_cells(f"{table}, line {number}", row)
        if row["Model"] in rows:
            raise TableRefused(f"{table}, line {number}: “{row['Model'][:80]}” is listed twice.")
        rows[row["Model"]] = row
    return list(rows.values())


_WORDS = {"Model", "Model Link", "Organization", "License"}


def _check_cells(place: str, row: Mapping[str, str]) -> None:
    """Every figure is a percentage, a number or N/A: anything else means shifted columns."""
    for column, text in row.items():
        if column in _WORDS or text == NOT_AVAILABLE:
            continue
        pattern = _PERCENT if _is_percentage(column) else _NUMBER
        if not pattern.fullmatch(text):
            raise TableRefused(f"{place}: “{text[:40]}” under “{column}” is no such figure.")
    if not row["Model"].strip():
        raise TableRefused(f"{place}: the model has no name.")


def _is_percentage(column: str) -> bool:
    plain = ("Rank", "Format Sensitivity Max Delta", "Format Sensitivity Standard Deviation")
    return column not in plain and column not in COST_COLUMNS and "Latency" not in column


def fraction(text: str) -> float | None:
    """“68.38%” as 0.6838; N/A as None."""
    return None if text == NOT_AVAILABLE else round(float(text.rstrip("%")) / 100, 6)


def _number(text: str) -> float | None:
    return None if text == NOT_AVAILABLE else float(text)


def split_name(name: str, figures: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
    """A printed name as model and mode: “X (FC thinking)” is model “X (thinking)” in FC mode.

    A name without a mode is a prompt entry, unless its tables know format sensitivity (which is
    measured for prompt entries only) and print none.
    """
    found = _MODE.search(name)
    if found:
        rest = f" ({found[2].strip().lower()})" if found[2].strip() else ""
        card = name[: found.start()] + rest + name[found.end() :]
        return " ".join(card.split()), "fc" if found[1] == "FC" else "prompt"
    sensitivity = figures[OVERALL].get("Format Sensitivity Max Delta")
    return name, "fc" if sensitivity == NOT_AVAILABLE else "prompt"


def _row(name: str, figures: Mapping[str, Mapping[str, str]], layout: Layout) -> Row:
    overall = figures[OVERALL]
    card, mode = split_name(name, figures)
    accuracies = {
        category: value
        for table, columns in layout.categories.items()
        for column, category in columns.items()
        if (value := fraction(figures[table][column])) is not None
    }
    cost = next(overall[column] for column in COST_COLUMNS if column in overall)
    return Row(
        name=name,
        card=card,
        mode=mode,
        organisation=overall["Organization"],
        licence=overall["License"],
        link=overall["Model Link"],
        figures=figures,
        accuracies=accuracies,
        overall=fraction(overall["Overall Acc"]),
        cost=_number(cost),
        latency=_number(overall["Latency Mean (s)"]),
    )
