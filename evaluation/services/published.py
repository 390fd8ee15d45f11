"""Bring the tables that BFCL's own team publishes onto the board, as evidence *published*."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.utils.text import slugify

from evaluation.benchmarks.bfcl_published.read import Row, read_snapshot
from evaluation.benchmarks.bfcl_published.read import Snapshot as Tables
from evaluation.models import (
    Benchmark,
    CategoryScore,
    Entry,
    Evidence,
    ModelCard,
    PublishedRow,
    Snapshot,
)
from evaluation.services import publishing


class ImportRefused(Exception):
    """Nothing was imported; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    snapshot: Snapshot
    rows: int
    is_new: bool


@transaction.atomic
def import_tables(
    files: Mapping[str, bytes], *, on: date, source: str, benchmark: Benchmark | None = None
) -> Imported:
    """Import one date's official tables: everything or nothing; a second time changes nothing.

    Args:
        files: Content by file name, as published.
        on: The date the tables were published.
        source: Where they came from, shown beside every figure.
        benchmark: The version the figures belong to; by default the current one of its suite.

    Raises:
        TableRefused: The tables cannot be read; names file, line and reason.
        ImportRefused: The benchmark is not loaded, or this date holds other figures already.
    """
    tables = read_snapshot(files)
    benchmark = benchmark or _benchmark(tables)
    known = Snapshot.objects.filter(benchmark=benchmark, date=on).first()
    if known is not None:
        if known.digest != tables.digest:
            raise ImportRefused(
                f"{benchmark} of {on} is already here with other figures. "
                "Delete that snapshot in the admin first, or give the right date."
            )
        return Imported(known, known.rows.count(), is_new=False)
    snapshot = Snapshot.objects.create(
        benchmark=benchmark, date=on, source=source, digest=tables.digest
    )
    _store(snapshot, tables)
    publishing.announce()
    return Imported(snapshot, len(tables.rows), is_new=True)


def _benchmark(tables: Tables) -> Benchmark:
    found = Benchmark.objects.current().filter(suite=tables.layout.suite).first()
    if found is None:
        raise ImportRefused(
            f"These are tables of {tables.layout.suite}, which is not loaded. "
            f"Run “manage.py load_benchmark {tables.layout.suite}” first."
        )
    return found


def _store(snapshot: Snapshot, tables: Tables) -> None:
    categories = {each.name: each for each in snapshot.benchmark.categories.all()}
    sizes = {name: category.n for name, category in categories.items()} | dict(tables.layout.sizes)
    entries = _entries(snapshot, tables.rows)
    PublishedRow.objects.bulk_create(
        PublishedRow(
            snapshot=snapshot,
            entry=entry,
            position=position,
            name=row.name,
            figures=json.dumps(row.figures),
            overall=row.overall,
            cost=row.cost,
            latency=row.latency,
        )
        for position, (row, entry) in enumerate(zip(tables.rows, entries, strict=True), start=1)
    )
    CategoryScore.objects.bulk_create(
        CategoryScore(
            snapshot=snapshot,
            entry=entry,
            category=categories[name],
            n=sizes[name],
            correct=None,
            accuracy=accuracy,
        )
        for row, entry in zip(tables.rows, entries, strict=True)
        for name, accuracy in row.accuracies.items()
    )


def _entries(snapshot: Snapshot, rows: Iterable[Row]) -> list[Entry]:
    is_newest = not Snapshot.objects.filter(
        benchmark__suite__startswith="bfcl-", date__gt=snapshot.date
    ).exists()
    cards = _cards_by_name()
    taken = set(ModelCard.objects.values_list("slug", flat=True))
    entries = []
    for row in rows:
        card = cards.get(row.card) or cards.get(row.card.casefold())
        if card is None:
            card = _new_card(row, taken)
            cards |= {row.card: card, row.card.casefold(): card}
        elif is_newest:
            _describe(card, row)
            card.save()
        entry, _ = Entry.objects.get_or_create(
            card=card, benchmark=snapshot.benchmark, mode=row.mode, evidence=Evidence.PUBLISHED
        )
        entries.append(entry)
    return entries


def _cards_by_name() -> dict[str, ModelCard]:
    """By name as it stands, and in small letters: tables write one model now so, now so."""
    cards = list(ModelCard.objects.filter(owner=None, stewards=None).order_by("-pk"))
    small = {card.name.casefold(): card for card in cards}
    return small | {card.name: card for card in cards}


def _describe(card: ModelCard, row: Row) -> None:
    """What a table says of a model, its name as written there; a link that is none is left out."""
    card.name = row.card[:120]
    card.organisation, card.licence = row.organisation[:120], row.licence[:120]
    card.link = row.link if row.link.startswith(("https://", "http://")) else ""
    card.open_weights = row.licence.strip().lower() != "proprietary"


def _new_card(row: Row, taken: set[str]) -> ModelCard:
    card = ModelCard(slug=free_slug(row.card, taken))
    _describe(card, row)
    card.save()
    return card


def free_slug(name: str, taken: set[str]) -> str:
    """An address for a name that no other card has; it counts as taken from now on."""
    base = slugify(name.replace(".", "-"))[:110] or "model"
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    taken.add(slug)
    return slug
