"""BFCL V4 as a suite: a table says which module plays and judges each category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from evaluation.benchmarks.bfcl_v4 import conversation, loader
from evaluation.benchmarks.bfcl_v4 import tree as categories
from evaluation.benchmarks.bfcl_v4.chains import chains
from evaluation.benchmarks.bfcl_v4.hints import language_of, with_hints
from evaluation.benchmarks.bfcl_v4.toolsets import functions_of
from evaluation.benchmarks.categories import Category
from evaluation.benchmarks.suite import CaseView, Chain, Source, Suite
from evaluation.engine.play import Play, World
from evaluation.engine.types import JSON, CaseData, Judgement, Mode, Setup


class Handler(Protocol):
    """What a module of this folder offers for the categories it stands for."""

    def play(self, case: CaseData, setup: Setup) -> Play: ...

    def judge(self, case: CaseData, result: JSON, setup: Setup) -> Judgement: ...

    def decoded(self, case: CaseData, result: JSON, setup: Setup) -> JSON: ...

    def expects(self, case: CaseData) -> str: ...


# Module of each category, imported when first used.
SINGLE_TURN, MULTI_TURN, AGENTIC = "single_turn", "multi_turn", "agentic"
HANDLERS = {
    **dict.fromkeys((*categories.SINGLE_TURN, categories.FORMAT_SENSITIVITY.name), SINGLE_TURN),
    **dict.fromkeys((leaf.name for leaf in categories.MULTI_TURN.leaves()), MULTI_TURN),
    **dict.fromkeys((leaf.name for leaf in categories.AGENTIC.leaves()), AGENTIC),
}


@cache
def _handler(category: str) -> Handler:
    return cast(Handler, import_module(f"{__package__}.{HANDLERS[category]}"))


@cache
def _ids(category: str) -> frozenset[str]:
    return frozenset(case.id for case in loader.cases(category))


class BfclV4(Suite):
    """The Suite of BFCL V4: data of bfcl-eval, questions, verdicts."""

    slug = "bfcl-v4"
    title = "BFCL V4"
    scorer_version = "1"  # raised whenever a verdict can differ from the version before
    changes = MappingProxyType(
        {"1": "The first one: verdicts and error types as bfcl-eval 2026.3.23 gives them."}
    )
    tree = categories.OVERALL
    stepwise = categories.STEPWISE
    extras: tuple[Category, ...] = categories.EXTRAS

    def source(self) -> Source:
        return loader.source()

    def cases(self, category: str) -> Sequence[CaseData]:
        return loader.cases(category)

    def chains(self, category: str) -> Sequence[Chain]:
        return chains(category)

    def category_of(self, case_id: str) -> str | None:
        """Ids name their category: ``live_simple_3-1-0``; only ids in the data count."""
        category = case_id.partition(":")[0].rpartition("_")[0]
        if category not in categories.CATEGORIES or case_id not in _ids(category):
            return None
        return category

    def play(self, case: CaseData, setup: Setup) -> Play:
        return _handler(case.category).play(case, setup)

    def compose(self, case: CaseData, steps: Mapping[tuple[int, int], JSON]) -> JSON:
        """The result value of a whole conversation from those of its steps, by turn and step.

        The same as playing it with these answers, and some hundred times faster.
        """
        if HANDLERS[case.category] == SINGLE_TURN:
            return steps[0, 0]
        turns: list[list[JSON]] = [[] for _ in range(1 + max(turn for turn, _ in steps))]
        for turn, step in sorted(steps):
            turns[turn].append(steps[turn, step])
        return turns

    def world(self, case: CaseData, setup: Setup) -> World | None:
        if HANDLERS[case.category] == SINGLE_TURN:
            return None
        return conversation.world(case)

    def judge(self, case: CaseData, result: JSON, setup: Setup) -> Judgement:
        return _handler(case.category).judge(case, result, setup)

    def decoded(self, case: CaseData, result: JSON, setup: Setup) -> JSON:
        """The calls read from a result as strict JSON, None where none can be read."""
        return _handler(case.category).decoded(case, result, setup)

    def view(self, case: CaseData, result: JSON, setup: Setup) -> CaseView:
        handler = _handler(case.category)
        return CaseView(
            messages=[message for turn in case.question["question"] for message in turn],
            tools=_offered(case, setup),
            accepted=case.answer,
            decoded=handler.decoded(case, result, setup),
            expects=handler.expects(case),
            in_source=language_of(case.category) != "python",
        )


def _offered(case: CaseData, setup: Setup) -> Sequence[JSON]:
    """The functions as the model was told of them; names with underscores where so sent."""
    shipped = case.question["function"] if "function" in case.question else functions_of(case)[0]
    functions = with_hints(shipped, case.category)
    if setup.mode == Mode.FC and setup.underscore:
        for function in functions:
            function["name"] = function["name"].replace(".", "_")
    return functions


SUITE = BfclV4()
