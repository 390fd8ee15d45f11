"""Dates and times, written as a parameter's description wants them."""

from __future__ import annotations

import re

from evaluation.reference.mentions import Mention, Mentions
from evaluation.reference.schema import Parameter
from evaluation.reference.words import stems_of

ENDS = stems_of("end to until checkout return")
FORMAT = re.compile(r"%Y-%m-%d(?P<clock> %H:%M:%S)?")
YEAR = 2023  # where none is said


def whole(parameter: Parameter, mentions: Mentions) -> str | None:
    """A date and a time in the one form that the description spells out."""
    form = FORMAT.search(parameter.description)
    dates, times = mentions.dates, mentions.times
    place = -1 if ENDS & set(parameter.stems) else 0
    if form is None or not dates or (form["clock"] and not times):
        return None
    year, month, day = dates[place].value
    hour, minute = times[place].value if form["clock"] else (0, 0)
    clock = f" {hour:02}:{minute:02}:00" if form["clock"] else ""
    return f"{year or YEAR:04}-{month:02}-{day:02}{clock}"


def date(parameter: Parameter, dates: tuple[Mention, ...]) -> str | None:
    is_end = bool(ENDS & set(parameter.stems))
    mention = dates[-1] if is_end and len(dates) > 1 else dates[0]
    year, month, day = mention.value
    if is_end and len(dates) < 2:
        return None
    if re.search(r"yyyy-mm-dd|iso", parameter.description, re.I) or re.search(
        r"\d{4}-\d\d-\d\d", parameter.description
    ):
        return f"{year or YEAR:04}-{month:02}-{day:02}"
    if re.search(r"mm/dd/yyyy", parameter.description, re.I):
        return f"{month:02}/{day:02}/{year or YEAR:04}"
    if re.search(r"dd/mm/yyyy", parameter.description, re.I):
        return f"{day:02}/{month:02}/{year or YEAR:04}"
    return mention.text


def time(parameter: Parameter, times: tuple[Mention, ...]) -> str | None:
    is_end = "end" in parameter.stems and len(times) > 1
    mention = times[-1] if is_end else times[0]
    hour, minute = mention.value
    if re.search(r"hh:mm|24-hour|'\d\d:\d\d'", parameter.description, re.I):
        seconds = ":00" if re.search(r"hh:mm:ss", parameter.description, re.I) else ""
        return f"{hour:02}:{minute:02}{seconds}"
    return mention.text
