"""Looking things up: documents, pictures, sounds, history, prices, the web of a fixed corpus."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from evaluation.benchmarks.apibank.tools.accounts import FINANCE
from evaluation.benchmarks.apibank.tools.base import (
    DAY,
    Arguments,
    Record,
    State,
    Tool,
    ToolCrash,
    ToolError,
    as_day,
    capital,
    same,
    same_all,
    same_inputs,
    stripped,
    texts,
    tidy,
)
from evaluation.engine.types import JSON

KNOWLEDGE = "Information query and processing"
PICTURES = (".jpg", ".jpeg", ".png")


def answer_about(state: State, given: Arguments) -> str:
    """Every question is too difficult: the published tool looks among records for a text."""
    if given["question"].strip() == "":
        raise ToolError("The question is empty.")
    if given["url"].strip() not in state.databases["QuestionAnswering"]:
        raise ToolError("The document of this url failed to be processed.")
    return "The question is too difficult to answer."


def caption(state: State, given: Arguments) -> JSON:
    url = given["url"].strip()
    if not url.endswith(PICTURES):
        raise ToolError("The url should end with .jpg, .jpeg or .png.")
    for picture in state.databases["ImageCaptioning"]:
        if picture["url"] == url:
            return picture["caption"]
    raise ToolError("The image of this url failed to be processed.")


def transcribe(state: State, given: Arguments) -> JSON:
    url = given["url"].strip()
    if not url.endswith(".wav"):
        raise ToolError("The url should end with .wav.")
    if url not in state.databases["SpeechRecognition"]:
        raise ToolError("The audio of this url failed to be processed.")
    return state.databases["SpeechRecognition"][url]


def month_and_day(text: str) -> str:
    """`MM-DD` of a date with or without a year. Raises ValueError."""
    try:
        return tidy(text, DAY)[5:]
    except ValueError:
        pass
    try:
        # A year is added because a day of the month without one is ambiguous (29 February).
        return datetime.strptime(f"1900-{text.strip()}", DAY).strftime("%m-%d")
    except ValueError:
        message = f"time data {text.strip()!r} does not match format '%m-%d'"
        raise ValueError(message) from None


def as_month_and_day(value: JSON) -> JSON:
    try:
        return month_and_day(value)
    except ValueError:
        return object()


def history(state: State, given: Arguments) -> JSON:
    day = month_and_day(given["date"])
    if day not in state.databases["History"]:
        raise ToolError("The date is not in the database.")
    return [
        ", ".join(f"{part}: {event[part].strip()}" for part in ("Title", "Date", "Description"))
        for event in state.databases["History"][day]
    ]


def stock_price(state: State, given: Arguments) -> JSON:
    code = given["stock_code"].upper().strip()
    if not code:
        raise ToolError("The stock code cannot be empty.")
    day = tidy(given["date"], DAY)
    if code not in state.databases["Stock"]:
        raise ToolError("The stock code does not exist.")
    if day not in state.databases["Stock"][code]:
        raise ToolError("The stock price of this date is not maintained.")
    return state.databases["Stock"][code][day]


def encyclopedia(state: State, given: Arguments) -> JSON:
    entry = state.databases["Wiki"].get(given["keyword"].replace("_", " ").strip().lower())
    if entry is None:
        raise ToolError("Keyword not found.")
    return {"url": entry["url"], "summary": entry["summary"]}


WORD = re.compile(r"\w+(?:[-']\w+)*|[^\w\s]")
SATURATION, LENGTH_SHARE, RARE_FLOOR = 1.5, 0.75, 0.25  # the usual constants of BM25
RESULTS = 2


def search_web(state: State, given: Arguments) -> JSON:
    corpus = state.databases["SearchEngine"]
    scores = bm25(corpus["tokenized_documents"], WORD.findall(given["keyword"].lower().strip()))
    best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:RESULTS]
    return [corpus["raw_documents"][place] for place in best]


def bm25(documents: list[list[str]], query: list[str]) -> list[float]:
    """A score for every document; words in most documents weigh a little instead of nothing."""
    counts = [Counter(document) for document in documents]
    lengths = [len(document) for document in documents]
    mean = sum(lengths) / len(lengths)
    spread = Counter(word for count in counts for word in count)
    weights = {
        word: math.log(len(documents) - n + 0.5) - math.log(n + 0.5) for word, n in spread.items()
    }
    floor = RARE_FLOOR * sum(weights.values()) / len(weights)
    weights = {word: floor if weight < 0 else weight for word, weight in weights.items()}
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        damp = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / mean)
        scores.append(
            sum(
                weights.get(word, 0.0) * count[word] * (SATURATION + 1) / (count[word] + damp)
                for word in query
            )
        )
    return scores


def found_alike(mine: Record, gold: Record) -> bool:
    """The same pages in any order, however they were asked for."""
    if mine["output"] is None and gold["output"] is None:
        raise ToolCrash("two searches without a result")
    if not same("api_name", "exception")(mine, gold):
        return False
    if mine["output"] is None or gold["output"] is None:
        return False
    key: Callable[[JSON], str] = lambda page: page["title"] + page["abstract"]  # noqa: E731
    return sorted(mine["output"], key=key) == sorted(gold["output"], key=key)


same_page = same("api_name", "output", "exception")

TOOLS = (
    Tool(
        "DocumentQA",
        KNOWLEDGE,
        texts("url", "question"),
        answer_about,
        same_inputs(url=stripped, question=stripped),
    ),
    Tool("ImageCaption", KNOWLEDGE, texts("url"), caption, same_all),
    Tool("SpeechRecognition", KNOWLEDGE, texts("url"), transcribe, same_all),
    Tool(
        "QueryHistoryToday", KNOWLEDGE, texts("date"), history, same_inputs(date=as_month_and_day)
    ),
    Tool(
        "QueryStock",
        FINANCE,
        texts("stock_code", "date"),
        stock_price,
        same_inputs(stock_code=capital, date=as_day),
    ),
    Tool("Wiki", KNOWLEDGE, texts("keyword"), encyclopedia, same_page),
    Tool("SearchEngine", KNOWLEDGE, texts("keyword"), search_web, found_alike),
)
