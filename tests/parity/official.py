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
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from leaderboard.embedded.servers import Servers
from tests.parity.scripted import SEARCH_KEY

PACKAGE = "bfcl-eval==2026.3.23"
NEEDED = (
    *("mpmath==1.3.0", "numpy==1.26.4", "filelock", "python-dotenv", "tqdm", "tenacity"),
    *("tree_sitter==0.21.3", "tree-sitter-java==0.21.0", "tree-sitter-javascript==0.21.4"),
    "overrides",
)
SHOWN = {  # groups of the board and their official columns
    "overall": "Overall Acc",
    "non_live": "Non-Live AST Acc",
    "simple": "Non-Live Simple AST",
    "live": "Live Acc",
    "multi_turn": "Multi Turn Acc",
    "web_search": "Web Search Acc",
    "memory": "Memory Acc",
    "irrelevance_detection": "Irrelevance Detection",
}
NAMES = ("Model", "Model Link", "Organization", "License")
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


def differences(
    exported: Path, model: str, kind: str = "score", *, names: bool = True
) -> list[str]:
    """Every figure, failing id and error type that differs between our score files and theirs.

    Without `names`, what files cannot know of a model may differ: its name, whose it is.
    """
    ours, theirs = exported / kind, exported / "official"
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
        found += _differing_cells(path, theirs / path.name, () if names else NAMES)
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _failing(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {
        line["id"]: line.get("error_type") or line["error"]["error_type"] for line in lines[1:]
    }


def _differing_cells(mine: Path, other: Path, without: Collection[str]) -> list[str]:
    (ours,), (theirs,) = _rows(mine), _rows(other)
    return [
        f"{mine.name}: {column} {ours.get(column)} here, {theirs.get(column)} there"
        for column in theirs
        if column not in without and ours.get(column) != theirs[column]
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def compare(folder: Path) -> int:
    """The number of differences, each printed. Raises NotPossible."""
    from django.core.management import call_command

    from evaluation.benchmarks import suite
    from evaluation.services import benchmarks
    from tests.parity import made_up, scripted

    python = environment(folder)
    call_command("migrate", interactive=False, verbosity=0)
    board, _ = benchmarks.load(suite("bfcl-v4"))
    found = 0
    for mode in ("fc", "prompt"):
        names = categories(board, mode)
        run = made_up.uploaded(board, mode, names, folder / f"given-{mode}")
        found += _compared(python, run, folder / f"brought-{mode}", names)
        names = [name for name in names if name not in unavailable(board)]
        run = scripted.asked(board, mode, names)
        found += _compared(python, run, folder / f"asked-{mode}", names)
    return found


def categories(board: Any, mode: str) -> list[str]:
    """Every category of this mode, format sensitivity included."""
    rows = board.categories.filter(modes__contains=[mode]).order_by("position")
    return list(rows.values_list("name", flat=True))


def unavailable(board: Any) -> set[str]:
    """What cannot be asked on this machine: the vector memory, where its extra is missing."""
    rows = board.categories.exclude(unavailable="")
    return set(rows.values_list("name", flat=True))


def _compared(python: Path, run: Any, exported: Path, names: list[str]) -> int:
    """Export a run, have it scored officially, print what differs; the number of differences."""
    from evaluation.models import Run
    from evaluation.services import exporting

    run = Run.objects.select_related("entry__card", "entry__benchmark").get(pk=run.pk)
    exporting.write_folder(run, exported)
    model, mode = exporting.Export(run).model, run.entry.mode
    how = {
        "folder": model,
        "display_name": f"{run.entry.card.name} ({'FC' if mode == 'fc' else 'Prompt'})",
        "organisation": run.entry.card.organisation,
        "licence": run.entry.card.licence,
        "is_fc": mode == "fc",
        "underscore": mode == "fc",
    }
    official_scores(python, exported, how, names)
    differing = differences(exported, model) + on_the_board(exported, run)
    differing += differences(exported, model, scored_again(exported, mode), names=False)
    print(f"{_heading(run, exported)}: {len(differing)} differ")  # noqa: T201
    for difference in differing[:20]:
        print(f"  {difference}")  # noqa: T201
    return len(differing)


def scored_again(exported: Path, mode: str) -> str:
    """Score the exported results by the command that needs no database; in which folder."""
    from evaluation.cli.score import main

    how = ["--mode", mode, *(["--underscore"] if mode == "fc" else [])]
    where = ["--results", str(exported / "result"), "--out", str(exported / "again")]
    assert main([*how, *where]) == 0, "every exported file can be scored"
    return "again"


def _heading(run: Any, exported: Path) -> str:
    scoring = run.scorings.get(is_current=True)
    outcomes = [score.correct for score in scoring.category_scores.all()]
    return (
        f"official evaluation of our export, {exported.name}: {len(outcomes)} categories, "
        f"{run.n:,} cases, {sum(outcomes):,} right"
    )


def groups(node: Any) -> Iterator[Any]:
    """A group and every group in it."""
    yield node
    for member in node.members:
        if hasattr(member, "members"):
            yield from groups(member)


def on_the_board(exported: Path, run: Any) -> list[str]:
    """Official averages that differ from those this site's pages show of the same scoring."""
    from evaluation.benchmarks.bfcl_v4 import tree
    from leaderboard.ranking import Score, average, leaf_weights

    (official,) = _rows(exported / "official" / "data_overall.csv")
    rows = run.scorings.get(is_current=True).category_scores.select_related("category")
    scores = {
        row.category.name: Score(row.n, row.accuracy, row.correct, row.wrong, row.unscored)
        for row in rows
    }
    figures = {
        node.name: average(leaf_weights(node), scores, {})
        for node in groups(tree.OVERALL)
        if node.name in SHOWN
    }
    shown = {
        name: f"{(figure.missing_as_zero or 0) * 100:.2f}%" for name, figure in figures.items()
    }
    return [
        f"the board's {name}: {shown[name]} here, {official[column]} there"
        for name, column in SHOWN.items()
        if shown[name] != official[column]
        and not (official[column] == "N/A" and figures[name].missing)
    ]


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
            "CALLBOARD_SERPAPI_KEY": SEARCH_KEY,  # without one, web search is not offered
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
