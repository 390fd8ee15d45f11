"""Hospital appointments, health records, symptoms."""

from __future__ import annotations

import hashlib
from datetime import datetime

from evaluation.benchmarks.apibank.tools.base import (
    DAY,
    MOMENT,
    Arguments,
    Record,
    State,
    Tool,
    ToolCrash,
    ToolError,
    as_day,
    as_moment,
    capital,
    folded,
    look,
    same_inputs,
    same_result,
    stripped,
    texts,
    tidy,
)
from evaluation.engine.types import JSON

HEALTH = "Health management"
APPOINTMENTS = "Appointments"


def register(state: State, given: Arguments) -> str:
    patient, doctor = given["patient_name"].strip(), given["doctor_name"].strip()
    if not patient or not doctor:
        raise ToolError("Patient name or doctor name cannot be empty.")
    row = {"patient_name": patient, "date": tidy(given["date"], DAY), "doctor_name": doctor}
    rows = state.databases[APPOINTMENTS]
    if row in rows.values():
        raise ToolError("This appointment has already been registered.")
    if any(r["patient_name"] == patient and r["date"] == row["date"] for r in rows.values()):
        raise ToolError("This patient has already been registered in this day.")
    number = state.told or _fresh_number(row, rows)
    rows[number] = row
    return str(number)


def _fresh_number(row: JSON, rows: JSON) -> str:
    """Eight digits nobody has yet, the same for the same appointment."""
    digest = hashlib.sha256(repr(sorted(row.items())).encode()).hexdigest()
    number = int(digest[:12], 16) % 90_000_000 + 10_000_000
    while str(number) in rows:
        number += 1
    return str(number)


def registered_alike(mine: Record, gold: Record) -> bool:
    """The number is random: only whether there is one counts."""
    if gold["output"] is None and mine["output"] is not None:
        return False
    if mine["exception"] != gold["exception"]:
        return False
    forms = {"patient_name": stripped, "date": as_day, "doctor_name": stripped}
    return all(form(look(mine, key)) == form(look(gold, key)) for key, form in forms.items())


def cancel(state: State, given: Arguments) -> str:
    number = given["appointment_id"].strip()
    if number not in state.databases[APPOINTMENTS]:
        raise ToolError("The appointment ID is incorrect.")
    del state.databases[APPOINTMENTS][number]
    return "success"


def query_registration(state: State, given: Arguments) -> JSON:
    patient, day = given["patient_name"].strip(), tidy(given["date"], DAY)
    found = {
        number: row
        for number, row in state.databases[APPOINTMENTS].items()
        if row["patient_name"] == patient and row["date"] == day
    }
    if not found:
        raise ToolError("No appointments found.")
    return found


def modify_registration(state: State, given: Arguments) -> str:
    rows = state.databases[APPOINTMENTS]
    number = given["appointment_id"].strip()
    if number not in rows:
        raise ToolError("The appointment ID does not exist.")
    row = rows[number]
    doctor = given.get("new_appointment_doctor")
    if doctor is not None:
        doctor = doctor.strip()
        if not doctor:
            raise ToolError("Fail because the doctor name is empty.")
    day = given.get("new_appointment_date")
    wanted = {"date": None if day is None else tidy(day, DAY), "doctor_name": doctor}
    asked = {name: value for name, value in wanted.items() if value is not None}
    unchanged = [name for name, value in asked.items() if row[name] == value]
    if len(asked) != 1 and len(unchanged) == len(asked):
        raise ToolError("Fail because no modification is made.")
    for name, noun in (("date", "date"), ("doctor_name", "doctor")):
        if name in unchanged:
            raise ToolError(f"Fail because {noun} is not changed.")
    row |= asked
    return "success"


def query_health(state: State, given: Arguments) -> JSON:
    user = given["user_id"].upper().strip()
    if not user:
        raise ToolError("The user id cannot be empty.")
    start, end = _span(given["start_time"], given["end_time"])
    if start > end:
        raise ToolError("The start time cannot be later than the end time.")
    if user not in state.databases["HealthData"]:
        raise ToolError("The user id does not exist.")
    found = [
        row
        for row in state.databases["HealthData"][user]
        if start <= datetime.strptime(row["time"], MOMENT) <= end
    ]
    if not found:
        raise ToolError("There is no health data in the given time span.")
    return found


def _span(start: str, end: str) -> tuple[datetime, datetime]:
    """Both ends of a time span; one text names all that cannot be read. Raises ToolError."""
    read: list[datetime] = []
    faults: list[str] = []
    for text in (start, end):
        try:
            read.append(datetime.strptime(tidy(text, MOMENT), MOMENT))
        except ValueError as fault:
            faults.append(str(fault))
    if faults:
        raise ToolError("; ".join(faults))
    return read[0], read[1]


def record_health(state: State, given: Arguments) -> str:
    user = given["user_id"].upper().strip()
    if not user:
        raise ToolError("The user id cannot be empty.")
    time = tidy(given["time"], MOMENT)
    values = _health_values(given.get("health_data"))
    rows = state.databases["HealthData"].setdefault(user, [])
    row = next((row for row in rows if row["time"] == time), None)
    if row is None:
        row = {"time": time}
        rows.append(row)
    row |= values
    return "success"


def _health_values(items: JSON) -> JSON:
    if not items:
        raise ToolError("The health data cannot be empty.")
    values: dict[str, JSON] = {}
    for item in items:
        if not isinstance(item, dict) or "name" not in item:
            raise ToolError("The health data has invalid format.")
        if str(item["name"]) in values:
            raise ToolError("The health data cannot contain duplicate items.")
        values[str(item["name"])] = item.get("value")
    return values


recorded_as_published = same_inputs(user_id=capital, time=as_moment)


def recorded_repaired(mine: Record, gold: Record) -> bool:
    """The published check, and the same values in any order."""
    values = [
        sorted((str(item["name"]), str(item.get("value"))) for item in look(record, "health_data"))
        for record in (mine, gold)
        if record["exception"] is None
    ]
    return recorded_as_published(mine, gold) and len(values) == 2 and values[0] == values[1]


def symptom_search(state: State, given: Arguments) -> JSON:
    symptom = given["symptom"].strip().lower()
    if not symptom:
        raise ToolError("The symptom cannot be empty.")
    return _of_symptom(state, symptom, "description")


def emergency(state: State, given: Arguments) -> JSON:
    symptom = given["symptom"].strip().lower()
    if not symptom:
        raise ToolError("'Exception' object has no attribute 'lower'")
    return _of_symptom(state, symptom, "aid")


def _of_symptom(state: State, symptom: str, part: str) -> JSON:
    if symptom not in state.databases["Symptom"]:
        raise ToolError("The symptom does not exist.")
    rows = state.databases["Symptom"][symptom]
    return [{"name": row["name"], part: row[part]} for row in rows]


def symptom_alike(mine: Record, gold: Record) -> bool:
    """Symptoms are compared trimmed and in lower case; an empty one breaks the published check."""
    texts_ = [look(record, "symptom").strip() for record in (mine, gold)]
    if not all(texts_):
        raise ToolCrash("'Exception' object has no attribute 'lower'")
    return texts_[0].lower() == texts_[1].lower() and same_result(mine, gold)


TOOLS = (
    Tool(
        "AppointmentRegistration",
        HEALTH,
        texts("patient_name", "date", "doctor_name"),
        register,
        registered_alike,
    ),
    Tool(
        "CancelRegistration",
        HEALTH,
        texts("appointment_id"),
        cancel,
        same_inputs(appointment_id=stripped),
    ),
    Tool(
        "QueryRegistration",
        HEALTH,
        texts("patient_name", "date"),
        query_registration,
        same_inputs(patient_name=stripped, date=as_day),
    ),
    Tool(
        "ModifyRegistration",
        HEALTH,
        texts("appointment_id", "new_appointment_date", "new_appointment_doctor"),
        modify_registration,
        same_inputs(
            appointment_id=stripped,
            new_appointment_date=as_day,
            new_appointment_doctor=stripped,
        ),
        optional=("new_appointment_date", "new_appointment_doctor"),
        fills=True,
    ),
    Tool(
        "QueryHealthData",
        HEALTH,
        texts("user_id", "start_time", "end_time"),
        query_health,
        same_inputs(user_id=capital, start_time=as_moment, end_time=as_moment),
    ),
    Tool(
        "RecordHealthData",
        HEALTH,
        {**texts("user_id", "time"), "health_data": "list"},
        record_health,
        recorded_as_published,
        optional=("health_data",),
        fills=True,
    ),
    Tool("SymptomSearch", HEALTH, texts("symptom"), symptom_search, symptom_alike),
    Tool("EmergencyKnowledge", HEALTH, texts("symptom"), emergency, same_inputs(symptom=folded)),
)
