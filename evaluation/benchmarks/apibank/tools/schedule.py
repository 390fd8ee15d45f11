"""Agenda items, reminders and alarms of the user whom a token names."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.benchmarks.apibank.tools.base import (
    Agreement,
    Arguments,
    Record,
    Run,
    State,
    Tool,
    ToolError,
    look,
    moment,
    same_all,
    same_result,
    share_words,
    texts,
)
from evaluation.engine.types import JSON

SCHEDULE = "Schedule"
Sentence = Callable[[Arguments], str]


def add(state: State, table: str, user: str, given: Arguments) -> str:
    """Store what was given, but for the token, under the next number."""
    rows = state.databases[table]
    kept = {name: value for name, value in given.items() if name != "token"}
    rows[len(rows) + 1] = {"username": user, **kept}
    return "success"


def find(state: State, table: str, user: str, **wanted: JSON) -> JSON:
    """The key of the user's first row that agrees in at least one of the named values."""
    for key, row in state.databases[table].items():
        if row["username"] == user and any(row[name] == wanted[name] for name in wanted):
            return key
    return None


def no_agenda(noun: str) -> Sentence:
    def sentence(given: Arguments) -> str:
        if given["content"]:
            return f"You have no {noun} about {given['content']}"
        return f"You have no {noun} at time : {given['time']}" if given["time"] else "Error"

    return sentence


def no_reminder(given: Arguments) -> str:
    return f"You have no reminder about {given['content']} or at time : {given['time']}"


def _need_content(given: Arguments) -> None:
    if given["content"].strip() == "":
        raise ToolError("Content should not be null")


def add_entry(table: str) -> Run:
    """Agenda items and reminders are added alike."""

    def run(state: State, given: Arguments) -> str:
        moment(given["time"])
        _need_content(given)
        return add(state, table, state.user_of(given["token"]), given)

    return run


def on_entry(
    table: str, sentence: Sentence, act: Callable[[JSON, JSON, Arguments, str], JSON]
) -> Run:
    """Find the user's entry by content or time and do `act(rows, key, given, user)`."""

    def run(state: State, given: Arguments) -> JSON:
        if given["time"] or table == "Reminder":
            moment(given["time"])
        if table == "Reminder":
            _need_content(given)
        user = state.user_of(given["token"])
        key = find(state, table, user, content=given["content"], time=given["time"])
        if key is None:
            raise ToolError(sentence(given))
        return act(state.databases[table], key, given, user)

    return run


def replace_item(rows: JSON, key: JSON, given: Arguments, user: str) -> str:
    rows[key] = {"username": user, **{k: v for k, v in given.items() if k != "token"}}
    return "success"


def change_reminder(rows: JSON, key: JSON, given: Arguments, user: str) -> str:
    rows[key] |= {"content": given["content"], "time": given["time"]}
    return "success"


def remove(rows: JSON, key: JSON, given: Arguments, user: str) -> str:
    del rows[key]
    return "success"


def show(rows: JSON, key: JSON, given: Arguments, user: str) -> JSON:
    return rows[key]


def add_alarm(state: State, given: Arguments) -> str:
    moment(given["time"])
    return add(state, "Alarm", state.user_of(given["token"]), given)


def on_alarm(parameter: str, noun: str, act: Callable[[JSON, JSON, Arguments], JSON]) -> Run:
    """Find the user's alarm by its time, given as `parameter`."""

    def run(state: State, given: Arguments) -> JSON:
        for name in given:
            if name != "token":
                moment(given[name])
        user = state.user_of(given["token"])
        key = find(state, "Alarm", user, time=given[parameter])
        if key is None:
            raise ToolError(f"You have no {noun} at time : {given[parameter]}")
        return act(state.databases["Alarm"], key, given)

    return run


def move_alarm(rows: JSON, key: JSON, given: Arguments) -> str:
    rows[key]["time"] = given["to_time"]
    return "success"


def about(*exact: str, fold: bool = False) -> Agreement:
    """Contents share most words, the named inputs and the result are equal."""

    def agrees(mine: Record, gold: Record) -> bool:
        contents = [look(record, "content") for record in (mine, gold)]
        if fold:
            contents = [content.lower() for content in contents]
        alike = share_words(contents[0], contents[1])
        exactly = all(look(mine, name) == look(gold, name) for name in exact)
        return alike and exactly and same_result(mine, gold)

    return agrees


def deleted_alike(key: str) -> Agreement:
    """Two successful deletions agree by one input; other results must be equal."""

    def agrees(mine: Record, gold: Record) -> bool:
        if mine["output"] == gold["output"] == "success":
            return bool(look(mine, key) == look(gold, key))
        return same_result(mine, gold)

    return agrees


ITEM = texts("token", "content", "time", "location")
REMINDER = texts("token", "content", "time")
ALARM = texts("token", "time")
item_alike = about("time", "location")
reminder_alike = about("time", fold=True)


def _item(name: str, run: Run, agrees: Agreement = item_alike) -> Tool:
    return Tool(name, SCHEDULE, ITEM, run, agrees)


def _reminder(name: str, run: Run, agrees: Agreement = reminder_alike) -> Tool:
    return Tool(name, SCHEDULE, REMINDER, run, agrees)


def _take(rows: JSON, key: JSON, given: Arguments) -> str:
    return remove(rows, key, given, "")


def _see(rows: JSON, key: JSON, given: Arguments) -> JSON:
    return rows[key]


TOOLS = (
    _item("AddAgenda", add_entry("Agenda")),
    _item("ModifyAgenda", on_entry("Agenda", no_agenda("agenda"), replace_item)),
    _item("QueryAgenda", on_entry("Agenda", no_agenda("agenda"), show)),
    _item("DeleteAgenda", on_entry("Agenda", no_agenda("meeting"), remove), deleted_alike("time")),
    _reminder("AddReminder", add_entry("Reminder")),
    _reminder("ModifyReminder", on_entry("Reminder", no_reminder, change_reminder)),
    _reminder("QueryReminder", on_entry("Reminder", no_reminder, show)),
    _reminder("DeleteReminder", on_entry("Reminder", no_reminder, remove), deleted_alike("time")),
    Tool("AddAlarm", SCHEDULE, ALARM, add_alarm, same_all),
    Tool("DeleteAlarm", SCHEDULE, ALARM, on_alarm("time", "alarm clock", _take), same_all),
    Tool("QueryAlarm", SCHEDULE, ALARM, on_alarm("time", "alarm clock", _see), same_all),
    Tool(
        "ModifyAlarm",
        SCHEDULE,
        texts("token", "from_time", "to_time"),
        on_alarm("from_time", "agenda", move_alarm),
        same_all,
    ),
)
