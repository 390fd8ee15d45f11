"""Everyday tools: sums, the date, music, mail, hotels."""

from __future__ import annotations

import re
from datetime import datetime

from evaluation.benchmarks.apibank.tools import arithmetic
from evaluation.benchmarks.apibank.tools.base import (
    DAY,
    Arguments,
    Record,
    State,
    Tool,
    ToolError,
    look,
    same,
    same_all,
    same_inputs,
    same_result,
    stripped,
    texts,
)
from evaluation.benchmarks.apibank.tools.knowledge import KNOWLEDGE
from evaluation.engine.types import JSON

OTHER = "Others"
TODAY = "2023-03-31"
LONGEST_ADDRESS = 320  # characters
ADDRESS = re.compile(r"[a-z0-9]+[._]?[a-z0-9]+@\w+\.\w{2,3}")


def sum_alike(mine: Record, gold: Record) -> bool:
    """Formulas are compared without spaces."""
    formulas = [look(record, "formula").replace(" ", "") for record in (mine, gold)]
    return formulas[0] == formulas[1] and same_result(mine, gold)


def today(state: State, given: Arguments) -> str:
    return TODAY


def any_day(mine: Record, gold: Record) -> bool:
    """Whatever the recording says: a day came back and nothing was asked."""
    return mine["output"] is not None and mine["exception"] is None and mine["input"] is None


def play_music(state: State, given: Arguments) -> str:
    name = given["music_name"].strip().lower()
    if not name:
        raise ToolError("The music name cannot be empty.")
    return f"music://{name}"


def send_email(state: State, given: Arguments) -> str:
    receiver = given["receiver"].strip()
    if len(receiver) > LONGEST_ADDRESS or not ADDRESS.fullmatch(receiver):
        raise ToolError("Email address of the receiver is invalid.")
    for name in ("subject", "content"):
        if not given[name].strip():
            raise ToolError(f"{name.capitalize()} cannot be empty.")
    return "success"


def book_hotel(state: State, given: Arguments) -> str:
    start, end = (datetime.strptime(given[n], DAY) for n in ("check_in_time", "check_out_time"))
    if given["adult_count"] > 2 and given["room_count"] == 1:
        raise ToolError("The number of adults is greater than 2. Two rooms are ordered.")
    orders = state.databases["Hotel"]
    for order in orders.values():
        first, last = (
            datetime.strptime(order[n], DAY) for n in ("check_in_time", "check_out_time")
        )
        taken = first <= start < last or first < end <= last
        if order["hotel_name"] == given["hotel_name"] and taken:
            raise ToolError("The room is not available.")
    number = str(len(orders) + 1)
    orders[number] = dict(given)
    return number


def address(value: JSON) -> JSON:
    return value.strip().lower()


CALCULATOR = Tool("Calculator", KNOWLEDGE, texts("formula"), arithmetic.run, sum_alike)

TOOLS = (
    CALCULATOR,
    Tool("GetToday", OTHER, {}, today, any_day, has_input=False),
    Tool("PlayMusic", OTHER, texts("music_name"), play_music, same("output")),
    Tool(
        "SendEmail",
        OTHER,
        texts("receiver", "subject", "content"),
        send_email,
        same_inputs(receiver=address, subject=stripped, content=stripped),
    ),
    Tool(
        "BookHotel",
        OTHER,
        {
            **texts("hotel_name", "check_in_time", "check_out_time"),
            "room_count": "int",
            "adult_count": "int",
            "child_count": "int",
        },
        book_hotel,
        same_all,
    ),
)
