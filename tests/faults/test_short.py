"""The short form of `make faults`: real servers, real kills, in about a minute."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.faults.house import PROJECT

# The fault runs own their servers: nothing of the tests' may reach them.
FOREIGN = ("DATABASE_URL", "REDIS_URL", "CALLBOARD_", "DJANGO_")


def test_kills_and_doubled_work_lose_double_and_change_nothing() -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}

    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--short"],
        cwd=PROJECT,
        env=plain,
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
