"""Where the data is on this machine, and where it comes from. Imported early: nothing heavy."""

from __future__ import annotations

import os
from pathlib import Path

COMMIT = "483554ea"
# The archive of the pinned commit, as its host packs it.
ARCHIVE = f"https://github.com/AlibabaResearch/DAMO-ConvAI/archive/{COMMIT}.tar.gz"
# That commit has no tasks of level 3: they were moved to a data set. An older one had them.
TASKS_ADDRESS = (
    "https://raw.githubusercontent.com/AlibabaResearch/DAMO-ConvAI/"
    "5c38bb7d1d78c7a7f12aa415d620d6305dbe2078/api-bank/json_test_data/level-3.json"
)
TASKS = "test-data/level-3.json"
HOW_TO_ADD_TASKS = f"add --tasks {TASKS_ADDRESS}, or --tasks FILE with a copy of that file"
HOW_TO_GET = (
    f"Run manage.py load_benchmark apibank --source {ARCHIVE}, or --source with a checkout or "
    f"tarball of that commit (Apache-2.0). It has no tasks of level 3: {HOW_TO_ADD_TASKS}."
)
NO_TASKS = (
    "The installed data has no tasks of level 3, because the pinned commit has none: install it "
    f"again and {HOW_TO_ADD_TASKS}."
)


def data_folder() -> Path:
    """Where the data is installed: under CALLBOARD_DATA, else under .data of this clone."""
    base = os.environ.get("CALLBOARD_DATA") or Path(__file__).resolve().parents[3] / ".data"
    return Path(base) / "benchmarks" / "apibank"


def lacks_tasks() -> bool:
    """True where data is installed, but none of level 3."""
    folder = data_folder()
    return folder.is_dir() and not (folder / TASKS).is_file()
