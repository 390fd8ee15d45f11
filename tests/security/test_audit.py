"""What is installed is looked up in lists of known holes: a hole fails, silence does not."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from leaderboard.embedded.home import PROJECT

HOLE = {"id": "PYSEC-1", "fix_versions": ["2.0"], "aliases": [], "description": ""}
SKIPPED = {"name": "a", "skip_reason": "Dependency not found on PyPI"}


def audited(folder: Path, told: str) -> subprocess.CompletedProcess[str]:
    """The check, with a tool in place of pip-audit's that says what it is told to."""
    (folder / "pip_audit.py").write_text(f"print({told!r})")
    return subprocess.run(
        [PROJECT / ".ci" / "audit"],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("packages", "status", "said"),
    [
        ([{"name": "a", "version": "1.0", "vulns": [HOLE]}], 1, "a 1.0: PYSEC-1, mended in 2.0"),
        ([{"name": "a", "version": "1.0", "vulns": []}, SKIPPED], 0, "1 packages looked up, 0"),
        ([SKIPPED], 0, "no advisory service could be reached"),
    ],
)
def test_a_known_hole_fails_the_check(
    tmp_path: Path, packages: list[Any], status: int, said: str
) -> None:
    done = audited(tmp_path, json.dumps({"dependencies": packages}))

    assert done.returncode == status
    assert said in done.stdout


def test_where_nothing_answers_the_check_says_so_and_passes(tmp_path: Path) -> None:
    done = audited(tmp_path, "Failed to resolve the service's name")

    assert done.returncode == 0
    assert "nothing was looked up" in done.stdout
