"""The tools: what they answer, what they change, how they decline."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.benchmarks.apibank.tools import DIALOGUE_TOOLS, PLANNING_TOOLS
from evaluation.benchmarks.apibank.tools.arithmetic import calculate
from evaluation.benchmarks.apibank.tools.base import Record, State, ToolCrash, ToolError, tidy
from evaluation.benchmarks.apibank.tools.knowledge import bm25


def a_state(**databases: Any) -> State:
    account = {"Ann": {"password": "tea", "token": "t1", "email": "ann@example.org"}}
    return State({"Account": account, **databases})


def call(state: State, tool: str, /, **arguments: Any) -> Record:
    return DIALOGUE_TOOLS[tool].call(state, arguments)


def test_there_are_53_tools_for_dialogues_and_22_for_tasks() -> None:
    assert (len(DIALOGUE_TOOLS), len(PLANNING_TOOLS)) == (53, 22)
    assert len({*DIALOGUE_TOOLS, *PLANNING_TOOLS}) == 71


def test_a_password_gives_a_token_and_a_wrong_one_is_declined() -> None:
    state = a_state()

    right = call(state, "GetUserToken", username="Ann", password="tea")
    wrong = call(state, "GetUserToken", username="Ann", password="milk")

    assert right["output"] == {"token": "t1"}
    assert (wrong["output"], wrong["exception"]) == (None, "The password is incorrect.")


def test_a_forgotten_password_takes_two_calls_in_order() -> None:
    state = a_state()
    second = {"status": "Verification Code", "verification_code": 970420, "new_password": "x"}

    early = call(state, "ForgotPassword", **second)
    first = call(
        state, "ForgotPassword", status="Forgot Password", username="Ann", email="ann@example.org"
    )
    last = call(state, "ForgotPassword", **second)

    assert early["exception"] is not None
    assert (first["output"], last["output"]) == (970420, "success")
    assert state.databases["Account"]["Ann"]["password"] == "x"


def test_a_registered_user_has_a_token_that_works() -> None:
    state = a_state()

    made = call(state, "RegisterUser", username="Bob", password="x", email="b@example.org")
    checked = call(state, "CheckToken", token=made["output"]["token"])

    assert checked["output"] == {"username": "Bob"}


def test_an_agenda_item_can_be_added_queried_changed_and_deleted() -> None:
    state = a_state(Agenda={})
    item = {"token": "t1", "content": "Tea", "time": "2023-05-01 10:00:00", "location": "Here"}
    later = {**item, "time": "2023-05-02 10:00:00"}

    outputs = [
        call(state, "AddAgenda", **item)["output"],
        call(state, "ModifyAgenda", **later)["output"],
        call(state, "QueryAgenda", **later)["output"]["time"],
        call(state, "DeleteAgenda", **later)["output"],
    ]

    assert outputs == ["success", "success", "2023-05-02 10:00:00", "success"]
    assert state.databases["Agenda"] == {}


def test_another_users_reminder_is_not_found() -> None:
    row = {"username": "Bob", "content": "Tea", "time": "2023-05-01 10:00:00"}
    state = a_state(Reminder={"1": row})

    record = call(state, "QueryReminder", token="t1", content="Tea", time="2023-05-01 10:00:00")

    assert record["exception"].startswith("You have no reminder about Tea")


def test_an_appointment_is_booked_once_a_day() -> None:
    state = a_state(Appointments={})
    wanted = {"patient_name": "Ann", "date": "2023-5-1", "doctor_name": "Dr. Lee"}

    first = call(state, "AppointmentRegistration", **wanted)
    again = call(state, "AppointmentRegistration", **wanted)
    found = call(state, "QueryRegistration", patient_name="Ann", date="2023-05-01")

    assert again["exception"] == "This appointment has already been registered."
    assert list(found["output"]) == [first["output"]]


def test_health_data_with_a_name_twice_is_declined() -> None:
    state = a_state(HealthData={})
    twice = [{"name": "pulse", "value": "80"}, {"name": "pulse", "value": "81"}]

    record = call(
        state, "RecordHealthData", user_id="a1", time="2023-05-01 10:00:00", health_data=twice
    )

    assert record["exception"] == "The health data cannot contain duplicate items."


def test_three_adults_do_not_fit_one_room() -> None:
    state = a_state(Hotel={})
    stay = {"hotel_name": "Inn", "check_in_time": "2023-05-01", "check_out_time": "2023-05-02"}

    small = call(state, "BookHotel", **stay, room_count=1, adult_count=3, child_count=0)
    large = call(state, "BookHotel", **stay, room_count=2, adult_count=3, child_count=0)

    assert small["exception"].startswith("The number of adults is greater than 2.")
    assert large["output"] == "1"


def test_a_timed_switch_can_be_cancelled_once() -> None:
    state = a_state(TimeSwitch={})
    when = {"name": "Lamp", "time": "2023-05-01 10:00:00"}

    call(state, "TimedSwitch", **when, on=True)
    records = [call(state, "CancelTimedSwitch", **when) for _ in range(2)]

    assert [record["exception"] for record in records] == [None, "time does not exist."]


@pytest.mark.parametrize(
    ("formula", "value"), [("(5+10)*3", 45.0), ("30 / 3", 10.0), ("2-3-4", -5.0), ("2+3*4", 14.0)]
)
def test_sums_are_worked_out(formula: str, value: float) -> None:
    assert calculate(formula) == value


@pytest.mark.parametrize("formula", ["", "5", "1+", "(1+2", "1)", "2**3", "x+1", "1/0", "()"])
def test_what_is_no_sum_is_declined(formula: str) -> None:
    with pytest.raises(ToolError):
        calculate(formula)


def test_a_rare_word_finds_its_document() -> None:
    documents = [["tea", "and", "milk"], ["coffee", "and", "milk"], ["water"]]

    scores = bm25(documents, ["coffee"])

    assert scores.index(max(scores)) == 1


def test_a_date_without_a_year_may_be_the_29th_of_february() -> None:
    state = a_state(History={"02-28": [{"Title": "T ", "Date": "1900-02-28", "Description": "D"}]})

    known = call(state, "QueryHistoryToday", date="2020-02-28")
    unknown = call(state, "QueryHistoryToday", date="02-29")

    assert known["output"] == ["Title: T, Date: 1900-02-28, Description: D"]
    assert unknown["exception"] is not None


def test_a_date_is_trimmed_and_printed_in_full() -> None:
    assert tidy(" 2023-5-1 ", "%Y-%m-%d") == "2023-05-01"
    assert tidy("23-05-01", "%Y-%m-%d").lstrip("0") == "23-05-01"


def test_services_answer_only_what_was_recorded() -> None:
    state = a_state()
    state.records = {"Dictionary": [({"keyword": "tea"}, ["a drink"])]}

    known = call(state, "Dictionary", keyword=" Tea ")
    unknown = call(state, "Dictionary", keyword="milk")

    assert known["output"] == ["a drink"]
    assert unknown["exception"] == "Failed."


def test_task_tools_know_what_the_tasks_ask_about() -> None:
    films = {"recommended_movies": ["a", "b", "c", "d"]}
    state = a_state()
    state.records = {
        "TravelStatus": [({"member_name": "Ann"}, "Traveling")],
        "MovieRecommendations": [({"preferences": ["Drama", "Action"]}, films)],
    }

    status = PLANNING_TOOLS["TravelStatus"].call(state, {"member_name": "Ann"})
    nobody = PLANNING_TOOLS["TravelStatus"].call(state, {"member_name": "Eve"})
    action = PLANNING_TOOLS["MovieRecommendations"].call(state, {"preferences": ["Action"]})

    assert status["output"] == "Traveling"
    assert nobody["exception"] == "'Eve'"
    assert action["output"] == {"recommended_movies": ["c", "d"]}


def test_the_weather_of_an_unknown_place_breaks_the_tool() -> None:
    tool = PLANNING_TOOLS["GetWeatherForCoordinates"]

    with pytest.raises(ToolCrash):
        tool.call(a_state(), {"latitude": 1.0, "longitude": 2.0})
