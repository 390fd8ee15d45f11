"""The tools of the third level. Most answer from small tables.

The tables are not written here: they are read off the answers recorded with the tasks, so a
tool knows exactly the people, places and posts that the tasks ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from evaluation.benchmarks.apibank.tools.base import (
    DAY,
    TEXTS,
    Agreement,
    Arguments,
    Record,
    Run,
    State,
    Tool,
    ToolCrash,
    ToolError,
    look,
    moment,
    same,
    same_all,
    same_named,
    same_result,
    share_words,
    texts,
)
from evaluation.benchmarks.apibank.tools.daily import CALCULATOR
from evaluation.benchmarks.apibank.tools.online import SEARCHER
from evaluation.engine.types import JSON

PEOPLE = "People and accounts"
TRAVEL = "Travel and weather"
LEISURE = "Leisure"
WORK = "Work and money"
TAX = 0.3


def recorded(state: State, tool: str) -> Iterator[tuple[Arguments, JSON]]:
    yield from state.records.get(tool, ())


def table(tool: str, unknown: Callable[[JSON], str] = repr) -> Run:
    """Answer what was recorded for the same arguments; `unknown` words the refusal."""

    def run(state: State, given: Arguments) -> JSON:
        for asked, answer in recorded(state, tool):
            if asked == given:
                return answer
        raise ToolError(unknown(next(iter(given.values()))))

    return run


def no_user(value: JSON) -> str:
    return "User not found."


def no_post(value: JSON) -> str:
    return f"Post with ID {value} does not exist."


def no_occupation(value: JSON) -> str:
    return "The occupation is not in the database."


def weather(state: State, given: Arguments) -> JSON:
    for asked, answer in recorded(state, "GetWeatherForCoordinates"):
        if asked == given:
            return answer
    raise ToolCrash("'NoneType' object is not subscriptable")


def clothes(state: State, given: Arguments) -> JSON:
    """What to wear at a temperature in degrees Celsius, and in rain."""
    if given["temperature"] < 10:
        worn = ["Warm coat", "Hat", "Gloves"]
    elif given["temperature"] < 20:
        worn = ["Light jacket", "Long-sleeved shirt"]
    else:
        worn = ["T-shirt", "Shorts"]
    return {"clothing_options": worn + ["Raincoat"] * (given["weather_conditions"] == "Rainy")}


def remind_by_mail(state: State, given: Arguments) -> str:
    moment(given["time"])
    if given["content"].strip() == "":
        raise ToolError("Content should not be empty")
    return "success"


def add_meeting(state: State, given: Arguments) -> str:
    moment(given["start_time"])
    moment(given["end_time"])
    if given["meeting_topic"].strip() == "":
        raise ToolError("Meeting Topic should not be null")
    return "success"


def on_days(tool: str, listed: str, days: tuple[str, ...]) -> Run:
    """Answer from the record; what is not listed is an empty list. Raises ValueError."""

    def run(state: State, given: Arguments) -> JSON:
        for name in days:
            datetime.strptime(given[name], DAY)
        for asked, answer in recorded(state, tool):
            if asked == given:
                return answer
        return {listed: []}

    return run


def recommend(state: State, given: Arguments) -> JSON:
    shelves = _films_by_genre(state)
    films: list[JSON] = []
    for genre in given["preferences"]:
        if not isinstance(genre, str) or genre not in shelves:
            raise ToolError(repr(genre))
        films += shelves[genre]
    return {"recommended_movies": films}


def _films_by_genre(state: State) -> dict[JSON, list[JSON]]:
    """Recorded answers list the films genre by genre, equally many of each."""
    shelves: dict[JSON, list[JSON]] = {}
    for asked, answer in recorded(state, "MovieRecommendations"):
        films, genres = answer["recommended_movies"], asked["preferences"]
        each = len(films) // len(genres)
        for place, genre in enumerate(genres):
            shelves[genre] = films[place * each : (place + 1) * each]
    return shelves


def restaurants(state: State, given: Arguments) -> JSON:
    """The same list everywhere."""
    for _, answer in recorded(state, "NearbyRestaurants"):
        return answer
    return {"restaurants": []}


def update_address(state: State, given: Arguments) -> JSON:
    pair = {name: given[name] for name in ("username", "password")}
    if all(asked != pair for asked, _ in recorded(state, "AccountInfo")):
        raise ToolError("User not found.")
    return {"status": "success"}


def after_tax(state: State, given: Arguments) -> JSON:
    return {"salary_after_tax": given["salary"] * (1 - TAX)}


def alike_but(free: str, close: bool = False) -> Agreement:
    """Equal but for one input, which is free or need only share most words."""

    def agrees(mine: Record, gold: Record) -> bool:
        values = [look(record, free) for record in (mine, gold)]
        rests = [{**record["input"], free: None} for record in (mine, gold)]
        near = not close or share_words(values[0], values[1])
        named = close or mine["api_name"] == gold["api_name"]
        return near and named and rests[0] == rests[1] and same_result(mine, gold)

    return agrees


def hotels_alike(mine: Record, gold: Record) -> bool:
    if not same("api_name", "input")(mine, gold):
        return False
    if mine["output"] is None:
        raise ToolCrash("'NoneType' object is not subscriptable")
    return bool(mine["output"]["hotels"] == gold["output"]["hotels"])


def _table(name: str, domain: str, inputs: dict[str, str], unknown: Callable[[JSON], str]) -> Tool:
    return Tool(name, domain, inputs, table(name, unknown), same_named)


PLACE = {"latitude": "float", "longitude": "float"}
MEETING = {
    **texts("meeting_topic", "start_time", "end_time", "location"),
    "attendees": TEXTS,
}
STAY = texts("destination", "check_in_date", "check_out_date")
FLIGHT = texts("source", "destination", "travel_dates")

TOOLS = (
    _table("AccountInfo", PEOPLE, texts("username", "password"), no_user),
    _table("GetOccupationSalary", WORK, texts("occupation"), no_occupation),
    _table("LikeCount", PEOPLE, {"post_id": "int"}, no_post),
    _table("UserPosts", PEOPLE, {"user_id": "int"}, repr),
    _table("OrganizationMembers", PEOPLE, texts("organization"), repr),
    _table("TravelStatus", PEOPLE, texts("member_name"), repr),
    _table("QueryMeeting", WORK, texts("user_name"), repr),
    _table("Geocoding", TRAVEL, texts("address"), repr),
    _table("UserWatchedMovies", LEISURE, texts("user_name"), no_user),
    _table("UserMoviePreferences", LEISURE, texts("user_name"), repr),
    Tool("MovieRecommendations", LEISURE, {"preferences": "list"}, recommend, same_named),
    Tool("GetWeatherForCoordinates", TRAVEL, PLACE, weather, same_all),
    Tool(
        "ClothingRecommendation",
        TRAVEL,
        {"temperature": "float", "humidity": "float", **texts("weather_conditions")},
        clothes,
        same_named,
    ),
    Tool(
        "NearbyRestaurants",
        TRAVEL,
        {**PLACE, "distance": "int"},
        restaurants,
        same("api_name", "input"),
    ),
    Tool(
        "FlightSearch",
        TRAVEL,
        FLIGHT,
        on_days("FlightSearch", "flights", ("travel_dates",)),
        same_named,
    ),
    Tool(
        "HotelAvailability",
        TRAVEL,
        STAY,
        on_days("HotelAvailability", "hotels", ("check_in_date", "check_out_date")),
        hotels_alike,
    ),
    Tool(
        "EmailReminder",
        WORK,
        texts("content", "time", "location", "recipient"),
        remind_by_mail,
        alike_but("content"),
    ),
    Tool("AddMeeting", WORK, MEETING, add_meeting, alike_but("meeting_topic", close=True)),
    Tool(
        "PersonalInfoUpdate",
        PEOPLE,
        texts("username", "password", "address"),
        update_address,
        same("api_name", "input", "output"),
    ),
    Tool("TaxCalculator", WORK, {"salary": "float"}, after_tax, same_named),
    CALCULATOR,
    SEARCHER,
)
