"""The suite: its cases, the questions it puts, its verdicts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from evaluation.benchmarks.apibank.plays import MOST_STEPS
from evaluation.benchmarks.apibank.suite import ApiBank
from evaluation.benchmarks.apibank.tree import ANSWERS, CATEGORIES, FREE, TREE
from evaluation.benchmarks.apibank.verdicts import PROFILES
from evaluation.benchmarks.apibank.world import ToolWorld, build
from evaluation.engine.play import Act, Ask
from evaluation.engine.types import Answer, CaseData, Fault, Judgement, Mode, Question, Setup
from evaluation.sandbox.pool import SandboxPool

FC, PROMPT = Setup(Mode.FC), Setup(Mode.PROMPT)
HOSTILE: tuple[Any, ...] = (
    None,
    7,
    "",
    "[" * 5000,
    [],
    [[]],
    [{}],
    {"a": 1},
    [{"a": "{"}],
    [{"ToolSearcher": '{"keywords": 5}'}],
    [["[GetToday(x='1')]", [{"GetToday": None}]]],
    [{"f": '{"a": NaN, "b": "\\ud800\\u0000"}'}],
    [[[{"f": '{"a": 1e999, "b": "\\ud800"}'}]]],
)


WORDS = {category.name for category in ANSWERS.values()}
ANSWERS_IN_WORDS = 375 + 103 + 50
JUDGED = [name for name in CATEGORIES if name not in WORDS]  # the rest is measured


def every_case(suite: ApiBank) -> Iterator[CaseData]:
    for name in JUDGED:
        yield from suite.cases(name)


def first_question(suite: ApiBank, case: CaseData, setup: Setup) -> Question:
    step = next(suite.play(case, setup))
    assert isinstance(step, Ask)
    return step.question


def recorded_result(case: CaseData, mode: Mode) -> Any:
    gold = case.answer["gold"]
    if mode is Mode.FC:
        return [{gold["tool"]: json.dumps(gold["record"]["input"] or {})}]
    pairs = ", ".join(f"{key}='{value}'" for key, value in gold["written"].items())
    return f"[{gold['tool']}({pairs})]"


def as_answer(result: Any) -> Answer:
    """What the client makes of a step's result."""
    if isinstance(result, str):
        return Answer(result, {"role": "assistant", "content": result})
    calls = [
        {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": text}}
        for place, one in enumerate(result)
        for name, text in one.items()
    ]
    return Answer(result, {"role": "assistant", "content": None, "tool_calls": calls})


def play_free(
    suite: ApiBank, case: CaseData, setup: Setup, results: Iterable[Any]
) -> tuple[Any, list[Question]]:
    """Play a task with these answers, then with words, against its running tools."""
    world = suite.world(case, setup)
    assert world is not None
    live: ToolWorld = build(json.loads(json.dumps(world.config)), None, datetime.now(UTC))
    left, asked, play = iter(results), [], suite.play(case, setup)
    step = next(play)
    try:
        while True:
            if isinstance(step, Act):
                step = play.send(tuple(live.act(call) for call in step.calls))
            else:
                assert isinstance(step, Ask)
                asked.append(step.question)
                step = play.send(as_answer(next(left, "It is done.")))
    except StopIteration as end:
        return end.value, asked


def recorded_chain(case: CaseData, mode: Mode) -> Iterator[Any]:
    for due in case.answer["due"]:
        for tool, values in (
            ("ToolSearcher", {"keywords": due["tool"]}),
            (due["tool"], due["record"]["input"]),
        ):
            pairs = ", ".join(f"{key}='{value}'" for key, value in values.items())
            is_fc = mode is Mode.FC
            yield [{tool: json.dumps(values)}] if is_fc else f"[{tool}({pairs})]"


def test_every_category_has_as_many_cases_as_it_says_and_ids_are_unique(suite: ApiBank) -> None:
    counts = {name: len(suite.cases(name)) for name in CATEGORIES}
    ids = [case.id for name in CATEGORIES for case in suite.cases(name)]

    assert counts == {name: leaf.cases for name, leaf in CATEGORIES.items()}
    assert sum(counts.values()) == 389 + 119 + 245 + 50 + ANSWERS_IN_WORDS
    assert len(set(ids)) == len(ids)
    assert all(suite.category_of(case.id) == case.category for case in every_case(suite))
    assert suite.category_of("L9.nothing.0") is None


@pytest.mark.parametrize("mode", list(Mode))
def test_every_recorded_call_is_judged_right(suite: ApiBank, mode: Mode) -> None:
    wrong = {
        case.id
        for case in every_case(suite)
        if case.category != FREE.name
        and not suite.judge(case, recorded_result(case, mode), Setup(mode)).valid
    }

    out = {case for case in suite.excluded("repaired") if suite.category_of(case) not in WORDS}
    assert wrong == out


@pytest.mark.parametrize("profile", PROFILES)
def test_the_ceiling_of_every_category_is_what_its_recorded_calls_reach(
    suite: ApiBank, profile: str
) -> None:
    out = suite.excluded(profile)
    setup = Setup(Mode.PROMPT, profile=profile)

    reached = {}
    for leaf in TREE.leaves():
        counted = [case for case in suite.cases(leaf.name) if case.id not in out]
        results = [(case, recorded_result(case, Mode.PROMPT)) for case in counted]
        right = sum(suite.judge(case, result, setup).valid for case, result in results)
        reached[leaf.name] = (right, len(counted))

    assert reached == {name: suite.ceilings[profile][name] for name in reached}
    assert suite.ceilings[profile]["overall"] == (
        sum(right for right, _ in reached.values()),
        sum(count for _, count in reached.values()),
    )


def test_each_profile_excludes_what_nobody_can_be_judged_on(suite: ApiBank) -> None:
    repaired, upstream = suite.excluded("repaired"), suite.excluded("upstream")

    assert len(repaired) == 18 + ANSWERS_IN_WORDS
    assert len(upstream) == 45 + 114 + 9 + 50 + ANSWERS_IN_WORDS
    assert all(reason.endswith(".") for reason in (*repaired.values(), *upstream.values()))


def test_no_recorded_call_survives_a_change_of_its_form(suite: ApiBank) -> None:
    survivors = []
    for case in every_case(suite):
        if case.category == FREE.name:
            continue
        ((name, text),) = recorded_result(case, Mode.FC)[0].items()
        given = json.loads(text)
        # Neither is declared as required: both may be left out, with another outcome or none.
        changes = [{key: value for key, value in given.items() if key != left} for left in given]
        if name in ("Translate", "ForgotPassword", "ModifyRegistration"):
            changes = []
        broken = [[{name: json.dumps(change)}] for change in changes]
        broken.append([{name: json.dumps({**given, "surplus": "x"})}])
        broken.append([{f"{name}x": text}])
        broken.append([{name: text}, {name: text}])
        survivors += [case.id for one in broken if suite.judge(case, one, FC).valid]

    assert survivors == []


def test_cases_survive_being_written_as_json(suite: ApiBank) -> None:
    out = suite.excluded("repaired")
    for name in JUDGED:
        case = next(case for case in suite.cases(name) if case.id not in out)

        question, answer = json.loads(json.dumps([case.question, case.answer]))
        again = CaseData(case.id, case.category, question, answer)

        assert first_question(suite, again, FC) == first_question(suite, case, FC)
        if name != FREE.name:
            assert suite.judge(again, recorded_result(again, Mode.FC), FC).valid


def test_every_question_in_fc_mode_ends_with_the_user_or_a_tool_and_offers_the_due_tool(
    suite: ApiBank,
) -> None:
    for case in every_case(suite):
        question = first_question(suite, case, FC)

        assert question.messages[-1]["role"] in ("user", "tool")
        if case.category != FREE.name:
            names = [tool["function"]["name"] for tool in question.tools or ()]
            assert case.answer["gold"]["tool"] in names


def test_in_fc_mode_no_speaker_goes_on_after_himself(suite: ApiBank) -> None:
    doubled = []
    for case in every_case(suite):
        roles = [message["role"] for message in first_question(suite, case, FC).messages]
        pairs = set(pairwise(roles))
        if pairs & {("assistant", "assistant"), ("user", "user"), ("system", "assistant")}:
            doubled.append(case.id)

    assert doubled == []


def test_a_prompt_describes_the_tools_and_shows_past_calls_in_brackets(suite: ApiBank) -> None:
    case = next(
        case
        for case in every_case(suite)
        if case.question["level"] == 2 and case.answer.get("earlier")
    )

    question = first_question(suite, case, PROMPT)

    assert question.tools is None
    assert '"name": "ToolSearcher"' in question.messages[0]["content"]
    assert any(
        message["role"] == "system" and message["content"].startswith("[ToolSearcher(keywords=")
        for message in question.messages[1:]
    )


def test_no_question_holds_the_call_that_is_due(suite: ApiBank) -> None:
    for case in suite.cases("level_1_finance"):
        shown = json.dumps(first_question(suite, case, PROMPT).messages)

        assert len(case.question["history"]) == case.answer["gold"]["turn"]
        assert "expected_output" not in shown


@pytest.mark.parametrize("mode", list(Mode))
def test_every_task_is_solved_by_its_recorded_chain(suite: ApiBank, mode: Mode) -> None:
    setup = Setup(mode)

    verdicts = []
    for case in suite.cases(FREE.name):
        result, _ = play_free(suite, case, setup, recorded_chain(case, mode))
        verdicts.append(suite.judge(case, result, setup).valid)

    assert verdicts == [True] * 50


def test_a_found_tool_is_offered_from_then_on(suite: ApiBank) -> None:
    case = suite.cases(FREE.name)[0]

    _, asked = play_free(suite, case, FC, recorded_chain(case, Mode.FC))

    offered = [[tool["function"]["name"] for tool in question.tools or ()] for question in asked]
    assert offered[0] == ["ToolSearcher"]
    assert case.answer["due"][0]["tool"] in offered[1]


def test_a_task_without_a_call_is_not_solved(suite: ApiBank) -> None:
    case = suite.cases(FREE.name)[0]

    result, asked = play_free(suite, case, FC, [])

    assert len(asked) == 1
    assert suite.judge(case, result, FC).fault is Fault.NO_CALL


def test_a_model_that_never_stops_is_stopped(suite: ApiBank) -> None:
    case = suite.cases(FREE.name)[0]
    again = [[{"ToolSearcher": '{"keywords": "weather"}'}]] * 100

    result, asked = play_free(suite, case, FC, again)

    assert len(asked) == MOST_STEPS
    assert suite.judge(case, result, FC).fault is Fault.FORCE_QUIT


def test_a_call_of_an_unknown_tool_is_answered_and_the_task_goes_on(suite: ApiBank) -> None:
    case = suite.cases(FREE.name)[0]
    chain = [[{"Nothing": "{}"}], *recorded_chain(case, Mode.FC)]

    result, asked = play_free(suite, case, FC, chain)

    assert asked[1].messages[-1]["content"] == "Error: There is no tool Nothing."
    assert suite.judge(case, result, FC).valid


@pytest.mark.parametrize("result", HOSTILE)
@pytest.mark.parametrize("profile", ["default", "upstream"])
def test_hostile_results_are_wrong_and_can_be_shown(
    suite: ApiBank, result: Any, profile: str
) -> None:
    setup = Setup(Mode.FC, profile=profile)
    out = suite.excluded("repaired")
    for name in JUDGED:
        case = next(case for case in suite.cases(name) if case.id not in out)

        judgement: Judgement = suite.judge(case, result, setup)
        view = suite.view(case, result, setup)

        json.dumps([view.decoded, list(view.tools), list(view.messages)], allow_nan=False)
        assert (judgement.valid, bool(judgement.message)) == (False, True)
        assert judgement.fault is not None
        assert view.expects.endswith(".")


def test_the_world_answers_what_is_no_call(suite: ApiBank) -> None:
    world = suite.world(suite.cases(FREE.name)[0], FC)
    assert world is not None
    live = build(world.config, None, datetime.now(UTC))

    replies = [live.act(text) for text in ("", "[]", "{}", '{"name": "A", "arguments": 5}')]

    assert replies == ["Error: this is no call."] * 4


def test_the_source_names_commit_and_licence(suite: ApiBank) -> None:
    source = suite.source()

    assert (source.version, source.licence) == ("483554ea", "Apache-2.0")
    assert len(source.digest) == 64


def test_the_tools_of_a_task_run_behind_the_walls(suite: ApiBank) -> None:
    world = suite.world(suite.cases(FREE.name)[0], FC)
    assert world is not None

    async def act() -> tuple[str, ...]:
        pool = SandboxPool(size=1)
        try:
            session = await pool.open(world, datetime.now(UTC))
            return await session.act(
                [json.dumps({"name": "Geocoding", "arguments": {"address": "Paris"}}), "nonsense"]
            )
        finally:
            await pool.close()

    replies = asyncio.run(act())

    assert json.loads(replies[0])["latitude"] == 48.8566
    assert replies[1] == "Error: this is no call."


AWKWARD: tuple[Any, ...] = (
    *("", "2023-13-45", "-1", "['a']", "[{}]", "\ud800", "²", "a" * 3000),
    *(5, -1.5, True, [], [1], [{}], [{"name": {}}], [{"name": "a"}], {}, 10**400, float("inf")),
)


@pytest.mark.parametrize("profile", ["default", "upstream"])
def test_no_value_of_any_parameter_breaks_a_tool(suite: ApiBank, profile: str) -> None:
    setup = Setup(Mode.FC, profile=profile)
    by_tool = {
        case.answer["gold"]["tool"]: case
        for case in every_case(suite)
        if case.category != FREE.name
    }
    for tool, case in by_tool.items():
        ((_, text),) = recorded_result(case, Mode.FC)[0].items()
        given = json.loads(text)
        for key in given:
            for value in AWKWARD:
                result = [{tool: json.dumps({**given, key: value})}]

                suite.judge(case, result, setup)
                suite.view(case, result, setup)


def test_an_answer_without_a_published_verdict_is_wrong_and_says_why(suite: ApiBank) -> None:
    case = suite.cases("level_3_leisure")[0]

    verdict = suite.judge(case, "[ToolSearcher()]", Setup(Mode.PROMPT, profile="upstream"))

    assert (verdict.valid, verdict.error_type) == (False, "CRASH")
    assert verdict.message.endswith("no verdict on this answer; it counts as wrong here.")
