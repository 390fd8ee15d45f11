"""Lines of result and score files as the official tool writes them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.benchmarks.bfcl_v4.sensitivity import Sensitivity
from evaluation.benchmarks.bfcl_v4.suite import SUITE
from evaluation.benchmarks.bfcl_v4.tree import STEPWISE
from evaluation.engine.types import JSON, CaseData, Setup


@dataclass(frozen=True, slots=True)
class Scored:
    """A case with its result and what was found wrong with it."""

    case: CaseData
    result: JSON
    error_type: str = ""
    message: str = ""


def result_line(case_id: str, result: JSON, figures: Mapping[str, JSON]) -> bytes:
    """One line of a result file; figures that are not known are left out."""
    known = {name: value for name, value in figures.items() if value is not None}
    return as_line({"id": case_id, "result": result, **known})


def header_line(correct: int, total: int, spread: Sensitivity | None = None) -> bytes:
    """The first line of a score file: shares and counts."""
    line: dict[str, JSON] = {
        "accuracy": correct / total if total else 0.0,
        "correct_count": correct,
        "total_count": total,
    }
    if spread is not None:
        line |= {
            "accuracy_max_delta": spread.max_delta,
            "accuracy_variance": spread.variance,
            "accuracy_std": spread.deviation,
            **{form: {"accuracy": share} for form, share in spread.accuracies.items()},
        }
    return as_line(line)


def failure_line(wrong: Scored, model: str, setup: Setup) -> bytes:
    """The line of one failing entry; entries that pass have none."""
    case = wrong.case
    question = {name: value for name, value in case.question.items() if name != "function"}
    is_stepwise = case.category.startswith(STEPWISE)
    error: JSON = [wrong.message]
    if is_stepwise:
        error = {"error_message": [wrong.message], "error_type": wrong.error_type}
    line: dict[str, JSON] = {
        "id": case.id,
        "model_name": model,
        "test_category": case.category,
        "valid": False,
        "error": error,
        **({} if is_stepwise else {"error_type": wrong.error_type}),
        "prompt": {"id": case.id, **(question if is_stepwise else case.question)},
        "model_result_raw": wrong.result,
        "model_result_decoded": SUITE.decoded(case, wrong.result, setup),
    }
    if case.answer is not None:
        line["possible_answer"] = case.answer
    return as_line(line)


def as_line(value: JSON) -> bytes:
    """JSON in UTF-8, not escaped to ASCII, except where a model's text is no valid Unicode."""
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """A table with the official header and valid CSV: quoted where a cell needs it."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode(errors="replace")


@dataclass(slots=True)
class Steps:
    """Figures of single requests, put in the shape of a result line."""

    tokens_in: dict[tuple[int, int], int | None] = field(default_factory=dict)
    tokens_out: dict[tuple[int, int], int | None] = field(default_factory=dict)
    latency: dict[tuple[int, int], float | None] = field(default_factory=dict)

    def shaped(self, category: str) -> dict[str, JSON]:
        """A number each, or `[turn][step]` for conversations of several steps."""
        named: Mapping[str, Mapping[tuple[int, int], JSON]] = {
            "input_token_count": self.tokens_in,
            "output_token_count": self.tokens_out,
            "latency": self.latency,
        }
        if not category.startswith(STEPWISE):
            return {name: values.get((0, 0)) for name, values in named.items()}
        return {name: _nested(values) for name, values in named.items()}


def _nested(values: Mapping[tuple[int, int], JSON]) -> list[list[JSON]]:
    turns: list[list[JSON]] = [
        [] for _ in range(1 + max((turn for turn, _ in values), default=-1))
    ]
    for turn, step in sorted(values):
        turns[turn].append(values[turn, step])
    return turns
