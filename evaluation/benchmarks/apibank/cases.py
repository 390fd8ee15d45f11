"""Cases that carry all they need: what to ask, and what to judge by.

A case is judged where no file can be read, so its answer holds the recorded call, the calls of
its dialogue before it, and those databases (and recorded answers) that its tools use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from evaluation.benchmarks.apibank.corpus import Corpus, Databases, Dialogue, GoldCall, Task
from evaluation.benchmarks.apibank.repaired import RecordedSearch, replay
from evaluation.benchmarks.apibank.responses import references
from evaluation.benchmarks.apibank.tools import tools_of
from evaluation.benchmarks.apibank.tools.base import State
from evaluation.benchmarks.apibank.tools.tables import TABLE_OF
from evaluation.benchmarks.apibank.toolsearch import Embedding, ToolIndex
from evaluation.benchmarks.apibank.tree import ANSWERS, FREE, name_of
from evaluation.engine.types import JSON, CaseData

SEARCHER = "ToolSearcher"
Described = Mapping[str, Mapping[str, JSON]]


def all_cases(corpus: Corpus) -> Iterator[CaseData]:
    """Every case in dataset order: calls of the three levels, free tasks, answers in words."""
    for dialogue in corpus.dialogues:
        described = corpus.descriptions["dialogue"]
        for call in dialogue.calls:
            yield _call_case(corpus, call, dialogue, described)
    for task in corpus.tasks:
        dialogue = as_dialogue(task)
        for call in task.calls:
            yield _call_case(corpus, call, dialogue, corpus.descriptions["planning"])
    for task in corpus.tasks:
        yield _free_case(corpus, task)
    yield from _answer_cases(corpus)


def as_dialogue(task: Task) -> Dialogue:
    """A task as a dialogue: one request, then its chain of calls."""
    request = {"role": "User", "text": task.requirement}
    entries = [
        {
            "role": "API",
            "api_name": call.tool,
            "param_dict": call.written,
            "result": call.record,
        }
        for call in task.calls
    ]
    return Dialogue(3, task.sample, [request, *entries], task.calls)


def _id(call: GoldCall) -> str:
    level, _, sample = call.sample.partition("/")
    return f"{level}.{sample}.{call.turn}"


def _call_case(
    corpus: Corpus, call: GoldCall, dialogue: Dialogue, described: Described
) -> CaseData:
    ahead = call.turn + 1 if call.level == 3 else call.turn  # entries before the call
    earlier = [one for one in dialogue.calls if one.turn < call.turn]
    question = {
        "level": call.level,
        "history": list(dialogue.entries[:ahead]),
        "described": [dict(described[name]) for name in _described(call, dialogue)],
        "offered": [dict(described[name]) for name in _offered(call, dialogue, earlier)],
    }
    answer = {
        "gold": asdict(call),
        "earlier": [asdict(one) for one in earlier if call.level < 3],
        "databases": _databases(corpus, [call, *earlier]),
        "records": _records(corpus, call.level, (call.tool, "AccountInfo")),
    }
    if call.tool == SEARCHER:
        answer["library"] = _library(described)
    return CaseData(_id(call), name_of(call.level, tool_domain(call)), question, answer)


def tool_domain(call: GoldCall) -> str:
    return tools_of(call.level)[call.tool].domain


def _described(call: GoldCall, dialogue: Dialogue) -> list[str]:
    """What the prompt describes: level 1 every tool of the dialogue, later levels the searcher.

    By name, so that their order tells nothing about the order of calls.
    """
    if call.level > 1:
        return [SEARCHER]
    return sorted({one.tool for one in dialogue.calls})


def _offered(call: GoldCall, dialogue: Dialogue, earlier: Sequence[GoldCall]) -> list[str]:
    """What can be called by name: what is described, and what searches have found so far.

    A few dialogues go on with a tool that no search has found; it is offered when it is due.
    """
    found = {call.tool}
    for one in earlier:
        if call.level > 1 and one.tool == SEARCHER:
            answer = one.record["output"]
            found |= {tool["name"] for tool in (answer if isinstance(answer, list) else [answer])}
    known = tools_of(call.level)
    first = _described(call, dialogue)
    return [*first, *sorted(name for name in found - set(first) if name in known)]


def _databases(corpus: Corpus, calls: Iterable[GoldCall]) -> dict[str, JSON]:
    """The initial databases of these calls' tools; accounts too, wherever a token is checked."""
    names: set[str] = set()
    for call in calls:
        if call.level < 3 and call.tool in TABLE_OF:
            names.add(TABLE_OF[call.tool])
            if "token" in tools_of(call.level)[call.tool].parameters:
                names.add("Account")
    return {name: _slim(name, corpus.databases[name]) for name in sorted(names)}


def _slim(name: str, database: JSON) -> JSON:
    """Without whole encyclopedia articles: no tool shows more than their summaries."""
    if name != "Wiki":
        return database
    return {
        word: {part: entry[part] for part in ("url", "summary")}
        for word, entry in database.items()
    }


def _records(corpus: Corpus, level: int, names: Iterable[str]) -> dict[str, JSON]:
    """What tools without a database answered. Searches are recorded by the call itself."""
    records = corpus.task_records if level == 3 else corpus.records
    asked = [name for name in names if name in records and name != SEARCHER]
    wanted = [name for name in asked if level == 3 or tools_of(level)[name].is_online]
    return {name: [list(pair) for pair in records[name]] for name in wanted}


def _library(described: Described) -> dict[str, JSON]:
    """Names and descriptions: enough to search by."""
    return {
        name: {"name": name, "description": tool["description"], "input_parameters": {}}
        for name, tool in described.items()
    }


def _free_case(corpus: Corpus, task: Task) -> CaseData:
    described = corpus.descriptions["planning"]
    history = [{"role": "User", "text": task.requirement}]
    searcher = [dict(described[SEARCHER])]
    question = {
        "level": 3,
        "history": history,
        "described": searcher,
        "offered": searcher,
        "world": {
            "library": {name: dict(tool) for name, tool in described.items()},
            "records": _records(corpus, 3, corpus.task_records),
        },
    }
    due = [asdict(call) for call in task.calls if call.tool != SEARCHER]
    answer = {"due": due, "response": task.response}
    return CaseData(f"free.{task.sample.partition('/')[2]}", FREE.name, question, answer)


def _answer_cases(corpus: Corpus) -> Iterator[CaseData]:
    """What the assistant says after a call: the history up to that call and its result."""
    dialogues = [*corpus.dialogues, *map(as_dialogue, corpus.tasks)]
    of_sample = {dialogue.sample: dialogue for dialogue in dialogues}
    for level, category in ANSWERS.items():
        described = corpus.descriptions["planning" if level == 3 else "dialogue"]
        for (sample, turn), said in references(corpus, level).items():
            dialogue = of_sample[sample]
            last = dialogue.calls[-1] if level == 3 else _at(dialogue, turn)
            earlier = [one for one in dialogue.calls if one.turn <= last.turn]
            question = {
                "level": level,
                "history": list(dialogue.entries[: turn + 1]),
                "described": [dict(described[name]) for name in _described(last, dialogue)],
                "offered": [dict(described[name]) for name in _offered(last, dialogue, earlier)],
                "wants": "words",
            }
            yield CaseData(f"{_id(last)}.answer", category.name, question, {"said": said})


def _at(dialogue: Dialogue, turn: int) -> GoldCall:
    return next(call for call in dialogue.calls if call.turn == turn)


def gold_of(written: JSON) -> GoldCall:
    return GoldCall(**written)


def state_before(case: CaseData, *, replayed: bool, embed: Embedding | None = None) -> State:
    """The databases a case's call acts on; `replayed` after what the dialogue did before."""
    answer = case.answer
    records = {name: [tuple(pair) for pair in pairs] for name, pairs in answer["records"].items()}
    state = State(Databases(answer["databases"]), records)
    if not replayed:
        return state
    if "library" in answer:
        index = ToolIndex(answer["library"], embed)
        state.search = RecordedSearch(index, [gold_of(answer["gold"])])
    replay(map(gold_of, answer["earlier"]), state)
    return state


def free_state(world: Mapping[str, JSON], embed: Embedding | None = None) -> State:
    """The world of a free task, from its plain JSON."""
    records = {name: [tuple(pair) for pair in pairs] for name, pairs in world["records"].items()}
    index = ToolIndex(world["library"], embed)
    return State(Databases({}), records, search=RecordedSearch(index, ()))
