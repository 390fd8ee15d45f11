"""Uploads brought in and judged, for tests of what can be done with them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from evaluation.benchmarks.bfcl_v4 import loader
from evaluation.benchmarks.bfcl_v4.manifest import Manifest
from evaluation.benchmarks.bfcl_v4.result_files import File, read_results
from evaluation.benchmarks.bfcl_v4.result_layout import path_of
from evaluation.engine.types import CaseData
from evaluation.models import Benchmark, Run, Verdict
from evaluation.services import scoring, uploads
from evaluation.services.uploads import Source
from tests import make


def accepted(case: CaseData) -> Any:
    """A right answer in FC mode."""
    if case.category.startswith("multi_turn_"):
        return [[*map(call_of, turn), "Done."] for turn in case.answer]
    if case.answer is None:
        return "None of these can help."
    return [
        {
            name: json.dumps(
                {key: values[0] for key, values in arguments.items() if values[0] != ""}
            )
        }
        for call in case.answer
        for name, arguments in call.items()
    ]


def call_of(text: str) -> list[dict[str, str]]:
    """`cd(folder='x')` as a call of FC mode."""
    import ast

    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    arguments = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    return [{call.func.id: json.dumps(arguments)}] if not call.args else []


def lines(category: str, changed: Mapping[str, Any] | None = None, **figures: Any) -> bytes:
    """A whole category answered right, but for the results given by id."""
    changed = changed or {}
    rows = [
        {"id": case.id, "result": changed.get(case.id, accepted(case)), **figures}
        for case in loader.cases(category)
    ]
    return "\n".join(json.dumps(row) for row in rows).encode()


def stored(
    board: Benchmark,
    contents: Mapping[str, bytes],
    manifest: Manifest = uploads.NOTHING_LEFT_OUT,
    **source: Any,
) -> Run:
    """A run of these categories' lines, not judged yet."""
    files = [
        File(path_of(name), lambda content=content: io.BytesIO(content))  # type: ignore[misc]
        for name, content in contents.items()
    ]
    results = read_results(files, manifest.omitted)
    settings: dict[str, Any] = {"mode": "fc", "underscore": True}
    how = Source(**(settings | source))
    return uploads.store_results(make.card(), board, how, results, manifest)


def judged(
    board: Benchmark,
    contents: Mapping[str, bytes],
    manifest: Manifest = uploads.NOTHING_LEFT_OUT,
    **source: Any,
) -> Run:
    run = stored(board, contents, manifest, **source)
    scoring.judge_here(run.scorings.all())
    run.refresh_from_db()
    return run


def outcomes(run: Run) -> dict[str, str]:
    rows = Verdict.objects.filter(scoring__run=run, scoring__is_current=True)
    return dict(rows.values_list("case__name", "outcome"))


def figures(run: Run) -> dict[str, tuple[int, int | None, int | None, int | None]]:
    """n, correct, wrong and unscored of each category."""
    scores = run.scorings.get(is_current=True).category_scores
    return {
        row["category__name"]: (row["n"], row["correct"], row["wrong"], row["unscored"])
        for row in scores.values("category__name", "n", "correct", "wrong", "unscored")
    }
