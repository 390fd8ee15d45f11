"""What a model is shown: messages and tools in the protocol's own form, or a prompt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from evaluation.benchmarks.apibank.tools import tools_of
from evaluation.engine.types import JSON, Message, Mode, Tool

YEAR = "The current year is 2023."
FC_SYSTEM = (
    "You serve a user by calling tools. Make the one tool call that the conversation needs next, "
    f"with values taken from it. {YEAR}"
)
FREE_SYSTEM = (
    "You serve a user by calling tools. Find the tools you need with ToolSearcher, call them one "
    f"after the other, and answer the user when everything is done. {YEAR}"
)
PROMPT = (
    "You are given descriptions of tools and the conversation up to step t. Write the tool call "
    "for step t+1 in square brackets, like [ToolName(key1='value1', key2='value2')], with the "
    "real name and the real values. Write the bracketed call and nothing else: no comment, no "
    f"result. {YEAR}\n"
    "What you see:\nUser: [what the user says]\nAI: [what the assistant says]\n"
    "What you write:\n[ToolName(key1='value1', key2='value2')]\n"
    "The tools:\n"
)
FC_SYSTEM_FOR_WORDS = (
    "You serve a user by calling tools. What had to be called has been called: say in words, in "
    f"one short message, what the assistant says next, and call no tool. {YEAR}"
)
PROMPT_FOR_WORDS = (
    "You are given descriptions of tools and the conversation up to step t, with the calls made "
    "and their results. Write what the assistant says at step t+1, in one short message of plain "
    f"words: no bracketed call, no comment. {YEAR}\nThe tools:\n"
)
FREE_PROMPT = (
    "You are given the description of a tool that finds other tools, and a user's request. Write "
    "one tool call at a time in square brackets, like [ToolName(key1='value1', key2='value2')]; "
    "its result is shown to you before you go on. When everything is done, answer the user in "
    f"words without a bracketed call. {YEAR}\nThe tools:\n"
)
SCHEMA_TYPES: Mapping[str, Mapping[str, JSON]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "list(str)": {"type": "array", "items": {"type": "string"}},
    "list": {"type": "array", "items": {}},
}


def as_function(description: Mapping[str, JSON], level: int) -> Tool:
    """A tool's description as the protocol wants it."""
    tool = tools_of(level)[description["name"]]
    properties = {
        name: {**SCHEMA_TYPES[kind], "description": _about(description, name)}
        for name, kind in tool.parameters.items()
    }
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": description["description"],
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(tool.required),
            },
        },
    }


def _about(description: Mapping[str, JSON], name: str) -> str:
    return str(description["input_parameters"][name]["description"])


def opening(question: Mapping[str, JSON], mode: Mode) -> list[Message]:
    """The system message and the history up to the call, or the words, that are due."""
    wants_words = question.get("wants") == "words"
    if mode is Mode.FC:
        system = FC_SYSTEM_FOR_WORDS if wants_words else FC_SYSTEM
        return [{"role": "system", "content": system}, *fc_history(question["history"])]
    request = PROMPT_FOR_WORDS if wants_words else PROMPT
    system = request + described(question["described"])
    return [{"role": "system", "content": system}, *prompt_history(question["history"])]


def free_opening(question: Mapping[str, JSON], mode: Mode) -> list[Message]:
    system = FREE_SYSTEM
    if mode is Mode.PROMPT:
        system = FREE_PROMPT + described(question["described"])
    request = {"role": "user", "content": question["history"][0]["text"]}
    return [{"role": "system", "content": system}, request]


def described(tools: Iterable[Mapping[str, JSON]]) -> str:
    """One tool's JSON on each line."""
    return "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)


ROLES = {"User": "user", "AI": "assistant"}


def prompt_history(entries: Iterable[Mapping[str, JSON]]) -> list[Message]:
    """Past calls are system messages in brackets, with their output as Python writes it."""
    messages: list[Message] = []
    for entry in entries:
        if entry["role"] == "API":
            written = written_call(entry["api_name"], entry["param_dict"])
            content = f"{written} Response: {entry['result']['output']}"
            messages.append({"role": "system", "content": content})
        else:
            messages.append({"role": ROLES[entry["role"]], "content": entry["text"]})
    return messages


def written_call(name: str, values: Mapping[str, JSON]) -> str:
    pairs = ", ".join(f"{key}='{value}'" for key, value in values.items())
    return f"[{name}({pairs})]"


def fc_history(entries: Sequence[Mapping[str, JSON]]) -> list[Message]:
    """Past calls are tool calls and tool messages.

    What the assistant says before a call goes into the message of that call: many servers want
    speakers to take turns. Before the call that is due it is left out, because they take no
    conversation that ends with the assistant.
    """
    messages: list[Message] = []
    for place, entry in enumerate(entries):
        if entry["role"] == "API":
            said = _last_words(messages, "assistant")
            messages += exchange(f"call_{place}", entry, said)
        else:
            role = ROLES[entry["role"]]
            before = _last_words(messages, role)
            text = entry["text"] if before is None else f"{before}\n{entry['text']}"
            messages.append({"role": role, "content": text})
    while messages and messages[-1]["role"] == "assistant":
        messages.pop()
    return messages


def _last_words(messages: list[Message], role: str) -> str | None:
    """Take back what this speaker has just said, None where somebody else spoke last."""
    if not messages or messages[-1]["role"] != role:
        return None
    return str(messages.pop()["content"])


def exchange(call_id: str, entry: Mapping[str, JSON], said: str | None) -> list[Message]:
    """One past call, with what was said before it, and its reply."""
    arguments = json.dumps(entry["result"]["input"] or {}, ensure_ascii=False)
    output = json.dumps(entry["result"]["output"], ensure_ascii=False)
    function = {"name": entry["api_name"], "arguments": arguments}
    call = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": said, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": output},
    ]
