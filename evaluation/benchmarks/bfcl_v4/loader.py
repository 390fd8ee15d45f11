"""The benchmark's data files as cases: read, checked, joined with their accepted answers.

Any flaw in an answer file is an error here and now: a case whose answer cannot be read must
never be scored, neither as wrong nor as right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.benchmarks.bfcl_v4 import formats, package
from evaluation.benchmarks.bfcl_v4.tree import CATEGORIES, FORMAT_SENSITIVITY
from evaluation.benchmarks.suite import BenchmarkBroken, Source
from evaluation.engine.types import JSON, CaseData

_PREFIX = "BFCL_v4_"
_WITHOUT_ANSWERS = ("irrelevance", "live_irrelevance", "live_relevance")
_SHARED_FILES = ("memory", "web_search")  # one file serves every variant of these
_WITHOUT_CALLS = ("multi_turn", "memory", "web_search")  # answers of another shape


def data() -> Path:
    """The directory of the data files. Raises BenchmarkMissing."""
    return package.root() / "data"


@cache
def source() -> Source:
    """Package, version and one digest over every data file, in the order of their names."""
    digest = hashlib.sha256()
    root = data()
    for path in sorted(root.rglob("*.json"), key=lambda path: path.relative_to(root).as_posix()):
        name = path.relative_to(root).as_posix()
        if name.startswith("unused_datasets/"):
            continue
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return Source(package.DISTRIBUTION, _version(), digest.hexdigest(), "Apache-2.0")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(package.DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


@cache
def cases(category: str) -> tuple[CaseData, ...]:
    """Every case of a category in dataset order.

    Raises:
        KeyError: There is no such category.
        BenchmarkMissing: The data is not installed.
        BenchmarkBroken: The files do not hold what they should.
    """
    declared = CATEGORIES[category]
    if declared is FORMAT_SENSITIVITY:
        found = tuple(_in_every_format())
    else:
        found = read_cases(data(), category)
    if len(found) != declared.cases:
        raise BenchmarkBroken(f"{category} has {len(found)} cases instead of {declared.cases}")
    return found


def read_cases(root: Path, category: str) -> tuple[CaseData, ...]:
    """Read one category's questions and answers from a data directory and check them.

    Raises:
        BenchmarkBroken: A line is no case, an id repeats, or an answer is missing or unusable.
    """
    stem = next((word for word in _SHARED_FILES if category.startswith(word)), category)
    questions = list(_lines(root / f"{_PREFIX}{stem}.json"))
    answers = _answers(root, category, stem, len(questions))
    cases = tuple(
        _case(category, stem, question, answer)
        for question, answer in zip(questions, answers, strict=True)
    )
    if len({case.id for case in cases}) != len(cases):
        raise BenchmarkBroken(f"an id of {category} repeats")
    return cases


def _case(category: str, stem: str, entry: dict[str, Any], answer: JSON) -> CaseData:
    case_id = entry.get("id")
    question = {key: value for key, value in entry.items() if key != "id"}
    if not isinstance(case_id, str) or not isinstance(question.get("question"), list):
        raise BenchmarkBroken(f"{category} holds a case without id or question")
    if stem != category:
        case_id = case_id.replace(stem, category)
    return CaseData(case_id, category, question, answer)


def _answers(root: Path, category: str, stem: str, count: int) -> Sequence[JSON]:
    """The accepted answers in the order of the questions: the files are joined line by line."""
    if category in _WITHOUT_ANSWERS:
        return [None] * count
    path = root / "possible_answer" / f"{_PREFIX}{stem}.json"
    answers = [entry.get("ground_truth") for entry in _lines(path)]
    if len(answers) != count:
        raise BenchmarkBroken(f"{path.name} has {len(answers)} answers to {count} questions")
    if not stem.startswith(_WITHOUT_CALLS):
        for number, answer in enumerate(answers, start=1):
            if not _is_answer(answer):
                raise BenchmarkBroken(f"answer {number} of {path.name} is not a list of calls")
    elif not all(isinstance(answer, list) and answer for answer in answers):
        raise BenchmarkBroken(f"an answer in {path.name} is empty or no list")
    return answers


def _is_answer(answer: object) -> bool:
    """Whether it is ``[{name: {parameter: [acceptable values]}}, …]`` and not empty."""
    return isinstance(answer, list) and bool(answer) and all(map(_is_expected_call, answer))


def _is_expected_call(call: object) -> bool:
    if not isinstance(call, dict) or len(call) != 1:
        return False
    arguments = next(iter(call.values()))
    return isinstance(arguments, dict) and all(
        isinstance(accepted, list) for accepted in arguments.values()
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BenchmarkBroken(f"{path.name} cannot be read: {error}") from error
    for number, line in enumerate(filter(str.strip, text.split("\n")), start=1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise BenchmarkBroken(f"line {number} of {path.name} is not JSON") from error
        if not isinstance(entry, dict):
            raise BenchmarkBroken(f"line {number} of {path.name} is not an object")
        yield entry


def _in_every_format() -> Iterator[CaseData]:
    """The chosen cases in each prompt configuration, numbered through."""
    number = 0
    for case in _chosen_cases():
        for form in formats.ALL:
            case_id = f"{FORMAT_SENSITIVITY.name}_{number}:{form}:{case.id}"
            yield CaseData(case_id, FORMAT_SENSITIVITY.name, case.question, case.answer)
            number += 1


def _chosen_cases() -> Iterator[CaseData]:
    path = data() / f"{_PREFIX}{FORMAT_SENSITIVITY.name}.json"
    try:
        chosen: Mapping[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
        for category, ids in chosen.items():
            wanted = set(ids)
            yield from (case for case in cases(category) if case.id in wanted)
    except (OSError, ValueError, AttributeError, KeyError) as error:
        raise BenchmarkBroken(f"{path.name} cannot be read: {error}") from error
