"""API-Bank as a suite: three levels of due calls, and the tasks of the third played freely.

The tools are imported when they are first needed: most commands are about other benchmarks.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluation.benchmarks.apibank import place
from evaluation.benchmarks.apibank.answers import MEASURE, NEITHER, is_answer
from evaluation.benchmarks.apibank.errata import ERRATA, UNDECIDED
from evaluation.benchmarks.apibank.published import COLUMN_SETS
from evaluation.benchmarks.apibank.taxonomy import FAULT_CLASSES
from evaluation.benchmarks.apibank.tree import CATEGORIES, CEILINGS, FREE, NOTES, offered
from evaluation.benchmarks.apibank.verdicts import PROFILES, UPSTREAM
from evaluation.benchmarks.suite import CaseView, Chain, Source, Suite
from evaluation.engine.play import Ask, Play, World
from evaluation.engine.text import plain
from evaluation.engine.types import JSON, CaseData, Judgement, Mode, Setup


class _Installed:
    """The installed data, read once and again when its folder changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamp: tuple[str, int] | None = None
        self.digest = ""
        self.by_category: Mapping[str, Sequence[CaseData]] = {}
        self.category_of: Mapping[str, str] = {}

    def read(self) -> _Installed:
        """Raises BenchmarkMissing, BenchmarkBroken."""
        from evaluation.benchmarks.apibank.cases import all_cases
        from evaluation.benchmarks.apibank.corpus import read_corpus
        from evaluation.benchmarks.apibank.install import check

        folder = place.data_folder()
        stamp = (str(folder), folder.stat().st_mtime_ns if folder.is_dir() else 0)
        with self._lock:
            if stamp != self._stamp:
                corpus = read_corpus(folder)
                self.digest = check(corpus)
                grouped: dict[str, list[CaseData]] = {name: [] for name in CATEGORIES}
                for case in all_cases(corpus):
                    grouped[case.category].append(case)
                self.by_category = grouped
                self.category_of = {
                    case.id: name for name, cases in grouped.items() for case in cases
                }
                self._stamp = stamp
        return self


class ApiBank(Suite):
    """The Suite of API-Bank."""

    slug = "apibank"
    title = "API-Bank"
    scorer_version = "1"  # raised whenever a verdict can differ from the version before
    changes = MappingProxyType(
        {"1": "The first one: upstream as the authors’ own evaluator judges, and repaired."}
    )
    profiles = PROFILES
    published = COLUMN_SETS
    ceilings = CEILINGS
    notes = NOTES
    fault_classes = FAULT_CLASSES
    measure = MEASURE
    notice = (
        "Historic and contaminated: public since 2023 and in many training sets. Few cases: level "
        "2 is good for about ±9 points by its calls and ±14 by its 50 dialogues, level 3 for ±14 "
        "by its tasks. It is never part of another benchmark’s Overall."
    )
    getting = place.HOW_TO_GET

    def __init__(self) -> None:
        self._installed = _Installed()
        self._look()

    def _look(self) -> None:
        """What can be asked here: data without tasks of level 3 leaves that level out."""
        self.tree, self.extras = offered(place.NO_TASKS if place.lacks_tasks() else "")

    def options(self) -> Mapping[str, JSON]:
        """How tools are searched for here. Raises BenchmarkMissing."""
        from evaluation.benchmarks.apibank import searching

        return {searching.OPTION: searching.chosen()}

    def excluded(self, profile: str) -> Mapping[str, str]:
        """Errata in the repaired profile; in the upstream one what is decided elsewhere."""
        reason = _undecided if profile == UPSTREAM else _faulty
        cases = (case for name in CATEGORIES for case in self.cases(name))
        return {case.id: found for case in cases if (found := reason(case))}

    def install(self, source: str, tasks: str = "") -> str:
        """Put the data in place; `tasks` names level-3.json where the source has none.

        Raises BenchmarkMissing, BenchmarkBroken.
        """
        from evaluation.benchmarks.apibank.install import install

        done = install(source, tasks=tasks)
        self._look()
        return done

    def score(self, argv: Sequence[str]) -> int:
        """The suite's own form of `manage.py score`: calls in, verdicts out."""
        from evaluation.benchmarks.apibank.score import main

        return main(argv)

    def source(self) -> Source:
        from evaluation.benchmarks.apibank.install import LICENCE

        digest = self._installed.read().digest
        package = "AlibabaResearch/DAMO-ConvAI, folder api-bank"
        return Source(package, place.COMMIT, digest, LICENCE)

    def cases(self, category: str) -> Sequence[CaseData]:
        return self._installed.read().by_category[category]

    def chains(self, category: str) -> Sequence[Chain]:
        return ()

    def category_of(self, case_id: str) -> str | None:
        return self._installed.read().category_of.get(case_id)

    def play(self, case: CaseData, setup: Setup) -> Play:
        from evaluation.benchmarks.apibank import plays

        play = plays.run_free if case.category == FREE.name else plays.ask_once
        return play(case, setup)

    def world(self, case: CaseData, setup: Setup) -> World | None:
        if case.category != FREE.name:
            return None
        config = {**case.question["world"], "options": dict(setup.options)}
        return World("evaluation.benchmarks.apibank.world:build", config)

    def judge(self, case: CaseData, result: JSON, setup: Setup) -> Judgement:
        from evaluation.benchmarks.apibank import judging, responses

        if is_answer(case):
            return responses.judge_answer(case, result, setup)
        judge = judging.judge_free if case.category == FREE.name else judging.judge_call
        return judge(case, result, setup)

    def view(self, case: CaseData, result: JSON, setup: Setup) -> CaseView:
        from evaluation.benchmarks.apibank import plays

        first = next(self.play(case, setup))
        assert isinstance(first, Ask)
        tools = plays.offered(case.question, Mode.FC) or ()
        return CaseView(
            messages=first.question.messages,
            tools=[tool["function"] for tool in tools],
            accepted=_accepted(case),
            decoded=_decoded(case, result),
            expects=_expects(case),
        )


def _undecided(case: CaseData) -> str:
    """Why the published evaluation, as far as it runs here, has no verdict on a case."""
    if is_answer(case):
        return NEITHER
    if case.category == FREE.name:
        return "The published evaluation has no tasks that are run freely."
    return UNDECIDED.get(case.answer["gold"]["tool"], "")


def _faulty(case: CaseData) -> str:
    """Why a recorded call is no label; empty for nearly all."""
    if is_answer(case):
        return NEITHER
    gold = case.answer.get("gold") or {"sample": "", "turn": 0}
    return ERRATA.get((gold["sample"], gold["turn"]), "")


def _accepted(case: CaseData) -> JSON:
    if is_answer(case):
        return [case.answer["said"]]
    if case.category == FREE.name:
        return [{due["tool"]: due["written"]} for due in case.answer["due"]]
    gold = case.answer["gold"]
    return [{gold["tool"]: gold["written"]}]


def _decoded(case: CaseData, result: JSON) -> JSON:
    from evaluation.benchmarks.apibank import judging, plays

    steps = judging.steps_of(result) if case.category == FREE.name else [result]
    calls = [call for step in steps for call in plays.readable_calls(step)]
    return plain([{call.name: call.values} for call in calls]) if calls else None


def _expects(case: CaseData) -> str:
    if is_answer(case):
        return "What the assistant says next, in words close to the recorded ones."
    if case.category == FREE.name:
        names = ", ".join(due["tool"] for due in case.answer["due"])
        return f"The task is solved by calls of {names}, each with the recorded outcome."
    gold = case.answer["gold"]
    if gold["tool"] == "ToolSearcher":
        return "One call of ToolSearcher that finds the same tool as the recorded search."
    return f"One call of {gold['tool']} whose outcome agrees with the recorded one."


SUITE = ApiBank()
