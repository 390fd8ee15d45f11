"""What a bench measured, kept in a file beside what others did."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="where figures are kept, by bench"
    )


def keep(
    file: Path | None, bench: str, figures: Mapping[str, Any] | Sequence[Mapping[str, Any]]
) -> None:
    """Put a bench's figures into a file, in place of its earlier ones; no file, nothing kept."""
    if file is None:
        return
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    found[bench] = figures
    file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
