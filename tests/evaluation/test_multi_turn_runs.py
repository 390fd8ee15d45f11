"""Multi-turn cases end to end: a scripted model, the sandbox, verdicts in the database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.client import limits
from evaluation.models import Mode, Reply, Verdict
from evaluation.runner.process import WorkerProcess
from tests.evaluation.runs import outcomes, scheduled, work_through
from tests.fakes import FakeEndpoint, Request, Scripted, completion, error

ONE = {"multi_turn_base": 1}
# The calls that the first case accepts, a turn each.
CALLS: list[list[tuple[str, dict[str, Any]]]] = [
    [
        ("cd", {"folder": "document"}),
        ("mkdir", {"dir_name": "temp"}),
        ("mv", {"source": "final_report.pdf", "destination": "temp"}),
    ],
    [
        ("cd", {"folder": "temp"}),
        ("grep", {"file_name": "final_report.pdf", "pattern": "budget analysis"}),
    ],
    [("sort", {"file_name": "final_report.pdf"})],
    [
        ("cd", {"folder": ".."}),
        ("mv", {"source": "previous_report.pdf", "destination": "temp"}),
        ("cd", {"folder": "temp"}),
        (
            "diff",
            {"file_name1": "final_report.pdf", "file_name2": "previous_report.pdf"},
        ),
    ],
]


def turn_of(request: Request) -> tuple[int, bool]:
    """The turn a request belongs to, and whether its calls have been answered."""
    messages = request.json["messages"]
    users = [m for m in messages if m["role"] == "user" and "'role': 'tool'" not in m["content"]]
    last = messages[-1]
    return len(users) - 1, last["role"] == "tool" or "'role': 'tool'" in last["content"]


def same_ids(calls: list[tuple[str, dict[str, Any]]]) -> Scripted:
    """A completion whose calls all carry one id, as some servers send them."""
    made = [
        {"id": "x:0", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
        for n, a in calls
    ]
    return completion(tool_calls=made, finish_reason="tool_calls")


def knows_it_all(request: Request) -> Scripted:
    """A model that makes the accepted calls, in the mode it is asked in."""
    turn, is_answered = turn_of(request)
    if is_answered:
        return completion("Done.")
    if "tools" in request.json:
        return same_ids(CALLS[turn])
    written = [
        f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
        for name, arguments in CALLS[turn]
    ]
    return completion(f"[{', '.join(written)}]")


@pytest.mark.parametrize("mode", [Mode.FC, Mode.PROMPT])
def test_a_model_that_makes_the_accepted_calls_is_right(worker: WorkerProcess, mode: str) -> None:
    with FakeEndpoint(script=knows_it_all) as model:
        run = work_through(scheduled(model.base_url, ONE, mode=mode), worker, model)

    assert outcomes(run) == {"multi_turn_base_0": "correct"}
    assert Reply.objects.filter(run=run, accepted=True).count() == 8  # two steps in four turns


def test_every_call_gets_a_tool_message_even_if_ids_repeat(worker: WorkerProcess) -> None:
    with FakeEndpoint(script=knows_it_all) as model:
        work_through(scheduled(model.base_url, ONE), worker, model)

    messages = model.requests[1].json["messages"]
    assert [message["role"] for message in messages[-3:]] == ["tool"] * 3
    assert len(messages[-4]["tool_calls"]) == 3


def test_a_model_that_never_stops_is_forced_to_after_twenty_one_steps(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(completion(calls={"ls": "{}"})) as model:
        run = work_through(scheduled(model.base_url, ONE), worker, model)

    verdict = Verdict.objects.get(scoring__run=run)
    assert (verdict.error_type, verdict.fault) == ("multi_turn:force_terminated", "force_quit")
    assert len(model.requests) == 21


def test_a_server_that_chokes_on_its_models_malformed_call_ends_the_case_wrongly(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.001)

    def script(request: Request) -> Scripted:
        if len(request.json["messages"]) == 1:
            return completion(calls={"cd": '{"folder": "docu'})
        return error(500, "Failed to parse tool call arguments as JSON", headers={})

    with FakeEndpoint(script=script) as model:
        run = work_through(scheduled(model.base_url, ONE), worker, model)

    assert outcomes(run) == {"multi_turn_base_0": "wrong"}
    assert len(model.requests) <= 6


@pytest.mark.parametrize("function", [{"name": "ls", "arguments": ""}, {"name": "ls"}])
def test_a_call_without_arguments_is_executed_however_the_server_writes_that(
    worker: WorkerProcess, function: dict[str, str]
) -> None:
    def script(request: Request) -> Scripted:
        if len(request.json["messages"]) == 1:
            return completion(tool_calls=[{"id": "c", "type": "function", "function": function}])
        return completion("Done.")

    with FakeEndpoint(script=script) as model:
        work_through(scheduled(model.base_url, ONE), worker, model)

    told = model.requests[1].json["messages"][-1]
    assert told["role"] == "tool"
    assert "current_directory_content" in told["content"]
