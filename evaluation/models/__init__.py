"""The nouns of evaluation, a file per family."""

from evaluation.models.benchmarks import Benchmark, Case, Category, Erratum
from evaluation.models.cards import Entry, Evidence, ModelCard
from evaluation.models.endpoints import Endpoint, Mode
from evaluation.models.runs import Reply, Run, RunEvent, Slice, WorldSnapshot
from evaluation.models.verdicts import (
    CategoryScore,
    ColumnSet,
    ColumnSetLine,
    PublishedRow,
    Scoring,
    Snapshot,
    Verdict,
)
from evaluation.models.web import WebRecord

__all__ = [
    "Benchmark",
    "Case",
    "Category",
    "CategoryScore",
    "ColumnSet",
    "ColumnSetLine",
    "Endpoint",
    "Entry",
    "Erratum",
    "Evidence",
    "Mode",
    "ModelCard",
    "PublishedRow",
    "Reply",
    "Run",
    "RunEvent",
    "Scoring",
    "Slice",
    "Snapshot",
    "Verdict",
    "WebRecord",
    "WorldSnapshot",
]
