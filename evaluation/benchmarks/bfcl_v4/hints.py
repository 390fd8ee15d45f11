"""What function descriptions gain before they are shown to a model: a hint at the language.

Judging uses the descriptions as shipped; only asking uses these.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from evaluation.engine.copying import copied
from evaluation.engine.types import JSON

LANGUAGES = {"python": "Python 3", "java": "Java 8 SDK", "javascript": "JavaScript"}
NATIVE = {"java": "Java", "javascript": "JavaScript"}
_LISTS = {"java": ("Array", "ArrayList"), "javascript": ("array",)}


def language_of(category: str) -> str:
    """The language a category's calls are written in, told by its name as officially done."""
    if "javascript" in category:
        return "javascript"
    return "java" if "java" in category else "python"


def with_hints(functions: Sequence[JSON], category: str) -> list[JSON]:
    """Copy function descriptions, saying the language; Java and JavaScript types become text.

    In Java and JavaScript every parameter is asked for as a string holding native source, so
    its own type, element type or entries move into the description.
    """
    language = language_of(category)
    hinted: list[JSON] = copied(list(functions))
    for function in hinted:
        function["description"] += (
            f" Note that the provided function is in {LANGUAGES[language]} syntax."
        )
        if language != "python":
            for parameter in function["parameters"]["properties"].values():
                _ask_as_text(parameter, language)
    return hinted


def _ask_as_text(parameter: dict[str, Any], language: str) -> None:
    declared, native = parameter["type"], NATIVE[language]
    kind = (
        f" This parameter can be of any type of {native} object"
        if declared == "any"
        else f" This is {native} {declared} type parameter"
    )
    description = parameter["description"] + kind + " in string representation."
    if declared in _LISTS[language]:
        element = parameter.pop("items")["type"]
        description += (
            f" The list elements are of type {element}; they are not in string representation."
        )
    if language == "javascript" and declared == "dict" and "properties" in parameter:
        entries = json.dumps(parameter.pop("properties"))
        description += (
            " The dictionary entries have the following schema;"
            f" they are not in string representation. {entries}"
        )
    parameter["description"] = description
    parameter["type"] = "string"
