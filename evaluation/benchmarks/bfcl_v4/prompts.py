"""The messages of prompt mode: a system prompt that describes the functions and the format.

The wording belongs to the benchmark and is read from its installed package at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from evaluation.benchmarks.bfcl_v4 import documents, package
from evaluation.benchmarks.bfcl_v4.formats import DEFAULT, Format
from evaluation.benchmarks.suite import BenchmarkBroken
from evaluation.engine.types import JSON, Message


@cache
def texts() -> dict[str, Any]:
    """Every text constant of the benchmark's prompts, by its name there.

    Raises:
        BenchmarkMissing: The package is not installed.
        BenchmarkBroken: The texts are not where they were.
    """
    found = package.constants("constants/default_prompts.py")
    if "PROMPT_STYLE_TEMPLATES" not in found or "PROMPT_TEMPLATE_MAPPING" not in found:
        raise BenchmarkBroken("the prompts of BFCL V4 are not where they were")
    return found


def system_prompt(functions: Sequence[JSON], form: Format = DEFAULT) -> str:
    """The text that puts a model into prompt mode: task, format, functions."""
    words = texts()
    style = words["PROMPT_STYLE_TEMPLATES"][form.style]
    call_format = style["tool_call_with_tag" if form.has_tag else "tool_call_no_tag"].format(
        output_format=words["OUTPUT_FORMAT_MAPPING"][form.returns],
        param_types=words["PARAM_TYPE_MAPPING"][form.returns],
    )
    available = style["available_tools"].format(
        format=form.documents, functions=documents.as_text(functions, form.documents)
    )
    prompt: str = words["PROMPT_TEMPLATE_MAPPING"][form.prompt].format(
        persona=style["persona"],
        task=style["task"],
        tool_call_format=call_format,
        multiturn_behavior=style["multiturn_behavior"],
        available_tools=available,
    )
    return prompt


def with_system_prompt(messages: Sequence[Message], prompt: str) -> list[Message]:
    """Put a system prompt first: before the text of a system message already there, if any."""
    if messages and messages[0]["role"] == "system":
        joined = {**messages[0], "content": prompt + "\n\n" + messages[0]["content"]}
        return [joined, *messages[1:]]
    return [{"role": "system", "content": prompt}, *messages]
