"""What the repaired profile repairs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.benchmarks.apibank.corpus import Corpus, Databases, GoldCall
from evaluation.benchmarks.apibank.errata import ERRATA
from evaluation.benchmarks.apibank.repaired import WrongType, convert, judge, replay
from evaluation.benchmarks.apibank.score import Scorer
from evaluation.benchmarks.apibank.tools.base import State
from evaluation.benchmarks.apibank.verdicts import ErrorClass

ACCOUNT = {"Ann": {"password": "tea", "token": "t1", "email": "ann@example.org"}}
MEETING = {
    "token": "t1",
    "meeting_topic": "Tea",
    "start_time": "2023-05-01 10:00:00",
    "end_time": "2023-05-01 11:00:00",
    "location": "Here",
    "attendees": ["Mary", "Tom"],
}


def a_gold(tool: str, given: Any, output: Any, turn: int = 0) -> GoldCall:
    record = {"api_name": tool, "input": given, "output": output, "exception": None}
    return GoldCall(1, "L1/test", turn, 0, tool, given, record)


def a_state(**databases: Any) -> State:
    return State(Databases({"Account": ACCOUNT, **databases}))


@pytest.mark.parametrize(
    "result",
    [
        [{"AddMeeting": json.dumps(MEETING)}],
        "[AddMeeting(token='t1', meeting_topic='Tea', start_time='2023-05-01 10:00:00', "
        "end_time='2023-05-01 11:00:00', location='Here', attendees='['Mary', 'Tom']')]",
    ],
)
def test_a_list_is_a_list_in_either_mode(result: Any) -> None:
    verdict = judge(a_gold("AddMeeting", MEETING, "success"), result, a_state(Meeting={}))

    assert verdict.valid is True


def test_a_changed_attendee_is_wrong() -> None:
    changed = {**MEETING, "attendees": ["Mary", "Eve"]}

    verdict = judge(
        a_gold("AddMeeting", MEETING, "success"),
        [{"AddMeeting": json.dumps(changed)}],
        a_state(Meeting={}),
    )

    assert verdict.error_class is ErrorClass.INPUT_MISMATCH


def test_changed_health_data_is_wrong() -> None:
    given = {
        "user_id": "A1",
        "time": "2023-05-01 10:00:00",
        "health_data": [{"name": "pulse", "value": "80"}],
    }
    changed = {**given, "health_data": [{"name": "pulse", "value": "81"}]}

    verdict = judge(
        a_gold("RecordHealthData", given, "success"),
        [{"RecordHealthData": json.dumps(changed)}],
        a_state(HealthData={}),
    )

    assert verdict.valid is False


def test_the_state_of_earlier_calls_is_kept() -> None:
    token = {"username": "Bob", "password": "x"}
    made = a_gold("RegisterUser", {**token, "email": "b@example.org"}, {"token": "recorded"})
    gold = a_gold("GetUserToken", token, {"token": "recorded"}, turn=1)
    state = a_state()

    replay([made], state)
    verdict = judge(gold, [{"GetUserToken": json.dumps(token)}], state)

    assert verdict.valid is True


@pytest.mark.parametrize(
    ("result", "error_class"),
    [
        ("Sure, I will.", ErrorClass.NO_API_CALL),
        ([], ErrorClass.NO_API_CALL),
        ("[Wiki(keyword='tea'), Wiki(keyword='tea')]", ErrorClass.SEVERAL_CALLS),
        ("[Dictionary(keyword='tea')]", ErrorClass.NAME_MISMATCH),
        ("[Wiki(word='tea')]", ErrorClass.INVALID_PARAMETER),
        ("[Wiki()]", ErrorClass.MISSING_ARGUMENT),
        ("[Wiki('tea')]", ErrorClass.MISSING_ARGUMENT),
        ([{"Wiki": '{"keyword": 5}'}], ErrorClass.WRONG_TYPE),
        ([{"Wiki": "{"}], ErrorClass.FAILED_PARSE),
        (["Wiki"], ErrorClass.FAILED_PARSE),
        (7, ErrorClass.FAILED_PARSE),
        ([{"Wiki": "[" * 100_000}], ErrorClass.FAILED_PARSE),
        ("[Wiki(keyword='milk')]", ErrorClass.HAS_EXCEPTION),
    ],
)
def test_each_kind_of_wrong_has_its_class(result: Any, error_class: ErrorClass) -> None:
    entry = {"url": "u", "summary": "s"}
    gold = a_gold("Wiki", {"keyword": "tea"}, entry)

    verdict = judge(gold, result, a_state(Wiki={"tea": entry}))

    assert (verdict.valid, verdict.error_class) == (False, error_class)


@pytest.mark.parametrize(
    ("kind", "value", "typed"),
    [
        ("int", "2", 2),
        ("int", " 2 ", 2),
        ("int", -2, -2),
        ("int", 2.0, 2),
        ("float", "-0.5", -0.5),
        ("float", 3, 3.0),
        ("bool", "true", True),
        ("bool", False, False),
        ("list(str)", "['a', 'b']", ["a", "b"]),
        ("list", [{"name": "a"}], [{"name": "a"}]),
    ],
)
def test_values_are_taken_in_their_declared_type(kind: str, value: Any, typed: Any) -> None:
    assert convert(kind, value) == typed


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("str", 5),
        ("int", "two"),
        ("int", True),
        ("int", 2.5),
        ("int", float("nan")),
        ("int", "9" * 5000),
        ("float", None),
        ("float", 10**400),
        ("float", float("inf")),
        ("bool", "yes"),
        ("list", "nothing"),
        ("list(str)", [1]),
    ],
)
def test_other_values_are_of_the_wrong_type(kind: str, value: Any) -> None:
    with pytest.raises(WrongType):
        convert(kind, value)


def test_every_erratum_names_a_call_and_a_reason(corpus: Corpus) -> None:
    keys = {call.key for level in (1, 2, 3) for call in corpus.calls(level)}

    assert set(ERRATA) <= keys
    assert len(ERRATA) == 18
    assert all(reason.endswith(".") for reason in ERRATA.values())


def test_a_call_with_an_erratum_has_no_verdict(corpus: Corpus) -> None:
    scorer = Scorer(corpus)
    gold = next(call for call in corpus.calls(1) if call.key in ERRATA)

    verdict = scorer.judge(gold, "anything")

    assert verdict.valid is None
    assert verdict.message == ERRATA[gold.key]


def test_a_search_is_right_when_it_finds_the_recorded_tool(corpus: Corpus) -> None:
    scorer = Scorer(corpus)
    gold = next(call for call in corpus.calls(3) if call.written.get("keywords") == "TravelStatus")

    right = scorer.judge(gold, "[ToolSearcher(keywords='travel status of a person')]")
    wrong = scorer.judge(gold, "[ToolSearcher(keywords='weather forecast')]")

    assert (right.valid, wrong.valid) == (True, False)
