"""What an export says of itself beside its result files, and what an import may believe of it.

Everything believed can only lower a figure or leave a case open, so nobody gains by inventing it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.benchmarks.bfcl_v4.result_files import File, Problem, ResultsRefused
from evaluation.engine.types import JSON

NAME = "manifest.json"
FORMAT = 1
MAX_BYTES = 4 * 1024 * 1024
MOST_NAMES = 20_000


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which cases are not among the results, and why.

    `without_completion` are cases whose error text stands for the model's own failure (a refusal,
    a question beyond its context): they are wrong, while any other error text is unscored.
    """

    unscored: frozenset[str] = frozenset()
    not_run: frozenset[str] = frozenset()
    without_completion: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, JSON] = field(default_factory=dict)  # for people

    @property
    def omitted(self) -> frozenset[str]:
        return self.unscored | self.not_run

    def as_bytes(self) -> bytes:
        document = {
            "format": FORMAT,
            **self.about,
            "omitted": {"unscored": sorted(self.unscored), "not_run": sorted(self.not_run)},
            "without_completion": dict(sorted(self.without_completion.items())),
        }
        return json.dumps(document, ensure_ascii=False, indent=1).encode()


def read_manifest(file: File) -> Manifest:
    """Raises ResultsRefused."""
    try:
        with file.open() as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES:,} bytes.")
        document = json.loads(content)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"it is no manifest of format {FORMAT}; leave it out.")
        omitted = document.get("omitted", {})
        reasons = document.get("without_completion", {})
        if not isinstance(omitted, dict) or not isinstance(reasons, dict):
            raise ValueError("“omitted” and “without_completion” are objects.")
        return Manifest(
            _names(omitted.get("unscored", [])),
            _names(omitted.get("not_run", [])),
            {name: str(kind)[:20] for name, kind in reasons.items()},
        )
    except RecursionError:
        raise ResultsRefused([Problem(file.name, 0, "it nests too deep.")]) from None
    except (ValueError, OSError, EOFError) as error:
        raise ResultsRefused([Problem(file.name, 0, f"{error}")]) from error


def _names(value: JSON) -> frozenset[str]:
    if not isinstance(value, list) or len(value) > MOST_NAMES:
        raise ValueError("omitted ids come as lists.")
    if not all(isinstance(name, str) for name in value):
        raise ValueError("omitted ids are texts.")
    return frozenset(value)
