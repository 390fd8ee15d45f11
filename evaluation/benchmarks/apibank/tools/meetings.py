"""Meetings of the user whom a token names."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.benchmarks.apibank.tools.base import (
    TEXTS,
    Arguments,
    Record,
    Run,
    State,
    Tool,
    ToolError,
    look,
    moment,
    same_result,
    share_words,
    texts,
)
from evaluation.benchmarks.apibank.tools.schedule import SCHEDULE, add, deleted_alike, find
from evaluation.engine.types import JSON


def check_times(given: Arguments) -> None:
    """Both ends are moments. Raises ValueError."""
    for name in ("start_time", "end_time"):
        if given[name]:
            moment(given[name])


def add_meeting(state: State, given: Arguments) -> str:
    moment(given["start_time"])
    moment(given["end_time"])
    if given["meeting_topic"].strip() == "":
        raise ToolError("Meeting Topic should not be null")
    return add(state, "Meeting", state.user_of(given["token"]), given)


def on_meeting(act: Callable[[JSON, JSON, Arguments], JSON]) -> Run:
    """Find the user's meeting by topic or start and do `act(rows, key, given)`."""

    def run(state: State, given: Arguments) -> JSON:
        check_times(given)
        topic, start = given["meeting_topic"], given["start_time"]
        if topic.strip() == "" and not start:
            raise ToolError("Meeting Topic and start_time should not be null both")
        user = state.user_of(given["token"])
        key = find(state, "Meeting", user, meeting_topic=topic, start_time=start)
        if key is not None:
            return act(state.databases["Meeting"], key, given)
        if topic:
            raise ToolError(f"You have no meeting about {topic}")
        raise ToolError(f"You have no meeting at time : {start}")

    return run


def change(rows: JSON, key: JSON, given: Arguments) -> str:
    if given["meeting_topic"]:
        rows[key]["meeting_topic"] = given["meeting_topic"]
    if given["start_time"]:
        rows[key] |= {"start_time": given["start_time"], "end_time": given["end_time"]}
    return "success"


def remove(rows: JSON, key: JSON, given: Arguments) -> str:
    del rows[key]
    return "success"


def show(rows: JSON, key: JSON, given: Arguments) -> JSON:
    return rows[key]


def meeting_alike(mine: Record, gold: Record) -> bool:
    """Topics share most words; every other input and the result are equal."""
    alike = share_words(look(mine, "meeting_topic"), look(gold, "meeting_topic"))
    rests = [{**record["input"], "meeting_topic": None} for record in (mine, gold)]
    return alike and rests[0] == rests[1] and same_result(mine, gold)


# The published check of a deletion compares a key that no meeting has.
deleted_as_published = deleted_alike("time")
deleted_repaired = deleted_alike("start_time")

MEETING = {
    **texts("token", "meeting_topic", "start_time", "end_time", "location"),
    "attendees": TEXTS,
}

TOOLS = (
    Tool("AddMeeting", SCHEDULE, MEETING, add_meeting, meeting_alike),
    Tool("ModifyMeeting", SCHEDULE, MEETING, on_meeting(change), meeting_alike),
    Tool("QueryMeeting", SCHEDULE, MEETING, on_meeting(show), meeting_alike),
    Tool("DeleteMeeting", SCHEDULE, MEETING, on_meeting(remove), deleted_as_published),
)
