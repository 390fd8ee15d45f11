"""How to make a run again: the command, and every version that can make a figure differ."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.models import Category, Run, Scoring

USUAL = {"timeout": 120, "in_flight": 8, "benchmark": "bfcl-v4"}  # of manage.py evaluate


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a reader needs. `beside` are settings that the command has no word for."""

    run: int
    command: str
    versions: list[tuple[str, str]]
    digest: str  # sha256 of the frozen configuration, hex
    beside: list[tuple[str, str]]


def recipe(run: Run) -> Recipe:
    """`run` comes with its entry's benchmark. A configuration that cannot be read gives none."""
    try:
        frozen: Mapping[str, Any] = json.loads(run.configuration)
    except ValueError:
        frozen = {}
    words = [".venv/bin/python manage.py evaluate", *_words(frozen, run)]
    return Recipe(
        run=run.pk,
        command=" \\\n  ".join(words),
        versions=list(_versions(frozen, run)),
        digest=run.configuration_sha256,
        beside=[
            (title, str(frozen[name]))
            for name, title in (
                ("auth_header", "Header of the key"),
                ("api_version", "API version"),
            )
            if frozen.get(name) and frozen[name] != "Authorization"
        ],
    )


def _words(frozen: Mapping[str, Any], run: Run) -> Iterator[str]:
    """The command's options; what is as usual is left out, but never how it was asked."""
    yield f"--base-url {_quoted(frozen.get('base_url', 'URL'))}"
    yield f"--model {_quoted(frozen.get('remote_model', 'NAME'))}"
    mode = run.entry.mode
    dots = " --underscore" if frozen.get("underscore") else " --no-underscore"
    yield f"--mode {mode}{dots if mode == 'fc' else ''}"
    if frozen.get("benchmark", USUAL["benchmark"]) != USUAL["benchmark"]:
        yield f"--benchmark {_quoted(frozen['benchmark'])}"
    if chosen := _categories(frozen, run):
        yield f"--category {' '.join(map(_quoted, chosen))}"
    if parameters := frozen.get("parameters"):
        yield f"--parameters {_quoted(json.dumps(parameters))}"
    if marker := frozen.get("reasoning_end"):
        yield f"--reasoning-end {_quoted(marker)}"
    if frozen.get("timeout", USUAL["timeout"]) != USUAL["timeout"]:
        yield f"--timeout {_quoted(frozen['timeout'])}"
    yield f"--concurrency {_quoted(frozen.get('in_flight', USUAL['in_flight']))}"
    yield "--key-env API_KEY"


def _categories(frozen: Mapping[str, Any], run: Run) -> list[str]:
    """The categories asked, where these are not simply all that can be."""
    asked = frozen.get("categories") or []
    usual = Category.objects.filter(
        benchmark=run.entry.benchmark,
        unavailable="",
        is_extra=False,
        modes__contains=[run.entry.mode],
    )
    return [] if set(asked) == set(usual.values_list("name", flat=True)) else list(asked)


def _versions(frozen: Mapping[str, Any], run: Run) -> Iterator[tuple[str, str]]:
    benchmark = run.entry.benchmark
    yield "Benchmark", f"{benchmark.title}, {benchmark.package} {benchmark.version}"
    yield "Its data", f"SHA-256 {benchmark.digest[:16]}…"
    scoring = Scoring.objects.filter(run=run, is_current=True).first()
    if scoring is not None:
        yield "Scorer", f"{scoring.scorer_version}, accepted answers {scoring.answers_version}"
    if client := frozen.get("client_version"):
        yield "Client", str(client)


def _quoted(word: object) -> str:
    """A word as a shell reads it back."""
    return shlex.quote(str(word))
