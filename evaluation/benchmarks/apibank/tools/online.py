"""Tools that answer from elsewhere: two live services, and the index of tools.

Here the services answer what was recorded with the dialogues and decline anything else.
"""

from __future__ import annotations

from evaluation.benchmarks.apibank.tools.base import (
    Arguments,
    Record,
    State,
    Tool,
    ToolError,
    look,
    same,
    same_result,
    texts,
)
from evaluation.benchmarks.apibank.tools.knowledge import KNOWLEDGE
from evaluation.engine.types import JSON

SEARCH = "Tool search"

# ISO codes the translation service takes, and the longer ones that are its own.
_CODES = (
    "af sq am ar hy az eu be bn bs bg ca ceb ny zh-cn zh-tw co hr cs da nl en eo et tl fi fr fy "
    "gl ka de el gu ht ha haw iw he hi hmn hu is ig id ga it ja jw kn kk km ko ku ky lo la lv lt "
    "lb mk mg ms ml mt mi mr mn my ne no or ps fa pl pt pa ro ru sm gd sr st sn sd si sk sl so es "
    "su sw sv tg ta te th tr uk ur ug uz vi cy xh yi yo zu"
)
LANGUAGES = frozenset(_CODES.split())


def define(state: State, given: Arguments) -> JSON:
    wanted = given["keyword"].strip().lower()
    for asked, answer in state.records.get("Dictionary", ()):
        if asked["keyword"].strip().lower() == wanted:
            return answer
    raise ToolError("Failed.")


def check_languages(given: Arguments) -> None:
    """Raises ToolError for a language the service does not know."""
    for name in ("src_lang", "tgt_lang"):
        if name in given and given[name].lower() not in LANGUAGES:
            raise ToolError("Language not supported.")


def translate(state: State, given: Arguments) -> JSON:
    check_languages(given)
    for asked, answer in state.records.get("Translate", ()):
        same_text = asked["src"].strip() == given["src"].strip()
        languages = [one.get("tgt_lang", "en").lower() for one in (asked, given)]
        if same_text and languages[0] == languages[1]:
            return answer
    raise ToolError("No translation of this text has been recorded.")


def translated_alike(mine: Record, gold: Record) -> bool:
    sources = [look(record, "src") for record in (mine, gold)]
    return sources[0] == sources[1] and same("api_name", "output", "exception")(mine, gold)


def search_tools(state: State, given: Arguments) -> JSON:
    if state.search is None:
        raise ToolError("There is no index of tools here.")
    return state.search(given["keywords"])


SEARCHER = Tool("ToolSearcher", SEARCH, texts("keywords"), search_tools, same_result)

TOOLS = (
    Tool(
        "Dictionary",
        KNOWLEDGE,
        texts("keyword"),
        define,
        same("api_name", "output", "exception"),
        is_online=True,
    ),
    Tool(
        "Translate",
        KNOWLEDGE,
        texts("src", "src_lang", "tgt_lang"),
        translate,
        translated_alike,
        optional=("src_lang", "tgt_lang"),
        is_online=True,
    ),
    SEARCHER,
)
