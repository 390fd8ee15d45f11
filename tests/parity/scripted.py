"""A whole benchmark asked for real: a scripted model, the search service's stand-in, one worker.

The model is right on most cases and wrong on the others in every way there is; it looks cases up
by what it is asked. It searches, fetches, and fills its memories, so that every loop is walked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.fakes import FakeEndpoint, Request, Scripted, completion
from tests.parity import formats

SPOILT = ("I do not know.", "[f(x=)]", "[unknown_function(a=1)]", "")
SEARCH_KEY = "parity-search-key-0123456789"


def asked(board: Any, mode: str, categories: Sequence[str]) -> Any:
    """A finished run of these categories, asked over HTTP through our own worker."""
    from django.test import override_settings

    from evaluation.runner import process
    from evaluation.services import cards, scheduling
    from tests import make
    from tests.evaluation.runs import work_through

    card = cards.make_card(f"Asked {mode}", organisation="Tests", licence="Apache-2.0")
    with (
        FakeEndpoint(script=found) as web,
        FakeEndpoint(script=Knowing(mode, categories)) as model,
    ):
        endpoint = make.endpoint(card, mode=mode, base_url=model.base_url, in_flight=64)
        run = scheduling.schedule(endpoint, benchmark=board, categories=categories)
        service = {
            "CALLBOARD_SERPAPI_KEY": SEARCH_KEY,
            "CALLBOARD_SERPAPI_URL": f"http://{web.host}/search",
        }
        with override_settings(**service):
            run = work_through(run, process.here(), model)
    process.leave()
    return run


def found(request: Request) -> Scripted:
    """What the search service says, in the shape it documents; now and then it finds nothing."""
    query = request.path.partition("q=")[2]
    document: dict[str, Any] = {
        "search_metadata": {"id": "6540ac26", "status": "Success", "total_time_taken": 1.2},
        "search_parameters": {"engine": "duckduckgo", "kl": "wt-wt"},
    }
    if _number(query) % 10 == 0:
        document["error"] = "DuckDuckGo hasn't returned any results for this query."
    else:
        document["organic_results"] = [
            {"position": n, "title": f"T{n}", "link": f"https://{n}.example/", "snippet": "S"}
            for n in range(1, 28)
        ]
    return Scripted(body=json.dumps(document).encode())


class Knowing:
    """The scripted model: knows a benchmark's cases by what is asked about them."""

    def __init__(self, mode: str, categories: Sequence[str]) -> None:
        from evaluation.benchmarks.bfcl_v4 import loader, single_turn
        from evaluation.engine.types import Mode, Setup

        self.setup = Setup(Mode(mode), underscore=mode == "fc")
        self.single: dict[str, Any] = {}
        self.conversations: dict[str, Any] = {}
        for case in (case for name in categories for case in loader.cases(name)):
            if case.category.startswith(("multi_turn_", "memory_", "web_search_")):
                self.conversations.setdefault(_first_words(case.question["question"][0]), case)
            else:
                asked_of = single_turn.question(case, self.setup)
                self.single.setdefault(json.dumps(asked_of.messages), case)

    def __call__(self, request: Request) -> Scripted:
        messages = request.json["messages"]
        case = self.single.get(json.dumps(messages))
        if case is not None:
            return self._said(self._once(case))
        case = self.conversations.get(_first_words(messages))
        turn, step = _place(messages)
        tools = json.dumps(request.json.get("tools") or messages[0])
        if case is None:
            return self._said(self._remembering(messages, tools, step))
        if case.category.startswith("multi_turn_"):
            return self._said(self._acting(case, turn, step))
        return self._said(self._looking_up(case, tools, step))

    def _once(self, case: Any) -> Any:
        from tests.bench.scoring import answer_to

        number = _number(case.id)
        if number % 8 == 0:
            return SPOILT[number // 8 % len(SPOILT)]
        if case.category == "format_sensitivity":
            return formats.answer_to(case)
        return answer_to(case, self.setup.mode)

    def _acting(self, case: Any, turn: int, step: int) -> Any:
        """The accepted calls; some give up at once, some never stop."""
        from tests.bench.rescoring import steps_of

        number = _number(case.id)
        if number % 5 == 1 and turn == 0:
            return "I give up."
        said = [result for at, _, result in steps_of(case, self.setup.mode) if at == turn]
        if number % 20 == 2:
            return said[0]
        return said[step] if step < len(said) and said[step] else "Done."

    def _looking_up(self, case: Any, tools: str, step: int) -> Any:
        """A call, and then mostly an accepted answer; some never answer, or with nothing."""
        number = _number(case.id)
        if step == 0 or number % 25 == 3:
            return self._call(*_question_to(tools, case.id))
        if number % 25 == 4:
            return ""
        if number % 4 == 0:
            return "I do not know."
        return f"{{'answer': '{case.answer[0]}', 'context': 'looked up'}}"

    def _remembering(self, messages: Sequence[Any], tools: str, step: int) -> Any:
        """What a conversation before the questions tells goes into the memory, turn by turn."""
        if step:
            return "Noted."
        text = str(messages[-1]["content"])[:200]
        if "memory_append" in tools:
            return self._call("memory_append", {"text": text})
        if not _has_keys(tools):
            return self._call("archival_memory_add", {"text": text})
        key = f"note_{_number(text) % 1000}"
        return self._call("archival_memory_add", {"key": key, "value": text})

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        if self.setup.mode.value == "fc":
            return [{name: json.dumps(arguments)}]
        return f"[{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})]"

    def _said(self, result: Any) -> Scripted:
        if isinstance(result, str):
            return completion(result)
        made = [
            {
                "id": f"c{n}",
                "type": "function",
                "function": {"name": name.replace(".", "_"), "arguments": arguments},
            }
            for n, (name, arguments) in enumerate(_pairs(result))
        ]
        return completion(tool_calls=made, finish_reason="tool_calls")


def _pairs(result: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    return (pair for call in result for pair in call.items())


def _question_to(tools: str, case_id: str) -> tuple[str, Mapping[str, Any]]:
    """The tool to look something up with, and its arguments."""
    number = _number(case_id)
    if "search_engine_query" in tools:
        if number % 5 == 0:
            return "fetch_url_content", {"url": "http://127.0.0.1:1/", "mode": "truncate"}
        return "search_engine_query", {"keywords": f"case {number % 97}", "max_results": 3}
    if "memory_append" in tools:
        return "memory_retrieve", {}
    if _has_keys(tools):
        return "archival_memory_key_search", {"query": "note", "k": 2}
    return "archival_memory_retrieve", {"query": "What was said?", "top_k": 2}


def _has_keys(tools: str) -> bool:
    return "archival_memory_list_keys" in tools


def _place(messages: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Turn and step of what is asked."""
    turn, step = -1, 0
    for message in messages:
        if message["role"] == "user" and not _is_report(message):
            turn, step = turn + 1, 0
        elif message["role"] == "assistant":
            step += 1
    return turn, step


def _is_report(message: Mapping[str, Any]) -> bool:
    """Prompt mode tells replies of tools in a user's message."""
    return str(message["content"]).startswith("[{'role': 'tool'")


def _first_words(messages: Sequence[Mapping[str, Any]]) -> str:
    return next(str(one["content"]) for one in messages if one["role"] == "user")


def _number(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
