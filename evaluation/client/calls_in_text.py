"""Signs that a model wrote a tool call as text, so that its server's parser missed it.

Only ever counted and shown: a call outside `tool_calls` is not a call.
"""

from __future__ import annotations

import re

MAX_SEARCHED = 20_000  # characters from either end; a call stands at the beginning or the end
SIGNS = re.compile(
    r"<\|?tool_?call|<function[= ]|\[TOOL_?CALLS?\]|<TOOLCALL>|<\|python_tag\|>|functools\["
    r"|<\|tool▁call|<invoke |<\|action_start\|>"
    r"|\{\s*\"(?:name|function)\"\s*:\s*\"[^\"]{1,100}\"\s*,\s*\"(?:arguments|parameters)\"\s*:",
    re.IGNORECASE,
)


def looks_like_a_call(text: str) -> bool:
    """True if the text holds the markup or JSON that models write calls in."""
    if len(text) > 2 * MAX_SEARCHED:
        text = text[:MAX_SEARCHED] + text[-MAX_SEARCHED:]
    return SIGNS.search(text) is not None
