"""Results that no endpoint gave: every category, mostly right, wrong in several ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def uploaded(board: Any, mode: str, categories: Sequence[str], folder: Path) -> Any:
    """A made-up model's results, brought in as an upload and judged."""
    from evaluation.benchmarks.bfcl_v4 import loader
    from evaluation.benchmarks.bfcl_v4.result_layout import path_of
    from evaluation.services import cards, scoring, uploads
    from evaluation.services.uploads import Source
    from submissions.uploads import LOCAL, read_upload

    for name in categories:
        path = folder / path_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for number, case in enumerate(loader.cases(name)):
                file.write(json.dumps(said_about(case, mode, number)) + "\n")
    brought = read_upload(folder, folder.name, LOCAL)
    how = Source(mode, underscore=mode == "fc")
    card = cards.make_card(f"Brought {mode}", organisation="Tests", licence="Apache-2.0")
    run = uploads.store_results(card, board, how, brought.results)
    scoring.judge_here(run.scorings.all())
    return run


def said_about(case: Any, mode: str, number: int) -> dict[str, Any]:
    """A result line: mostly right, now and then wrong in one of several ways."""
    if case.category.startswith("multi_turn_"):
        return _acting(case, mode, number)
    if case.category.startswith(("memory_", "web_search_")):
        return _looking_up(case, mode, number)
    return {"id": case.id, "result": _once(case, mode, number), "latency": 0.5 + number % 7}


def _once(case: Any, mode: str, number: int) -> Any:
    from evaluation.engine.types import Mode
    from tests.bench.scoring import answer_to
    from tests.parity import formats

    spoilt = (None, "I do not know.", "[f(x=)]", "[unknown_function(a=1)]", "")
    result = spoilt[number % 40 // 8] if number % 8 == 0 else None
    if result is not None:
        return result
    if case.category == "format_sensitivity":
        return formats.answer_to(case)
    return answer_to(case, Mode(mode))


def _acting(case: Any, mode: str, number: int) -> dict[str, Any]:
    from tests.bench.rescoring import steps_of

    turns: list[list[Any]] = [[] for _ in case.answer]
    for turn, _, said in steps_of(case, mode):
        turns[turn].append(said)
    result = turns[: len(turns) - (number % 5 == 0)]
    if number % 5 == 1:
        result = [["I give up."], *turns[1:]]
    return {"id": case.id, "result": result, "latency": [[0.5 for _ in turn] for turn in result]}


def _looking_up(case: Any, mode: str, number: int) -> dict[str, Any]:
    """A call and an answer; wrong ones lack a turn, a message, or the answer in it."""
    call: Any = [{"look_up": "{}"}] if mode == "fc" else "[look_up()]"
    answer = {"answer": case.answer[0], "context": "found"}
    said = {
        0: [[call, "I do not know."]],
        1: [[call, call]],
        2: [[call, ""]],
        3: [[call, str(answer)], ["Anything else?"]],
        4: [[str(answer), call]],
        5: [[call, [str(answer)]]],
        6: [[call, f"It is {case.answer[-1].upper()}, (surely)."]],
    }.get(number % 11, [[call, str(answer)]])
    figures = {
        "input_token_count": [[7 * number + step for step, _ in enumerate(turn)] for turn in said],
        "latency": [[0.25 + number % 3 for _ in turn] for turn in said],
    }
    return {"id": case.id, "result": said, **figures}
