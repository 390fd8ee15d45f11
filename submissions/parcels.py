"""How a read upload travels from the sandbox: one line of JSON a parcel, the last one says so.

Results travel as they are kept: compressed, so that what swelled once does not swell again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluation.benchmarks.bfcl_v4.manifest import Manifest
from evaluation.benchmarks.bfcl_v4.result_files import Results, ResultsRefused
from evaluation.benchmarks.bfcl_v4.result_lines import Result

FOUND, REFUSED, TOO_LARGE = "found", "refused", "too large"
END = b'"end"'
MOST_IN_ONE = 24 * 1024 * 1024  # bytes; a line of an upload has at most four, before it is packed


def found(results: Results, manifest: Manifest) -> Iterator[bytes]:
    """An upload that was read: first its manifest, then each result."""
    yield _line(
        {
            "kind": FOUND,
            "omitted": sorted(results.omitted),
            "unscored": sorted(manifest.unscored),
            "not_run": sorted(manifest.not_run),
            "without_completion": dict(manifest.without_completion),
        }
    )
    for category, by_id in results.by_category.items():
        yield from (_line([category, *_packed(one)]) for one in by_id.values())


def refused(refusal: ResultsRefused) -> bytes:
    problems = [(one.file, one.line, one.reason) for one in refusal.problems]
    facts = {"more": refusal.more, "is_too_large": refusal.is_too_large}
    return _line({"kind": REFUSED, "problems": problems} | facts)


def too_large(why: str) -> bytes:
    return _line({"kind": TOO_LARGE, "why": why})


def manifest_of(first: Mapping[str, Any]) -> Manifest:
    omitted = (frozenset(first["unscored"]), frozenset(first["not_run"]))
    return Manifest(*omitted, first["without_completion"])


def results_of(first: Mapping[str, Any], parcels: Iterable[list[Any]]) -> Results:
    made = Results(omitted=frozenset(first["omitted"]))
    for category, case_id, body, *figures in parcels:
        result = Result(case_id, base64.b64decode(body), *figures)
        made.by_category.setdefault(category, {})[case_id] = result
    return made


def _packed(one: Result) -> list[Any]:
    body = base64.b64encode(one.body).decode("ascii")
    said = (one.is_error, one.error, one.tokens_in, one.tokens_out, one.latency, one.figures)
    return [one.id, body, *said]


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
