"""Runs the official package's own evaluation on our exported results, and compares the figures.

    python -m tests.parity.official

Everything official happens in a throw-away environment: a venv with the benchmark's package and
what its scoring needs, a folder of its own, and stand-ins for the model registry, which would pull
every vendor's client in. Nothing of it is ever imported here.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from leaderboard.embedded.servers import Servers

PACKAGE = "bfcl-eval==2026.3.23"
NEEDED = (
    *("mpmath==1.3.0", "numpy==1.26.4", "filelock", "python-dotenv", "tqdm", "tenacity"),
    *("tree_sitter==0.21.3", "tree-sitter-java==0.21.0", "tree-sitter-javascript==0.21.4"),
    "overrides",
)
DRIVER = Path(__file__).with_name("official_driver.py")


class NotPossible(Exception):
    """The official package cannot be had here; the message says why."""


def environment(folder: Path) -> Path:
    """A Python with the official package and what its scoring needs. Raises NotPossible."""
    uv = shutil.which("uv")
    venv = folder / "venv"
    python = venv / "bin" / "python"
    if uv:
        made = [uv, "venv", "-q", "--python", sys.executable, str(venv)]
        pip = [uv, "pip", "install", "-q", "--python", str(python)]
    else:
        made = [sys.executable, "-m", "venv", str(venv)]
        pip = [str(python), "-m", "pip", "install", "-q"]
    for command in (made, [*pip, "--no-deps", PACKAGE], [*pip, *NEEDED]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotPossible(f"{' '.join(command[:4])} …: {done.stderr.strip()[-300:]}")
    return python


def official_scores(
    python: Path, exported: Path, model: dict[str, Any], categories: list[str]
) -> None:
    """Have the official runner score `exported`/result into `exported`/official."""
    root = exported / "root"
    root.mkdir()
    plain = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    job = json.dumps({"model": model, "categories": categories, "exported": str(exported)})
    done = subprocess.run(
        [str(python), str(DRIVER), job],
        env=plain | {"BFCL_PROJECT_ROOT": str(root)},
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )
    if done.returncode:
        raise AssertionError(f"the official runner failed: {done.stderr[-2000:]}")


def differences(exported: Path, model: str) -> list[str]:
    """Every figure, failing id and error type that differs between our score files and theirs."""
    ours, theirs = exported / "score", exported / "official"
    found = []
    for path in sorted((ours / model).rglob("*_score.json")):
        place = path.relative_to(ours)
        mine, other = _lines(path), _lines(theirs / place)
        for name in ("accuracy", "correct_count", "total_count"):
            if mine[0][name] != other[0][name]:
                found.append(f"{place}: {name} {mine[0][name]} here, {other[0][name]} there")
        failing, failed = _failing(mine), _failing(other)
        found += [
            f"{place}: {name} {failing.get(name)} here, {failed.get(name)} there"
            for name in sorted(failing.keys() | failed.keys())
            if failing.get(name) != failed.get(name)
        ]
    for path in sorted(ours.glob("data_*.csv")):
        found += _differing_cells(path, theirs / path.name)
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _failing(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {
        line["id"]: line.get("error_type") or line["error"]["error_type"] for line in lines[1:]
    }


def _differing_cells(mine: Path, other: Path) -> list[str]:
    (ours,), (theirs,) = _rows(mine), _rows(other)
    return [
        f"{mine.name}: {column} {ours.get(column)} here, {theirs.get(column)} there"
        for column in theirs
        if ours.get(column) != theirs[column]
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def export(folder: Path, mode: str) -> tuple[str, list[str]]:
    """A made-up model's run, scored by us and exported; its folder name and categories."""
    from evaluation.benchmarks import suite
    from evaluation.benchmarks.bfcl_v4 import loader, tree
    from evaluation.benchmarks.bfcl_v4.result_files import path_of
    from evaluation.models import Run
    from evaluation.services import benchmarks, cards, exporting, scoring, uploads
    from evaluation.services.uploads import Source
    from submissions.uploads import LOCAL, read_upload

    names = [*tree.SINGLE_TURN, *(leaf.name for leaf in tree.MULTI_TURN.leaves())]
    given = folder / f"given-{mode}"
    for name in names:
        path = given / path_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for number, case in enumerate(loader.cases(name)):
                file.write(json.dumps(said_about(case, mode, number)) + "\n")
    uploaded = read_upload(given, given.name, LOCAL)
    board, _ = benchmarks.load(suite("bfcl-v4"))
    how = Source(mode, underscore=mode == "fc")
    card = cards.make_card(f"Parity {mode}", organisation="Tests", licence="Apache-2.0")
    run = uploads.store_results(card, board, how, uploaded.results)
    scoring.judge_here(run.scorings.all())
    run = Run.objects.select_related("entry__card", "entry__benchmark").get(pk=run.pk)
    exporting.write_folder(run, folder / mode)
    return exporting.Export(run).model, names


def said_about(case: Any, mode: str, number: int) -> dict[str, Any]:
    """A result line: mostly right, now and then wrong in one of several ways."""
    from evaluation.engine.types import Mode
    from tests.bench.rescoring import steps_of
    from tests.bench.scoring import answer_to

    figures: dict[str, Any] = {"latency": 0.5 + number % 7}
    result: Any
    if case.category.startswith("multi_turn_"):
        turns: list[list[Any]] = [[] for _ in case.answer]
        for turn, _, result in steps_of(case, mode):
            turns[turn].append(result)
        result = turns[: len(turns) - (number % 5 == 0)]
        if number % 5 == 1:
            result = [["I give up."], *turns[1:]]
        figures["latency"] = [[0.5 for _ in turn] for turn in result]
    else:
        spoilt = (None, "I do not know.", "[f(x=)]", "[unknown_function(a=1)]", "")
        result = spoilt[number % 40 // 8] if number % 8 == 0 else None
        result = answer_to(case, Mode(mode)) if result is None else result
    return {"id": case.id, "result": result, **figures}


def compare(folder: Path) -> int:
    """The number of differences, each printed. Raises NotPossible."""
    from django.core.management import call_command

    python = environment(folder)
    call_command("migrate", interactive=False, verbosity=0)
    found = 0
    for mode in ("fc", "prompt"):
        model, categories = export(folder, mode)
        title = f"Parity {mode} ({'FC' if mode == 'fc' else 'Prompt'})"
        config = {
            "folder": model, "display_name": title, "organisation": "Tests",
            "licence": "Apache-2.0", "is_fc": mode == "fc", "underscore": mode == "fc",
        }  # fmt: skip
        official_scores(python, folder / mode, config, categories)
        differing = differences(folder / mode, model)
        found += len(differing)
        print(f"official evaluation of our export, {mode}: {len(differing)} differ")  # noqa: T201
        for difference in differing[:20]:
            print(f"  {difference}")  # noqa: T201
    return found


def main() -> int:
    """The number of differences; says so and counts none where the package cannot be had."""
    folder = Path(tempfile.mkdtemp(prefix="callboard-parity-")).resolve()
    folder.chmod(0o711)
    servers = Servers(folder, given={}, throwaway=True)
    work = folder / "official"
    try:
        work.mkdir()
        servers.start()
        os.environ |= servers.environment() | {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "CALLBOARD_LOG": "warning",
        }
        import django

        django.setup()
        return compare(work)
    except NotPossible as reason:
        print(f"official evaluation of our export: not run, {reason}")  # noqa: T201
        return 0
    finally:
        servers.stop()
        shutil.rmtree(folder, ignore_errors=True)
        if servers.home.moved:
            shutil.rmtree(servers.home.servers, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
