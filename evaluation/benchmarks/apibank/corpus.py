"""The dialogues, tasks, databases and descriptions, as read from a checkout."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.benchmarks.apibank.descriptions import Descriptions, read_descriptions
from evaluation.benchmarks.apibank.place import HOW_TO_GET
from evaluation.benchmarks.apibank.tools.base import Arguments, Record, State
from evaluation.benchmarks.suite import BenchmarkBroken, BenchmarkMissing
from evaluation.engine.types import JSON

FOLDERS = {1: "level-1-given-desc", 2: "level-2-toolsearcher"}
TASK_FILES = tuple(f"{kind}data/level-3.json" for kind in ("test-", "test_", "json_test_"))
# What files of another shape, or sources that are no Python, end in.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, SyntaxError, RecursionError)

Records = Mapping[str, Sequence[tuple[Arguments, JSON]]]


class Databases(dict[str, JSON]):
    """Copies of the initial databases, each made when it is first asked for."""

    def __init__(self, initial: Mapping[str, JSON]) -> None:
        super().__init__()
        self._initial = initial

    def __missing__(self, name: str) -> JSON:
        self[name] = copy.deepcopy(self._initial[name])
        return self[name]


@dataclass(frozen=True, slots=True)
class GoldCall:
    """One call that a model should make: where it stands, its tool, its recorded outcome."""

    level: int
    sample: str  # as in verdict lists: "L1/<file without ending>", "L3/<task number>"
    turn: int  # position in the dialogue, or in the task's chain
    index: int  # position among the calls of the dialogue
    tool: str
    written: Mapping[str, JSON]  # values as a model would write them
    record: Record

    @property
    def key(self) -> tuple[str, int]:
        return self.sample, self.turn


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue of level 1 or 2: its entries in order, and the calls among them."""

    level: int
    sample: str
    entries: Sequence[Mapping[str, JSON]]
    calls: Sequence[GoldCall]


@dataclass(frozen=True, slots=True)
class Task:
    """A task of level 3: one sentence, a chain of calls, a final answer."""

    sample: str
    requirement: str
    response: str
    calls: Sequence[GoldCall]


@dataclass(frozen=True)
class Corpus:
    """Everything of one checkout."""

    databases: Mapping[str, JSON]
    dialogues: Sequence[Dialogue]
    tasks: Sequence[Task]
    descriptions: Descriptions
    records: Records = field(default_factory=dict)
    task_records: Records = field(default_factory=dict)

    def calls(self, level: int) -> Iterator[GoldCall]:
        """Every gold call of a level once, in dataset order."""
        if level == 3:
            for task in self.tasks:
                yield from task.calls
        for dialogue in self.dialogues:
            if dialogue.level == level:
                yield from dialogue.calls

    def state(self, level: int) -> State:
        """Fresh databases for one dialogue or task."""
        records = self.task_records if level == 3 else self.records
        return State(Databases(self.databases), records)


def find_root(folder: Path) -> Path:
    """The folder that holds the data inside a checkout. Raises BenchmarkMissing."""
    for pattern in ("", "*/", "*/*/", "*/*/*/"):
        for found in sorted(folder.glob(f"{pattern}init_database/Account.json")):
            return found.parent.parent
    raise BenchmarkMissing(f"There is no API-Bank data in {folder}. {HOW_TO_GET}")


def read_corpus(folder: Path) -> Corpus:
    """Everything below a folder; without tasks of level 3 where it has none.

    Raises BenchmarkMissing, BenchmarkBroken.
    """
    root = find_root(folder)
    try:
        dialogues = tuple(_dialogues(root))
        tasks = tuple(_tasks(root))
        databases = {
            path.stem: json.loads(path.read_text("utf-8"))
            for path in sorted((root / "init_database").glob("*.json"))
        }
        descriptions = read_descriptions(root)
    except UNREADABLE as fault:
        raise BenchmarkBroken(f"The API-Bank data in {root} cannot be read: {fault}") from fault
    records = _recorded(call for dialogue in dialogues for call in dialogue.calls)
    task_records = _recorded(call for task in tasks for call in task.calls)
    return Corpus(databases, dialogues, tasks, descriptions, records, task_records)


def _dialogues(root: Path) -> Iterator[Dialogue]:
    for level, name in FOLDERS.items():
        paths = sorted((root / "lv1-lv2-samples" / name).glob("*.jsonl"))
        if not paths:
            raise BenchmarkMissing(f"There are no dialogues of level {level} in {root}.")
        for path in paths:
            sample = f"L{level}/{path.stem}"
            lines = path.read_text("utf-8").splitlines()
            entries = [json.loads(line) for line in lines if line.strip()]
            yield Dialogue(level, sample, entries, tuple(_dialogue_calls(level, sample, entries)))


def _dialogue_calls(level: int, sample: str, entries: Sequence[JSON]) -> Iterator[GoldCall]:
    index = 0
    for turn, entry in enumerate(entries):
        if entry["role"] == "API":
            written, record = entry["param_dict"], entry["result"]
            yield GoldCall(level, sample, turn, index, entry["api_name"], written, record)
            index += 1


def _tasks(root: Path) -> Iterator[Task]:
    path = next((root / name for name in TASK_FILES if (root / name).is_file()), None)
    listed = json.loads(path.read_text("utf-8")) if path else []
    for number, task in enumerate(listed):
        sample = f"L3/{number:02d}"
        calls = tuple(
            GoldCall(3, sample, turn, turn, call["api_name"], call["input"], call["output"])
            for turn, call in enumerate(task["apis"])
        )
        yield Task(sample, task["requirement"].strip(), task["response"], calls)


def _recorded(calls: Iterator[GoldCall]) -> Records:
    """What every tool answered, by the arguments it was given: `(input, output)` pairs."""
    records: dict[str, list[tuple[Arguments, JSON]]] = {}
    for call in calls:
        if call.record["input"] is None:
            continue
        pair = (call.record["input"], call.record["output"])
        if pair not in records.setdefault(call.tool, []):
            records[call.tool].append(pair)
    return records
