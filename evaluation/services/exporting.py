"""A run as the official tool's own folders: result/, score/ and the six tables."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluation.benchmarks.bfcl_v4 import columns
from evaluation.benchmarks.bfcl_v4.columns import Model
from evaluation.benchmarks.bfcl_v4.manifest import NAME, Manifest
from evaluation.benchmarks.bfcl_v4.result_layout import path_of
from evaluation.benchmarks.bfcl_v4.result_lines import FIGURES
from evaluation.benchmarks.bfcl_v4.score_files import (
    Scored,
    Steps,
    as_csv,
    failure_line,
    header_line,
    result_line,
)
from evaluation.benchmarks.bfcl_v4.sensitivity import Sensitivity, sensitivity
from evaluation.benchmarks.bfcl_v4.spending import Spending, spending
from evaluation.cells import neutral
from evaluation.engine.stats import flat
from evaluation.engine.types import JSON
from evaluation.models import Case, Category, Reply, Run, Verdict
from evaluation.runner.asking import NoCompletion
from evaluation.runner.judging import official_error
from evaluation.runner.rebuilding import Rebuilder, StoredCase, Unfinished
from evaluation.runner.rejudging import SIZE, last_correction
from evaluation.runner.stretches import stretch

SUITE = "bfcl-v4"  # whose folders these are
ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the same run gives the same bytes
Content = Iterator[bytes]


class CannotExport(Exception):
    """There is nothing to export; the message says why."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A scored case on its way into the files."""

    scored: Scored
    figures: dict[str, JSON]
    is_correct: bool


class Export:
    """The files of one run under its current scoring, made as they are read."""

    def __init__(self, run: Run) -> None:
        """Raises CannotExport."""
        scoring = run.scorings.filter(is_current=True, due=None).first()
        if run.entry.benchmark.suite != SUITE:
            raise CannotExport("Only runs of BFCL V4 have the official tool's folders.")
        if run.is_active or scoring is None:
            raise CannotExport("The run has not ended yet: it can be exported afterwards.")
        self.run = run
        self.scoring = scoring
        self._rebuilder = Rebuilder(run, scoring.profile)
        self._categories = list(run.categories.order_by("position"))

    @property
    def model(self) -> str:
        """The model's folder. An underscore in it would stand for a slash there."""
        slug = self.run.entry.card.slug.replace("_", "-")
        return f"{slug}-FC" if self.run.entry.mode == "fc" else slug

    def files(self) -> Iterator[tuple[str, Content]]:
        """Path and content of every file; each is to be read before the next is asked for."""
        yield f"result/{self.model}/{NAME}", iter([self.manifest().as_bytes()])
        for category in self._categories:
            if category.name in self._scores:
                path = path_of(category.name)
                yield f"result/{self.model}/{path}", self._results(category)
                path = path_of(category.name, "score")
                yield f"score/{self.model}/{path}", self._failures(category)
        for table, rows in columns.tables([self.as_model()]).items():
            yield f"score/{table}", iter([as_csv(rows)])

    def manifest(self) -> Manifest:
        """What the folders do not show: cases left out, and whose fault an error text is."""
        outcomes = dict(self.scoring.verdicts.values_list("case_id", "outcome"))
        cases = Case.objects.filter(category__in=self._categories, is_prerequisite=False)
        unscored, not_run = set(), set()
        for pk, name in cases.values_list("pk", "name"):
            if pk not in outcomes:
                not_run.add(name)
            elif outcomes[pk] == Verdict.Outcome.UNSCORED:
                unscored.add(name)
        troubled = Reply.objects.filter(run=self.run, accepted=True).exclude(trouble="")
        wrong = troubled.filter(case__is_prerequisite=False).exclude(case__name__in=unscored)
        return Manifest(
            frozenset(unscored),
            frozenset(not_run),
            dict(wrong.values_list("case__name", "trouble")),
            self._about(),
        )

    def _about(self) -> dict[str, JSON]:
        entry, benchmark = self.run.entry, self.run.entry.benchmark
        return {
            "made_by": "Callboard",
            "model": entry.card.name,
            "mode": entry.mode,
            "underscore": self._rebuilder.setup.underscore,
            "evidence": entry.evidence,
            "run": self.run.pk,
            "configuration_sha256": self.run.configuration_sha256,
            "benchmark": f"{benchmark.package} {benchmark.version}",
            "digest": benchmark.digest,
            "scorer_version": self.scoring.scorer_version,
            "answers_version": self.scoring.answers_version,
        }

    def as_model(self) -> Model:
        """What the tables say of this run: shares of the cases that are in the folders."""
        entry = self.run.entry
        card = entry.card
        return Model(
            name=neutral(f"{card.name} ({entry.get_mode_display()})"),
            scores={
                name: (correct / total, total) for name, (correct, total) in self._scores.items()
            },
            link=neutral(card.link),
            organisation=neutral(card.organisation),
            licence=neutral(card.licence),
            spending=spent_officially(self.run),
            sensitivity=self._spread,
        )

    @cached_property
    def _scores(self) -> dict[str, tuple[int, int]]:
        """Correct and scored cases of every category with any."""
        rows = self.scoring.category_scores.values_list("category__name", "correct", "wrong")
        return {
            name: (correct or 0, (correct or 0) + (wrong or 0))
            for name, correct, wrong in rows
            if (correct or 0) + (wrong or 0)
        }

    @cached_property
    def _spread(self) -> Sensitivity | None:
        return spread_of(self.scoring.pk)

    def _results(self, category: Category) -> Content:
        for line in self._lines(category):
            yield result_line(line.scored.case.id, line.scored.result, line.figures)

    def _failures(self, category: Category) -> Content:
        spread = self._spread if category.name == "format_sensitivity" else None
        yield header_line(*self._scores[category.name], spread)
        for line in self._lines(category):
            if not line.is_correct:
                yield failure_line(line.scored, self.model, self._rebuilder.setup)

    def _lines(self, category: Category) -> Iterator[_Line]:
        """Every scored case of a category in dataset order."""
        last = last_correction(category.pk)
        for start in range(0, category.n + SIZE, SIZE):
            here = stretch(
                category.pk,
                self.scoring.answers_version,
                self.scoring.profile,
                range(start, start + SIZE),
                last,
            )
            verdicts = {
                row.case_id: row
                for row in self.scoring.verdicts.filter(case__in=here.cases.keys()).exclude(
                    outcome=Verdict.Outcome.UNSCORED
                )
            }
            stored = {each.case_id: each for each in self._rebuilder.stored(list(verdicts))}
            for pk, data in here.cases.items():
                if data is not None and pk in stored:
                    result = self._result(stored[pk], data)
                    row = verdicts[pk]
                    yield _Line(
                        Scored(data, result, row.error_type, row.message),
                        _figures(stored[pk], category.name),
                        row.outcome == Verdict.Outcome.CORRECT,
                    )

    def _result(self, stored: StoredCase, data: JSON) -> JSON:
        try:
            return self._rebuilder.result(stored, data)
        except NoCompletion as end:
            return official_error(end)
        except Unfinished as unfinished:
            return f"Error during inference: {unfinished}"


def spread_of(scoring_id: int) -> Sensitivity | None:
    """Format sensitivity from a scoring's verdicts; None where it was not asked."""
    rows = Verdict.objects.filter(
        scoring=scoring_id, case__category__name="format_sensitivity"
    ).exclude(outcome=Verdict.Outcome.UNSCORED)
    return sensitivity(
        (name, outcome == Verdict.Outcome.CORRECT)
        for name, outcome in rows.values_list("case__name", "outcome")
    )


def _figures(stored: StoredCase, category: str) -> dict[str, JSON]:
    first = next(iter(stored.replies.values()))
    if first.figures:
        return dict(json.loads(first.figures))
    steps = Steps()
    for place, reply in stored.replies.items():
        steps.tokens_in[place] = reply.tokens_in
        steps.tokens_out[place] = reply.tokens_out
        steps.latency[place] = reply.latency
    return steps.shaped(category)


def spent_officially(run: Run) -> Spending:
    """Cost and latency by the official formula: over single requests, prerequisites left out."""
    values: dict[str, list[float]] = {name: [] for name in FIGURES}
    replies = Reply.objects.filter(run=run, accepted=True, case__is_prerequisite=False)
    rows = replies.values_list("figures", "tokens_in", "tokens_out", "latency")
    for figures, *numbers in rows.iterator():
        given = json.loads(figures) if figures else dict(zip(FIGURES, numbers, strict=True))
        for name in FIGURES:
            values[name] += flat(given.get(name))
    tokens_in, tokens_out, latencies = (values[name] for name in FIGURES)
    return spending(tokens_in, tokens_out, latencies, _prices(run))


def _prices(run: Run) -> tuple[float, float] | None:
    frozen = json.loads(run.configuration)
    given = frozen.get("price_in"), frozen.get("price_out")
    if None in given or "" in given:
        return None
    return float(given[0]), float(given[1])


def write_folder(run: Run, folder: Path) -> int:
    """Write a run's files below a folder; how many there are. Raises CannotExport, OSError."""
    count = 0
    for path, content in Export(run).files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            file.writelines(content)
        count += 1
    return count


def as_zip(run: Run) -> Content:
    """The same files as the bytes of a zip archive, made as they are read."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in Export(run).files():
            info = zipfile.ZipInfo(path, ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                for piece in content:
                    member.write(piece)
                    yield from sink.taken()
    yield from sink.taken()


class _Sink(io.RawIOBase):
    """Takes an archive's bytes in order and hands them on; it cannot go back."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> Iterator[bytes]:
        pieces, self._pieces = self._pieces, []
        yield from pieces
